import { type Tracer, diag } from '@opentelemetry/api'
import { afterEach, describe, expect, it } from 'vitest'
import { otelObserver } from '../../src/extensions/otel/index.ts'
import { awkwardFunctions, endOf } from '../support/awkward-functions.ts'
import { awkwardValues } from '../support/awkward-values.ts'
import { makeClient, ok } from '../support/service.ts'
import { recordingTracer } from './recorder.ts'

afterEach(() => diag.disable())

const spanMethods = ['isRecording', 'setAttributes', 'addEvent', 'setStatus', 'recordException', 'end']

/** A tracer whose spans fail in one method. */
function failingIn(method: string, fail: () => never): Tracer {
  const { tracer } = recordingTracer()
  return {
    ...tracer,
    startSpan: (...args) => Object.assign(tracer.startSpan(...args), { [method]: fail }),
  }
}

async function search(tracer: Tracer): Promise<string> {
  const observers = [otelObserver({ tracer })]
  const client = makeClient({ fetch: () => Promise.resolve(ok()), limits: { perMinute: false }, observers })
  return endOf(() => client.microblog.search({ query: 'rust' }))
}

const failing = () => {
  throw new Error('a span fails')
}

/** Methods of spans and loggers return nothing, so no promise. */
const synchronous = awkwardFunctions.filter(([name]) => /^(throws|returns)/.test(name))

describe('otelObserver()', () => {
  it.each(synchronous)('delivers the paid page when a method of a span %s', async (_, fail) => {
    for (const method of spanMethods) expect(await search(failingIn(method, fail))).toBe('done')
  })

  it.each(synchronous)('delivers the paid page when startSpan() %s', async (_, fail) => {
    expect(await search({ ...recordingTracer().tracer, startSpan: fail })).toBe('done')
  })

  it.each(synchronous)('delivers the paid page when the logger of OpenTelemetry %s', async (_, fail) => {
    diag.setLogger({ error: fail, warn: fail, info: fail, debug: fail, verbose: fail })
    expect(await search(failingIn('end', failing))).toBe('done')
  })

  it.each(awkwardValues)(
    'describes to the logger of OpenTelemetry that a span throws %s',
    async (_, make) => {
      const logged: unknown[] = []
      const error = (...args: unknown[]) => void logged.push(...args)
      diag.setLogger({ error, warn: failing, info: failing, debug: failing, verbose: failing })
      const fail = () => {
        throw make()
      }
      expect(await search(failingIn('end', fail))).toBe('done')
      expect(logged.map((each) => typeof each)).toEqual(['string', 'string'])
    },
  )
})
