import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { type SandboxOptions, createSandbox } from '../../src/sandbox/index.ts'

const day = 86_400_000
const now = new Date('2026-11-18T15:00:00Z')
const story = { launch: 'react', rival: 'vue' }

function setUp(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ now, story, limits: { perMinute: false }, ...options })
  return new SocialSearch(sandbox.clientOptions())
}
/** Times of the posts about a query, newest first. */
async function timesOf(query: string, client = setUp()): Promise<string[]> {
  const posts = await client.microblog.search({ query, category: 'Latest' }).toArray({ limit: 2000 })
  return posts.map(({ timestamp }) => timestamp)
}
const countPerDay = (times: string[]) => Map.groupBy(times, (time) => time.slice(0, 10))
const agedBetween = (times: string[], from: number, to: number) =>
  times.map((time) => (Number(now) - Date.parse(time)) / day).filter((age) => age >= from && age < to).length

describe('createSandbox() story', () => {
  it('has fewer posts on weekends', async () => {
    const times = await timesOf('coffee')
    const isWeekend = (time: string) => [0, 6].includes(new Date(time).getUTCDay())
    const weekends = times.filter(isWeekend).length
    expect(weekends / 2).toBeLessThan(0.6 * ((times.length - weekends) / 5))
  })

  it('has most posts about the launch on a Tuesday one or two weeks ago', async () => {
    const perDay = [...countPerDay(await timesOf('react'))].sort(([, a], [, b]) => b.length - a.length)
    const [[date, most], [, second]] = perDay as [[string, string[]], [string, string[]]]
    expect(date).toBe('2026-11-03')
    expect(most.length).toBeGreaterThanOrEqual(second.length)
    expect(most.length).toBeGreaterThan(4)
  })

  it('has twice as many posts about the rival in the last four weeks as in those before', async () => {
    const times = await timesOf('vue')
    expect(agedBetween(times, 0, 28)).toBeGreaterThan(2 * agedBetween(times, 28, 56))
  })

  it('has mentions in waves', async () => {
    const mentions = await setUp().mentions.list({ limit: 100 }).toArray({ limit: 1000 })
    const times = mentions.map(({ publishedAt }) => String(publishedAt))
    expect(agedBetween(times, 0, 4)).toBeGreaterThan(3 * agedBetween(times, 4, 8))
  })

  it('is the same in each sandbox, and keeps a post while the clock moves', async () => {
    const before = await timesOf('react')
    expect(await timesOf('react', setUp())).toEqual(before)
    let time = Number(now)
    const moving = setUp({ now: () => time })
    time += 3 * day
    const after = await timesOf('react', moving)
    expect(after).toEqual(expect.arrayContaining(before.slice(0, 20)))
  })

  it('leaves posts of a test alone', async () => {
    const microblog = Array.from({ length: 30 }, (_, index) => ({ body: `about react ${index}` }))
    expect(await timesOf('react', setUp({ content: { microblog } }))).toHaveLength(30)
  })

  it.each([
    [{ launch: 1 }, 'createSandbox() option story.launch must be a query'],
    [{ hero: 'react' }, 'hero'],
  ])('rejects %o', (story, message) => {
    expect(() => createSandbox({ story: story as never })).toThrow(message)
  })
})
