import { context, diag, metrics, trace } from '@opentelemetry/api'
import { describe, expect, it, vi } from 'vitest'
import type { CallLimiter as Limiter } from '../../src/limits/interface.ts'
import { lenientLimiter } from '../support/limiter.ts'
import { version } from '../../src/lib/version.ts'
import { otelObserver } from '../../src/extensions/otel/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { page } from '../support/pages.ts'
import { failure, makeClient, ok, scriptedService } from '../support/service.ts'
import { followContext, recordingMeter, recordingTracer, traced } from './recorder.ts'

const service = scriptedService()
virtualTime()
followContext()

const query = { query: 'very private' }

describe('otelObserver()', () => {
  it('makes each span a child of the caller’s, and active while its call sends, also after a queue', async () => {
    const { tracer, spans } = recordingTracer()
    const sent: unknown[] = []
    const fetch = () => {
      sent.push(trace.getActiveSpan()?.spanContext().spanId)
      return Promise.resolve(ok(page(['1'])))
    }
    const grant: (() => void)[] = []
    // Grants leases from the outside, where no span is active.
    const limiter: Limiter = {
      ...lenientLimiter(),
      acquire: () =>
        new Promise((resolve) => {
          const lease = { queued: 0, paced: 0, sent() {}, answered() {}, end() {} }
          grant.push(() => resolve(lease))
        }),
    }
    const client = makeClient({ observers: [otelObserver({ tracer })], limiter, fetch })
    const parents = [tracer.startSpan('one'), tracer.startSpan('two')]
    const calls = parents.map((parent) =>
      context.with(trace.setSpan(context.active(), parent), async () => client.microblog.search(query)),
    )
    while (grant.length < 2) await new Promise((resolve) => setImmediate(resolve))
    for (const each of grant.toReversed()) each()
    await settle(Promise.all(calls))
    expect(spans.slice(2).map(({ parent }) => parent)).toEqual(parents)
    expect(sent.sort()).toEqual(['3', '4'].map((id) => id.padStart(16, '0')))
    expect(trace.getActiveSpan()).toBeUndefined()
  })

  it('takes tracer and meter of the global providers by the name and version of the package, also late ones', async () => {
    service.script(() => ok())
    const client = makeClient({ observers: [otelObserver()] })
    await settle(client.microblog.search(query))
    const { tracer, spans } = recordingTracer()
    const { meter, values } = recordingMeter()
    const [getTracer, getMeter] = [vi.fn(() => tracer), vi.fn(() => meter)]
    trace.setGlobalTracerProvider({ getTracer })
    metrics.setGlobalMeterProvider({ getMeter })
    try {
      await settle(client.microblog.search(query))
    } finally {
      trace.disable()
      metrics.disable()
    }
    expect(spans.length).toBe(1)
    expect(values['social_search.calls']?.length).toBe(1)
    for (const get of [getTracer, getMeter])
      expect(get.mock.calls).toEqual([expect.arrayContaining(['social-search-sdk', version])])
  })

  it.each(['startSpan', 'isRecording', 'setStatus', 'recordException', 'end'])(
    'harms no call when %s() of a span throws, and the logger of OpenTelemetry, too',
    async (name) => {
      const throws = () => {
        throw new Error('mine')
      }
      const error = vi.fn(throws)
      const ignore = () => {}
      diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore })
      const { tracer } = recordingTracer()
      const startSpan: typeof tracer.startSpan = (...args) =>
        Object.assign(tracer.startSpan(...args), { [name]: throws })
      const broken = { ...tracer, startSpan: name === 'startSpan' ? throws : startSpan }
      const { client } = traced({}, { tracer: broken })
      service.script(failure(403, 'forbidden'), () => ok())
      expect((await settle(client.microblog.search(query))).error).toMatchObject({ code: 'forbidden' })
      expect((await settle(client.microblog.search(query))).value?.posts.length).toBe(1)
      expect(client.credits.spent).toBe(2)
      expect(error).toHaveBeenCalled()
      diag.disable()
    },
  )
})
