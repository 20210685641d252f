import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type SandboxOptions, type SandboxPost, createSandbox } from '../support/sandbox.ts'
import { meanDelay } from '../../src/extensions/watch/estimate.ts'
import { estimateSearch, watchSearch } from '../../src/extensions/watch/index.ts'
import { CreditBudget, CreditBudgetError, SocialSearch } from '../../src/index.ts'
import { virtualTime } from '../support/clock.ts'

virtualTime()

const [hour, day] = [3_600_000, 86_400_000]
const acme = { query: 'acme' }
const start = new Date('2026-01-01T00:00:00Z')

/** A sandbox with posts about every query since some days. */
function setUp(perHour: number, options: SandboxOptions = {}) {
  const growth = { perHour, since: start }
  const sandbox = createSandbox({ growth, posts: 0, limits: { perMinute: false }, ...options })
  return { sandbox, client: new SocialSearch(sandbox.clientOptions()) }
}

/** Posts since the start, many at noon and few at midnight (UTC). */
function postsByDay(perHour: number): SandboxPost[] {
  const times: number[] = []
  let left = 0
  for (let minute = 0; minute < (Date.now() - Number(start)) / 60_000; minute++)
    for (left += (perHour / 60) * (1 - 0.9 * Math.cos((minute / 720) * Math.PI)); left >= 1; left--)
      times.push(Number(start) + minute * 60_000)
  return times.map((time) => ({ body: 'acme', timestamp: new Date(time).toISOString() }))
}

beforeEach(() => void vi.setSystemTime(Number(start) + 10 * day))

/** The state of a watch that has looked at these minutes. */
async function stateAfter(client: SocialSearch, minutes: readonly number[], options?: { maxPages: number }) {
  const from = Date.now()
  let state
  for (const minute of minutes) {
    vi.setSystemTime(from + minute * 60_000)
    for await (const batch of watchSearch(client.microblog, acme, { once: true, state, ...options }))
      state = batch.state
  }
  return state
}

const halfHours = (hours: number) => Array.from({ length: 2 * hours + 1 }, (_, index) => 30 * index)

describe('estimateSearch()', () => {
  it('is within a factor of two, at every hour, when posts come evenly or by day', async () => {
    for (const perHour of [0.2, 5, 30])
      for (let at = 0; at < 24; at += 3) {
        vi.setSystemTime(Number(start) + 10 * day + at * hour)
        for (const options of [{}, { content: { microblog: postsByDay(perHour) } }]) {
          const { client } = setUp(perHour, options)
          const { postsPerDay, low, high } = await estimateSearch(client.microblog, acme)
          expect([low, high]).toEqual([postsPerDay / 2, postsPerDay * 2])
          expect(low).toBeLessThanOrEqual(24 * perHour)
          expect(high).toBeGreaterThanOrEqual(24 * perHour)
        }
      }
  })

  it('buys two pages, the second twelve hours earlier, and tells what the posts cost', async () => {
    const { sandbox, client } = setUp(30)
    const filters = { lang: 'en' }
    const estimate = await estimateSearch(client.microblog, { ...acme, filters })
    const until = new Date(Date.now() - day / 2).toISOString()
    expect(sandbox.requests.map(({ body }) => body)).toEqual([
      { ...acme, filters, category: 'Latest' },
      { ...acme, filters: { ...filters, until }, category: 'Latest' },
    ])
    expect(estimate.basis).toBe('two pages')
    expect(estimate.creditsPerDay).toBeCloseTo(estimate.postsPerDay / 10)
    expect(Math.abs(estimate.creditsPerDay - 72)).toBeLessThan(6)
  })

  it.each([0.5, 0])('buys one page when it tells of a day: %d posts an hour', async (perHour) => {
    const { sandbox, client } = setUp(perHour)
    const { postsPerDay, high, basis } = await estimateSearch(client.microblog, acme)
    expect([basis, sandbox.ledger.spent]).toEqual(['one page', 2])
    expect(Math.abs(postsPerDay - 24 * perHour)).toBeLessThanOrEqual(1)
    expect(high).toBe(2 * postsPerDay)
  })

  it('counts the posts of a day when older ones do not exist', async () => {
    vi.setSystemTime(Number(start) + 10 * 60_000)
    expect(await estimateSearch(setUp(60).client.microblog, acme)).toMatchObject({
      postsPerDay: 10,
      high: 20,
    })
  })

  it('tells the pace of this hour alone when until is ignored or refused, or the budget has one page', async () => {
    const unknown = { low: null, high: null, basis: 'one page' }
    const { sandbox, client } = setUp(30)
    const deaf = new SocialSearch({
      ...sandbox.clientOptions(),
      fetch: async (request) => {
        const body = { ...((await request.json()) as object), filters: undefined }
        const { url, method, headers } = request
        return sandbox.fetch(new Request(url, { method, headers, body: JSON.stringify(body) }))
      },
    })
    const estimates = [await estimateSearch(deaf.microblog, acme)]
    sandbox.inject({ status: 400, skip: 1 })
    estimates.push(await estimateSearch(client.microblog, acme))
    const budget = new CreditBudget(3)
    estimates.push(await estimateSearch(client.microblog, acme, { budget }))
    for (const estimate of estimates) {
      expect(estimate).toMatchObject(unknown)
      expect(Math.abs(estimate.postsPerDay / 24 - 30)).toBeLessThan(2)
    }
    expect(sandbox.ledger.spent).toBe(4 + 2 + 2)
    await expect(estimateSearch(client.microblog, acme, { budget })).rejects.toBeInstanceOf(CreditBudgetError)
  })

  it('buys one page of the professional network, whose search has no until', async () => {
    const { sandbox, client } = setUp(30)
    const estimate = await estimateSearch(client.professionalnet.posts, acme)
    expect(estimate).toMatchObject({ low: null, basis: 'one page' })
    expect(estimate.creditsPerDay).toBeCloseTo(estimate.postsPerDay / 5)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('is free with the state of a watch of a day', async () => {
    const { sandbox, client } = setUp(30)
    let state
    for (let looks = 0; looks < 48; looks++) {
      for await (const batch of watchSearch(client.microblog, acme, { once: true, state }))
        state = batch.state
      vi.setSystemTime(Date.now() + hour / 2)
    }
    const { spent } = sandbox.ledger
    const { postsPerDay, basis } = await estimateSearch(client.microblog, acme, { state })
    expect([basis, sandbox.ledger.spent]).toEqual(['history', spent])
    expect(Math.abs(postsPerDay - 720)).toBeLessThan(20)
  })

  it('is not of the first page of a watch, which may be of quieter days, when the watch is of minutes', async () => {
    const growth = { perHour: 300, since: new Date(Date.now()) }
    const sandbox = createSandbox({ growth, limits: { perMinute: false } })
    const client = new SocialSearch(sandbox.clientOptions())
    const state = await stateAfter(client, [0, 10, 20])
    await vi.advanceTimersByTimeAsync(day)
    const { basis, postsPerDay } = await estimateSearch(client.microblog, acme, { state })
    expect(basis).toBe('two pages')
    expect(Math.abs(postsPerDay - 7200)).toBeLessThan(900)
  })

  it('counts only time that a watch has read', async () => {
    const { client } = setUp(30)
    const unread = await stateAfter(client, [0, 20 * 60], { maxPages: 1 })
    expect((await estimateSearch(client.microblog, acme, { state: unread })).basis).toBe('two pages')
    const half = await stateAfter(client, [...halfHours(12), 18 * 60], { maxPages: 2 })
    const { basis, postsPerDay } = await estimateSearch(client.microblog, acme, { state: half })
    expect(basis).toBe('history')
    expect(Math.abs(postsPerDay - 720)).toBeLessThan(50)
  })
})

it('meanDelay() is how late a watch is, within a third, when posts come evenly', async () => {
  const { client } = setUp(30)
  const budget = new CreditBudget(120, { every: 'day', timeZone: 'UTC' })
  const stop = new AbortController()
  const delays: number[] = []
  const watching = (async () => {
    for await (const { posts } of watchSearch(client.microblog, acme, { budget, signal: stop.signal }))
      for (const { timestamp } of posts) delays.push(Date.now() - Date.parse(timestamp))
  })().catch(() => {})
  await vi.advanceTimersByTimeAsync(2 * day)
  stop.abort()
  await watching
  // The first page is of the time before.
  const mean = delays.slice(20).reduce((sum, delay) => sum + delay, 0) / (delays.length - 20)
  const looking = { price: 2, overlap: 3, freshness: hour / 4 }
  const estimate = await estimateSearch(client.microblog, acme)
  expect(meanDelay([estimate], 120, looking) / mean).toBeGreaterThan(0.75)
  expect(meanDelay([estimate], 120, looking) / mean).toBeLessThan(1.33)
  expect(meanDelay([estimate], 50, looking)).toBe(Infinity)
})
