import { describe, expect, it, vi } from 'vitest'
import {
  AuthenticationError,
  BudgetUnavailableError,
  ClosedError,
  CreditBudget,
  CreditBudgetError,
  ConfigurationError,
  UpstreamError,
} from '../../src/index.ts'
import { watchSearches } from '../../src/extensions/watch/index.ts'
import { abortIn, settle, virtualTime } from '../support/clock.ts'
import { failure } from '../support/service.ts'
import { page, timedPage } from '../support/pages.ts'
import { SearchService, run } from './search-service.ts'

virtualTime()

const minute = 60_000
const day = 86_400_000

const daily = (limit: number) => new CreditBudget(limit, { every: 'day' })

describe('watchSearches()', () => {
  it('yields the posts of both networks under the names of the searches, and continues from their states', async () => {
    const service = new SearchService({ acme: 30, globex: 60 })
    const searches = {
      a: { query: 'acme' },
      b: { query: 'globex', network: 'professionalnet' },
    } as const
    const first = await run(watchSearches(service.client, searches, { once: true }))
    expect(first.all.map(({ name, posts, error }) => [name, posts.length, error])).toEqual([
      ['a', 20, null],
      ['b', 20, null],
    ])
    const states = Object.fromEntries(first.all.map(({ name, state }) => [name, state]))
    await settle(new Promise((resolve) => setTimeout(resolve, 65 * minute)))
    const stored = JSON.parse(JSON.stringify(states)) as typeof states
    const second = await run(watchSearches(service.client, searches, { once: true, states: stored }))
    expect(second.all.map(({ name, posts }) => [name, posts.length])).toEqual([
      ['a', 2],
      ['b', 1],
    ])
  })

  it('spreads the credits of a day, and checks more often where more posts come', async () => {
    const service = new SearchService({ busy: 12, quiet: 300, silent: 0 })
    const start = Date.now()
    const searches = { busy: { query: 'busy' }, quiet: { query: 'quiet' }, silent: { query: 'silent' } }
    const options = { budget: daily(100), minInterval: minute, signal: abortIn(3 * day, 'over') }
    const { all, error } = await run(watchSearches(service.client, searches, options))
    expect(error).toBe('over')
    const [busy = [], quiet = [], silent = []] = ['busy', 'quiet', 'silent'].map((query) =>
      service.minutesOf(query, start),
    )
    for (const each of [0, 1, 2]) {
      const looks = service.asked.filter(({ at }) => Math.floor((at - start) / day) === each).length
      expect(looks).toBeGreaterThan(45)
      expect(looks).toBeLessThanOrEqual(50)
    }
    expect(busy.length).toBeGreaterThan(2 * quiet.length)
    expect(quiet.length).toBeGreaterThan(silent.length)
    // At least one look a day.
    expect(silent.length).toBeGreaterThanOrEqual(3)
    const found = all.filter(({ name }) => name === 'busy').flatMap(({ posts }) => posts)
    expect(found.length).toBeGreaterThan(20 + 3 * 120 - 10)
    // No hour of a day is without a look, and none has many.
    const hours = Array.from({ length: 72 }, (_, hour) => busy.filter((at) => Math.floor(at / 60) === hour))
    expect(Math.max(...hours.map(({ length }) => length))).toBeLessThanOrEqual(4)
  })

  it('never checks more often than `minInterval`, however much money there is', async () => {
    const service = new SearchService({ busy: 2 })
    const options = { budget: daily(10_000), signal: abortIn(3 * 60 * minute, 'over') }
    await run(watchSearches(service.client, { busy: { query: 'busy' } }, options))
    expect(service.asked.map(({ at }) => at - (service.asked[0]?.at ?? 0))).toEqual(
      Array.from({ length: 12 }, (_, look) => look * 15 * minute),
    )
  })

  it('waits for the next period when the budget is empty, then fills the gap at once', async () => {
    vi.setSystemTime(Date.UTC(2026, 10, 20, 21))
    const service = new SearchService({ acme: 1 })
    const start = Date.now()
    const budget = daily(100)
    budget.reserve(90, 'any').settle(90)
    const options = { budget, signal: abortIn(200 * minute, 'over') }
    const { all } = await run(watchSearches(service.client, { acme: { query: 'acme' } }, options))
    const times = service.minutesOf('acme', start)
    const today = times.filter((time) => time < 180)
    expect([today.length, times.filter((time) => time <= 181).length]).toEqual([5, 5 + 7])
    const gap = all[today.length - 1]?.gaps[0]
    const [from, to] = [gap?.from, gap?.to].map((time) => Date.parse(time ?? ''))
    const posts = all.flatMap(({ posts }) => posts as { id: string; timestamp: string }[])
    expect(new Set(posts.map(({ id }) => id)).size).toBe(posts.length)
    const filled = all.slice(today.length).flatMap(({ posts }) => posts as { timestamp: string }[])
    const between = filled.filter(({ timestamp }) => Date.parse(timestamp) < (to ?? 0))
    expect(between).toHaveLength(((to ?? 0) - (from ?? 0)) / minute - 1)
    expect(all.at(-1)?.gaps).toEqual([])
  })

  it('checks again within minutes when open calls give back what they had reserved', async () => {
    const service = new SearchService({ acme: 30 })
    const start = Date.now()
    const budget = daily(100)
    const other = budget.reserve(99, 'any')
    setTimeout(() => other.settle(0), 10 * minute)
    const options = { budget, signal: abortIn(30 * minute, 'over') }
    await run(watchSearches(service.client, { acme: { query: 'acme' } }, options))
    expect(service.minutesOf('acme', start)[0]).toBeLessThanOrEqual(11)
  })

  it.each([
    ['of another name', new CreditBudget(4, { name: 'other' }), 3],
    ['without a name', new CreditBudget(4), 3],
  ])('throws the error of a budget of the client %s', async (_, budget) => {
    const service = new SearchService({ acme: 30 }, { budget })
    const options = { budget: daily(100), signal: abortIn(day, 'over') }
    const { error, all } = await run(
      watchSearches(service.client, { acme: { query: 'acme' } }, { ...options, minInterval: minute }),
    )
    expect([error, all.length]).toEqual([expect.any(CreditBudgetError), 2])
  })

  it.each([
    [
      'its budget has less than a page costs at the prices of the client',
      { prices: { 'microblog.search': 5 } },
      96,
    ],
    ['another budget of the client is empty', { budget: daily(2) }, 2],
  ] as const)('waits for the next period when %s', async (_, options, spent) => {
    vi.setSystemTime(Date.UTC(2026, 10, 20, 22))
    const service = new SearchService({ acme: 30 }, options)
    const start = Date.now()
    const budget = daily(100)
    const empty = 'budget' in options ? options.budget : budget
    empty.reserve(spent, 'any').settle(spent)
    const watching = { budget, signal: abortIn(4 * 60 * minute, 'over') }
    const { error } = await run(watchSearches(service.client, { acme: { query: 'acme' } }, watching))
    const [first = 0] = service.minutesOf('acme', start)
    expect(error).toBe('over')
    expect(start + first * minute).toBeGreaterThanOrEqual(new Date(start).setUTCHours(24, 0, 0, 0))
  })

  it('throws with `once` when the budget has nothing left for a search, after the checks that it allows', async () => {
    const service = new SearchService({ acme: 30, globex: 30, hooli: 30 })
    const searches = { acme: { query: 'acme' }, globex: { query: 'globex' }, hooli: { query: 'hooli' } }
    const { error, all } = await run(
      watchSearches(service.client, searches, { budget: daily(4), once: true }),
    )
    expect([error, all.length]).toEqual([expect.any(CreditBudgetError), 2])
  })

  it('throws when a budget without a period is empty, or one with a period is too small for a page', async () => {
    const service = new SearchService({ acme: 30 })
    const watching = (budget: CreditBudget) =>
      run(watchSearches(service.client, { acme: { query: 'acme' } }, { budget }))
    expect((await watching(new CreditBudget(5))).error).toBeInstanceOf(CreditBudgetError)
    expect(service.asked).toHaveLength(2)
    expect((await watching(daily(1))).error).toBeInstanceOf(CreditBudgetError)
  })

  it('puts the error of one search into its batch, checks the others, and it again when it is due', async () => {
    const service = new SearchService({ acme: 1, globex: 30 })
    const start = Date.now()
    // The second page of the second look, and the whole third one.
    let pages = 0
    service.onRequest = (query, cursor) => {
      if (query !== 'acme' || Date.now() < start + 10 * minute) return undefined
      return cursor !== undefined || pages++ === 1 ? failure(502, 'upstream_error') : undefined
    }
    const searches = { acme: { query: 'acme' }, globex: { query: 'globex' } }
    const options = { minInterval: 40 * minute, signal: abortIn(100 * minute, 'over') }
    const { all, error } = await run(watchSearches(service.client, searches, options))
    expect(error).toBe('over')
    expect(all.map(({ name, posts, gaps, error }) => [name, posts.length, gaps.length, error])).toEqual([
      ['acme', 20, 0, null],
      ['globex', 20, 0, null],
      ['acme', 20, 1, null],
      ['acme', 0, 1, expect.any(UpstreamError)],
      ['globex', 1, 0, null],
      ['acme', 0, 1, expect.any(UpstreamError)],
      ['globex', 1, 0, null],
    ])
    expect(new Set(service.minutesOf('acme', start))).toEqual(new Set([0, 40, 80]))
  })

  it.each(['a check', 'an error'])(
    'goes on within minutes when the clock is set back after %s',
    async (last) => {
      const service = new SearchService({ acme: 5 })
      const start = Date.now()
      service.onRequest = () => (last === 'an error' ? failure(502, 'upstream_error') : undefined)
      setTimeout(() => vi.setSystemTime(start - 10 * day), 20 * minute)
      const options = { signal: abortIn(60 * minute, 'over') }
      await run(watchSearches(service.client, { acme: { query: 'acme' } }, options))
      expect(service.asked.length).toBeGreaterThanOrEqual(4)
      expect(service.asked.length).toBeLessThanOrEqual(5)
    },
  )

  it('throws what no search could escape', async () => {
    const service = new SearchService({ acme: 30 })
    service.onRequest = () => failure(401, 'unauthorized')
    const { error } = await run(watchSearches(service.client, { acme: { query: 'acme' } }))
    expect(error).toBeInstanceOf(AuthenticationError)
  })

  it('checks with `once` only what is due within its budget, forgives a schedule that is a little early, and says when the next check is due', async () => {
    const service = new SearchService({ acme: 12 })
    const budget = daily(1000)
    let states = {}
    const looks: number[] = []
    for (const pause of [0, 5, 9, 10, 14]) {
      await settle(new Promise((resolve) => setTimeout(resolve, pause * minute)))
      const options = { budget, states, once: true } as const
      const { all } = await run(watchSearches(service.client, { acme: { query: 'acme' } }, options))
      const [{ dueAt, posts, credits } = { dueAt: NaN, posts: [], credits: undefined }] = all
      looks.push(dueAt === null ? 1 : 0)
      if (dueAt !== null) {
        expect([posts, credits, all.length]).toEqual([[], { spent: 0, uncertain: 0 }, 1])
        expect(dueAt - Date.now()).toBeGreaterThan(0)
        expect(dueAt - Date.now()).toBeLessThanOrEqual(10 * minute)
      }
      states = { ...states, ...Object.fromEntries(all.map(({ name, state }) => [name, state])) }
    }
    // After 5, 14, 10 and 14 minutes.
    expect(looks).toEqual([1, 0, 1, 0, 1])
  })

  it('fills a gap with the page after the one that `maxPages` allows, at once', async () => {
    const service = new SearchService({ acme: 0.5 })
    const start = Date.now()
    const options = { maxPages: 1, signal: abortIn(50 * minute, 'over') }
    const { all } = await run(watchSearches(service.client, { acme: { query: 'acme' } }, options))
    expect(service.minutesOf('acme', start)).toEqual([0, 15, 15, 30, 30, 45, 45])
    expect(all.flatMap(({ posts }) => posts)).toHaveLength(20 + 3 * 30)
  })

  it.each([
    ['the newest page is empty', (cursor?: string) => cursor === undefined],
    ['all pages are', () => true],
  ])('buys no page in a hurry while there is a gap and %s', async (_, isEmpty) => {
    const service = new SearchService({ acme: 0.1 })
    const start = Date.now()
    service.onRequest = (query, cursor) =>
      Date.now() > start + 10 * minute && isEmpty(cursor) ? Response.json(page([])) : undefined
    const options = { maxPages: 2, signal: abortIn(120 * minute, 'over') }
    await run(watchSearches(service.client, { acme: { query: 'acme' } }, options))
    expect(service.asked.length).toBeLessThanOrEqual(60)
  })

  it('buys no page in a hurry while the pages of a gap list known posts alone', async () => {
    const service = new SearchService({ acme: 0.1 })
    const end = new AbortController()
    service.onRequest = (query, cursor) => {
      if (service.asked.length > 60) end.abort('hurry')
      if (cursor === undefined) return undefined
      const newest = Math.floor((Date.now() - service.timeOf(query, 0)) / (0.1 * minute))
      const id = `acme ${newest}`
      const entry = { id, time: new Date(service.timeOf(query, newest)).toISOString() }
      return Response.json(timedPage([entry], { next: `${cursor} ` }))
    }
    setTimeout(() => end.abort('over'), 120 * minute)
    const options = { maxPages: 2, signal: end.signal }
    const { error } = await run(watchSearches(service.client, { acme: { query: 'acme' } }, options))
    expect(error).toBe('over')
  })

  it.each(['before its first check', 'after a check', 'during an outage'])(
    'ends at once when its client is closed while it sleeps %s, and leaves no timer',
    async (when) => {
      const service = new SearchService({ acme: 30 })
      const { all } = await run(watchSearches(service.client, { acme: { query: 'acme' } }, { once: true }))
      const states = when === 'before its first check' ? { acme: all[0]!.state } : {}
      const isAway = when === 'during an outage'
      const summary = (): never => {
        throw new BudgetUnavailableError('away', { temporary: true })
      }
      const budget = isAway ? Object.assign(new CreditBudget(9), { summary }) : daily(100)
      const start = Date.now()
      const options = { states, budget, minInterval: day }
      const running = run(watchSearches(service.client, { acme: { query: 'acme' } }, options))
      setTimeout(() => void service.client.close(), 200)
      const { error } = await running
      expect([error, Date.now() - start]).toEqual([expect.any(ClosedError), 200])
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it.each<[string, object | null, object?]>([
    ['a cursor', { a: { query: 'a', cursor: 'b' } }],
    ['the wrong order', { a: { query: 'a', network: 'professionalnet', sort_by: 'relevant' } }],
    ['a network that it does not know', { a: { query: 'a', network: 'technews' } }],
    ['a query without its object', { a: 'a' }],
    ['no search', { a: null }],
    ['no searches', null],
    ['the state of another search', { a: { query: 'a' } }, { states: { a: { search: '', spans: [] } } }],
  ])('refuses %s, and pays for nothing', async (_, searches, options = {}) => {
    const service = new SearchService({ a: 30 })
    const { error } = await run(watchSearches(service.client, searches as { a: { query: string } }, options))
    expect([error, service.asked]).toEqual([expect.any(ConfigurationError), []])
  })
})
