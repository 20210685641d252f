import { AsyncLocalStorage } from 'node:async_hooks'
import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel'
import { afterEach, describe, expect, it } from 'vitest'
import { apiKey, makeClient, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
const channel = tracingChannel<unknown, object>('social-search:call')
const query = { query: 'very private' }

const ends: (() => void)[] = []
afterEach(() => ends.splice(0).forEach((end) => end()))

/** The events of the channel, in their order. */
function subscribe(): [string, Record<string, unknown>][] {
  const events: [string, Record<string, unknown>][] = []
  const note = (name: string) => (context: object) => void events.push([name, { ...context }])
  const subscribers = Object.fromEntries(
    ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((name) => [name, note(name)]),
  ) as unknown as TracingChannelSubscribers<object>
  channel.subscribe(subscribers)
  ends.push(() => channel.unsubscribe(subscribers))
  return events
}

describe('the channel social-search:call', () => {
  it('publishes start, end, asyncStart and asyncEnd of a call, with its result', async () => {
    service.script(() => ok())
    const events = subscribe()
    await makeClient().microblog.search(query)
    expect(events.map(([name]) => name)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    const call = { operation: 'microblog.search', surface: 'microblog' }
    expect(events[0]?.[1]).toMatchObject(call)
    expect(events[3]?.[1]).toMatchObject({
      ...call,
      result: { ...call, outcome: 'ok', charged: 'yes', credits: { spent: 2, uncertain: 0 } },
    })
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${apiKey}|very private`))
  })

  it('publishes the error of a call, which rejects with the same', async () => {
    service.script(() => Response.error())
    const events = subscribe()
    const error: unknown = await makeClient()
      .microblog.search(query)
      .then(undefined, (error: unknown) => error)
    expect(events.map(([name]) => name)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
    expect(events[2]?.[1]['error']).toBe(error)
  })

  it('binds a store for everything that the call does', async () => {
    const storage = new AsyncLocalStorage<object>()
    channel.start.bindStore(storage, (context) => context)
    ends.push(() => channel.start.unbindStore(storage))
    const seen: unknown[] = []
    const fetch = () => {
      seen.push(storage.getStore())
      return Promise.resolve(ok())
    }
    await makeClient({ fetch }).microblog.search(query)
    expect(seen).toMatchObject([{ operation: 'microblog.search' }])
  })

  it('makes no observer for a call without subscribers', async () => {
    service.script(() => ok())
    const events = subscribe()
    ends.splice(0).forEach((end) => end())
    await makeClient().microblog.search(query)
    expect(events).toEqual([])
  })
})
