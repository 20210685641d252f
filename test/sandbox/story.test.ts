import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/extensions/sandbox/index.ts'
import { all, day, setUp } from './helpers.ts'

const now = new Date('2026-11-18T15:00:00Z')
const tell = (options: SandboxOptions = {}) =>
  setUp({ now, story: { launch: 'react', rival: 'vue' }, ...options }).client

/** Times of the posts about a query, newest first. */
async function timesOf(query: string, client = tell()): Promise<string[]> {
  const posts = await client.microblog.search({ query, category: 'Latest' }).toArray(all)
  return posts.map(({ timestamp }) => timestamp)
}
const agedBetween = (times: string[], from: number, to: number) =>
  times.map((time) => (Number(now) - Date.parse(time)) / day).filter((age) => age >= from && age < to).length

describe('createSandbox() story', () => {
  it('has fewer posts on weekends', async () => {
    const times = await timesOf('coffee')
    const weekends = times.filter((time) => [0, 6].includes(new Date(time).getUTCDay())).length
    expect(weekends / 2).toBeLessThan(0.6 * ((times.length - weekends) / 5))
  })

  it('has most posts about the launch on a Tuesday one or two weeks ago', async () => {
    const perDay = Map.groupBy(await timesOf('react'), (time) => time.slice(0, 10))
    const [busiest] = [...perDay].sort(([, a], [, b]) => b.length - a.length)
    expect(busiest?.[0]).toBe('2026-11-03')
    expect(busiest?.[1].length).toBeGreaterThan(4)
  })

  it('has twice as many posts about the rival in the last four weeks as in those before', async () => {
    const times = await timesOf('vue')
    expect(agedBetween(times, 0, 28)).toBeGreaterThan(2 * agedBetween(times, 28, 56))
  })

  it('has mentions in waves', async () => {
    const mentions = await tell().mentions.list({ limit: 100 }).toArray(all)
    const times = mentions.map(({ publishedAt }) => String(publishedAt))
    expect(agedBetween(times, 0, 4)).toBeGreaterThan(3 * agedBetween(times, 4, 8))
  })

  it('is the same in each sandbox, and keeps a post while the clock moves', async () => {
    const before = await timesOf('react')
    expect(await timesOf('react')).toEqual(before)
    let time = Number(now)
    const moving = tell({ now: () => time })
    time += 3 * day
    expect(await timesOf('react', moving)).toEqual(expect.arrayContaining(before.slice(0, 20)))
  })

  it('leaves posts of a test alone', async () => {
    const microblog = Array.from({ length: 30 }, (_, index) => ({ body: `about react ${index}` }))
    expect(await timesOf('react', tell({ content: { microblog } }))).toHaveLength(30)
  })
})
