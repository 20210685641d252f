import { expect, it } from 'vitest'
import type { ObservedCall } from '../../src/index.ts'
import { otelObserver } from '../../src/extensions/otel/index.ts'
import { makeClient, ok } from '../support/service.ts'
import { recordingTracer } from './recorder.ts'

it('otelObserver() keeps no span of a call that has ended', async () => {
  const { tracer, spans } = recordingTracer()
  const observer = otelObserver({ tracer })
  const calls: ObservedCall[] = []
  const observers = [observer, { onCall: (call: ObservedCall) => void calls.push(call) }]
  await makeClient({ observers, fetch: () => Promise.resolve(ok()) }).microblog.search({ query: 'rust' })
  expect(spans).toMatchObject([{ ended: 1, events: [['social_search.attempt', {}]] }])
  for (const call of calls) observer.onWait?.({ ...call, reason: 'retry', until: null })
  expect([calls.length, spans[0]?.events.length]).toEqual([1, 1])
})
