import { describe, expect, it } from 'vitest'
import type { ClientOptions, Wait } from '../../../src/index.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, ok, rateLimited, scriptedService, slow } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

/** A client, and what it tells of waiting: milliseconds from now, reason, milliseconds until the end. */
function observed(options: Partial<ClientOptions> = {}) {
  const told: [at: number, reason: Wait['reason'], lasts: number | null][] = []
  const start = Date.now()
  const onWait = ({ reason, until }: Wait) =>
    told.push([Date.now() - start, reason, until && until.getTime() - Date.now()])
  return { told, client: makeClient({ observers: [{ onWait }], ...options }) }
}

describe('onWait', () => {
  it('is not called for a call that is sent at once', async () => {
    service.script(ok())
    const { client, told } = observed()
    await settle(client.microblog.search({ query: 'a' }))
    expect(told).toEqual([])
  })

  it('reports a call that waits for a slot', async () => {
    service.script(slow(2000))
    const { client, told } = observed()
    await settle(Promise.all(['a', 'b', 'c'].map((query) => client.microblog.search({ query }))))
    expect(told).toEqual([[250, 'slot', null]])
  })

  it('reports a call that waits for the rate limit, and until when', async () => {
    service.script(() => ok())
    const { client, told } = observed()
    const calls = Array.from({ length: 21 }, () => client.microblog.search({ query: 'a' }).then())
    await settle(Promise.all(calls))
    expect(told).toHaveLength(1)
    const [[at, reason, lasts]] = told as [(typeof told)[0]]
    expect([at, reason]).toEqual([250, 'pace'])
    expect(lasts).toBeGreaterThan(59_000)
    expect(lasts).toBeLessThan(62_000)
  })

  it('reports a 429, and again when another one closes the surface for longer', async () => {
    service.script(rateLimited(10), rateLimited(20), ok())
    const { client, told } = observed()
    await settle(client.microblog.search({ query: 'a' }))
    expect(told.map(([at, reason]) => [at, reason])).toEqual([
      [250, 'rate_limited'],
      [10_250, 'rate_limited'],
    ])
    expect(told.map(([, , lasts]) => lasts)).toEqual([9750, 19_750])
  })

  it('reports the wait between two attempts', async () => {
    service.script(failure(503, 'professionalnet_unavailable', { error: { retryAfter: 7 } }), ok())
    const { client, told } = observed()
    await settle(client.microblog.search({ query: 'a' }))
    expect(told).toEqual([[0, 'retry', 7000]])
  })

  it('of a call reports only that call, with its operation and surface', async () => {
    service.script(slow(2000))
    const heard: Wait[] = []
    const client = makeClient()
    const calls = ['a', 'b', 'c'].map((query) => client.microblog.search({ query }).then())
    await pass(1)
    await settle(client.technews.search({}, { observers: [{ onWait: (wait) => heard.push(wait) }] }))
    await settle(Promise.all(calls))
    expect(heard).toEqual([
      {
        id: expect.any(Number),
        operation: 'technews.search',
        surface: 'technews',
        reason: 'slot',
        until: null,
      },
    ])
  })
})

describe('status()', () => {
  it('counts calls in flight and waiting, by surface', async () => {
    service.script(slow(2000))
    const client = makeClient()
    const make = (priority: number) => client.microblog.search({ query: 'a' }, { priority }).then()
    const calls = [make(0), make(0)]
    await pass(100)
    calls.push(make(0), make(5), make(0))
    const other = client.organization.usage()
    const wait = { reason: 'slot', until: null }
    expect(client.status()).toEqual({
      slots: { taken: 2, limit: 2 },
      surfaces: [
        { surface: 'microblog', waiting: 3, wait },
        { surface: null, waiting: 1, wait },
      ],
    })
    await settle(Promise.all([...calls, other]))
    expect(client.status().slots).toEqual({ taken: 0, limit: 2 })
    expect(client.status().surfaces.map(({ waiting, wait }) => [waiting, wait])).toEqual([
      [0, null],
      [0, null],
    ])
  })

  it('tells until when a 429 keeps a surface closed', async () => {
    service.script(rateLimited(30))
    const client = makeClient()
    client.microblog.search({ query: 'a' }).catch(() => {})
    await pass(100)
    const until = new Date(Date.UTC(2026, 10, 20) + 30_000)
    expect(client.status().surfaces[0]?.wait).toEqual({ reason: 'rate_limited', until })
    await client.close()
  })
})
