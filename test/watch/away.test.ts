import { describe, expect, it, vi } from 'vitest'
import { type ClientOptions, ClosedError, CreditBudget } from '../../src/index.ts'
import { type WatchState, watchSearches } from '../../src/extensions/watch/index.ts'
import { abortIn, pass, virtualTime } from '../support/clock.ts'
import { broken, makeOAuth, oauthError, scriptedServer, storeOf, tokenSet } from '../oauth/helpers.ts'
import { openLateStore } from '../shared/late-store.ts'
import { SearchService, run } from './search-service.ts'

virtualTime()

const minute = 60_000
const searches = { acme: { query: 'acme' } }

/** Something that all searches need, and which is away from minute 50 to 90. */
interface World {
  readonly client?: Partial<ClientOptions>
  readonly budget?: ReturnType<ReturnType<typeof openLateStore>['budgetOf']>
  setAway(isAway: boolean): void
}

async function withTokens(server = scriptedServer()) {
  const store = storeOf(tokenSet())
  const session = (await makeOAuth({ fetch: server.fetch, store })).session()
  return { store, server, client: { apiKey: undefined, auth: session } }
}

const worlds: Record<string, { code: string; open: () => World | Promise<World> }> = {
  'the store of a budget': {
    code: 'budget_unavailable',
    open: () => {
      const { world, budgetOf } = openLateStore()
      const setAway = (isAway: boolean) => (world.clock = (at) => (isAway ? NaN : at))
      return { budget: budgetOf({ limit: 10_000, every: 'day' }), setAway }
    },
  },
  'a token store': {
    code: 'token_store',
    open: async () => {
      const { store, client } = await withTokens()
      const { update } = store
      const fail = () => Promise.reject(new Error('no connection'))
      return { client, setAway: (isAway) => (store.update = isAway ? fail : update) }
    },
  },
  'an OAuth server that answers 503': {
    code: 'oauth',
    open: async () => {
      const { server, client } = await withTokens()
      const fail = () => oauthError('temporarily_unavailable', 503)
      return { client, setAway: (isAway) => server.script(isAway ? fail : server.next) }
    },
  },
  'an OAuth server that nobody reaches': {
    code: 'oauth',
    open: async () => {
      const { server, client } = await withTokens()
      const fail = broken('ECONNREFUSED', 'connect')
      return { client, setAway: (isAway) => server.script(isAway ? fail : server.next) }
    },
  },
}
const all = Object.entries(worlds)

describe('watchSearches()', () => {
  it.each(all)('waits while %s is away, and goes on', async (_, { code, open }) => {
    const { client, budget, setAway } = await open()
    const service = new SearchService({ acme: 12 }, client)
    const start = Date.now()
    setTimeout(() => setAway(true), 50 * minute)
    setTimeout(() => setAway(false), 90 * minute)
    const options = { budget, minInterval: 10 * minute, signal: abortIn(150 * minute, 'over') }
    const posts = new Set<string>()
    const errors: { code: string; minutes: number }[] = []
    const note = async function* () {
      for await (const batch of watchSearches(service.client, searches, options)) {
        for (const { id } of batch.posts) posts.add(id)
        if (batch.error) errors.push({ code: batch.error.code, minutes: (Date.now() - start) / minute })
        yield
      }
    }
    expect(await run(note())).toMatchObject({ error: 'over' })
    expect(new Set(errors.map((each) => each.code))).toEqual(new Set([code]))
    // Seconds at first, and then every five minutes: within that, it notices that the outage is over.
    expect(errors.length).toBeLessThan(25)
    expect(errors.every(({ minutes }) => minutes > 49 && minutes < 91)).toBe(true)
    const looks = service.minutesOf('acme', start)
    expect(looks.filter((at) => at > 62 && at < 90)).toEqual([])
    expect(looks.find((at) => at >= 90)).toBeLessThanOrEqual(96)
    // The first page, and all that came since but for the last minutes.
    expect(posts.size).toBeGreaterThanOrEqual(20 + 130 / 12)
  })

  it.each(all)('ends with `once` while %s is away, and the next run goes on', async (_, { code, open }) => {
    const { client, budget, setAway } = await open()
    const service = new SearchService({ acme: 12 }, client)
    let states: Record<string, WatchState> = {}
    const runs: unknown[] = []
    for (const isAway of [false, true, false]) {
      setAway(isAway)
      await pass(65 * minute)
      const { all, error } = await run(
        watchSearches(service.client, searches, { budget, states, once: true }),
      )
      for (const { name, state } of all) states = { [name]: state }
      runs.push(...all.map(({ posts }) => posts.length))
      if (error !== undefined) runs.push((error as { code: string }).code)
    }
    expect([runs[0], runs[1], Number(runs[2]) >= 10]).toEqual([20, code, true])
  })

  it('counts a check that may have been charged, also in the runs of a schedule: an outage costs no more than quiet hours', async () => {
    const service = new SearchService({ a: 60, b: 60, c: 60 })
    const all = { a: { query: 'a' }, b: { query: 'b' }, c: { query: 'c' } }
    const budget = new CreditBudget(100, { every: 'day' })
    let states: Record<string, WatchState> = {}
    const start = Date.now()
    const hourOf = (at: number) => Math.floor((at - start) / (60 * minute))
    const isOut = () => [6, 7, 8, 9].includes(hourOf(Date.now()))
    service.onRequest = () => (isOut() ? new Response('<html>', { status: 502 }) : undefined)
    for (let quarter = 0; quarter < 4 * 20; quarter++) {
      const options = { budget, states, once: true, from: 'now' } as const
      for (const { name, state } of (await run(watchSearches(service.client, all, options))).all)
        states = { ...states, [name]: JSON.parse(JSON.stringify(state)) as WatchState }
      await pass(15 * minute)
    }
    const asked = Array.from(
      { length: 20 },
      (_, hour) => service.asked.filter(({ at }) => hourOf(at) === hour).length,
    )
    const mean = (from: number, to: number) =>
      asked.slice(from, to).reduce((sum, each) => sum + each, 0) / (to - from)
    expect(mean(6, 10)).toBeLessThanOrEqual(mean(1, 6) * 1.2)
    expect(mean(12, 20)).toBeGreaterThanOrEqual(mean(1, 6) * 0.7)
    expect(budget.summary().uncertain).toBeLessThanOrEqual(100 / 5)
  })

  it('starts with `from: now` and `once` at the first attempt, although its budget is away', async () => {
    const { world, budgetOf } = openLateStore()
    const budget = budgetOf({ limit: 100, every: 'day' })
    const service = new SearchService({ acme: 12 })
    let states: Record<string, WatchState> = {}
    const posts: number[] = []
    for (const isAway of [true, false]) {
      world.clock = (at) => (isAway ? NaN : at)
      const options = { budget, states, once: true, from: 'now' } as const
      for (const batch of (await run(watchSearches(service.client, searches, options))).all) {
        states = { [batch.name]: batch.state }
        posts.push(batch.posts.length)
      }
      await pass(6 * 60 * minute)
    }
    // One post each 12 minutes came in six hours, and one hour is for clocks that differ.
    const found = posts.reduce((sum, each) => sum + each, 0)
    expect(found).toBeGreaterThanOrEqual(30)
    expect(found).toBeLessThanOrEqual(36)
  })

  it.each([
    ['its signal aborts', 'over'],
    ['its client is closed', expect.any(ClosedError) as unknown],
  ])('ends when %s, although its budget does not answer', async (when, reason) => {
    const service = new SearchService({ acme: 12 })
    const budget = { reserve: () => ({ settle() {} }), summary: () => new Promise<never>(() => {}) }
    const end = new AbortController()
    const start = Date.now()
    setTimeout(() => (when === 'its signal aborts' ? end.abort('over') : void service.client.close()), 100)
    const options = { budget, signal: end.signal }
    const { all, error } = await run(watchSearches(service.client, searches, options))
    expect([all, error, Date.now() - start]).toEqual([[], reason, 100])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells after a minute that its budget does not answer, and goes on when it does', async () => {
    const service = new SearchService({ acme: 12 })
    const budget = new CreditBudget(100, { every: 'day' })
    const outlook = budget.summary.bind(budget)
    let asked = 0
    const summary = () => (++asked === 1 ? new Promise<never>(() => {}) : outlook())
    const start = Date.now()
    const options = { budget: Object.assign(budget, { summary }), signal: abortIn(3 * minute) }
    const timed = async function* () {
      for await (const { posts, error } of watchSearches(service.client, searches, options as never))
        yield [Math.round((Date.now() - start) / minute), posts.length, error?.code]
    }
    expect((await run(timed())).all).toEqual([
      [1, 0, 'budget_unavailable'],
      [1, 20, undefined],
    ])
  })
})
