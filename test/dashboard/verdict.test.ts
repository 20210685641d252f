import { afterEach, describe, expect, it, vi } from 'vitest'
import { verdictOf } from '../../examples/dashboard/src/headline.ts'
import { type Post, coveredBy, earlierOf, numbersOf } from '../../examples/dashboard/src/measure.ts'
import { rowsOf, within } from '../../examples/dashboard/src/measure.ts'
import { bucketsOf, dayName, dayOf, spanOf } from '../../examples/dashboard/src/period.ts'
import { listeners, storyBefore } from '../../examples/dashboard/story.ts'
import { type MicroblogPost, SocialSearch } from '../../src/index.ts'
import { postWith } from '../support/pages.ts'
import { createSandbox } from '../support/sandbox.ts'
import { expected, leaderBy, storyOf } from './oracle.ts'
import { now } from './helpers.ts'

// The page of these tests is in UTC, like its oracle.
vi.stubEnv('TZ', 'UTC')

const seeds = 80
const period = { from: '2026-10-22', to: '2026-11-18' }
const names = ['react', 'vue']

/** A post with so many views, on a day of November. */
function post(viewsCount: number, date = 1, author = `author ${viewsCount}`): MicroblogPost {
  const timestamp = `2026-11-${String(date).padStart(2, '0')}T12:00:00.000Z`
  return postWith(`${author}/${date}/${viewsCount}`, { viewsCount, favoriteCount: 0 }, { author, timestamp })
}
const posts = (count: number, views: number, days = 10) =>
  Array.from({ length: count }, (_, i) => post(views, 1 + (i % days), `author ${i}`))
const verdict = (react: Post[], vue: Post[], by?: 'engagement') => {
  const sides = [
    { query: 'react', posts: react },
    { query: 'vue', posts: vue },
  ]
  return verdictOf(sides, spanOf(period), { when: 'in 28 days', ...(by && { by }) })
}
afterEach(() => vi.useRealTimers())

it(`verdictOf() and the numbers agree with all posts of ${seeds} stories, whatever pages are loaded`, async () => {
  const kinds = new Set<string>()
  for (let seed = 1; seed <= seeds; seed++) {
    const story = await storyOf(seed, now, { posts: 1000 })
    const sides = [story.react, story.vue]
    const loaded = sides.map(({ length }, i) => Math.min(length, 20 * (1 + ((seed + i) % 5))))
    const results = sides.map((posts, i) => {
      const isComplete = loaded[i] === posts.length
      return { query: names[i]!, posts: posts.slice(0, loaded[i]), isLoaded: true, isComplete }
    })
    const span = coveredBy(results, period)
    const found = results.map((result) => within(result, span))
    const { from, counted, numbers } = expected(sides, loaded, now)
    const about = `seed ${seed}`
    expect(span.from, about).toBe(from)
    expect(found.map(numbersOf), about).toEqual(numbers)
    const buckets = bucketsOf(period, 'days')
    const rows = rowsOf(results, { covered: span, buckets, unit: 'days', metric: 'posts' })
    for (const [i] of names.entries())
      expect(
        rows.reduce((sum, { values }) => sum + (values[i] ?? 0), 0),
        about,
      ).toBe(numbers[i]!.posts)
    // A bar without a note has all posts of its day.
    for (const { bucket, values, part } of rows.slice(0, -1))
      if (part === '')
        expect(values, about).toEqual(
          sides.map((posts) => posts.filter(({ timestamp }) => timestamp.startsWith(bucket)).length),
        )

    const sidesFound = found.map((posts, i) => ({ query: names[i]!, posts }))
    const { headline, why } = verdictOf(sidesFound, span, { when: 'in 28 days' })
    const leader = (metric: keyof (typeof numbers)[number]) =>
      names[leaderBy(numbers.map((each) => each[metric])) ?? -1]
    const [loud, frequent] = [leader('views'), leader('posts')]
    const counts = numbers.map(
      ({ posts }, i) => `${posts} ${posts === 1 ? 'post' : 'posts'} about ${names[i]}`,
    )
    const kind = numbers.some(({ posts }) => posts < 5)
      ? `${counts.join(', ')} in 28 days`
      : !loud && !frequent
        ? 'About level in posts and views'
        : loud === frequent
          ? `${loud} leads in posts and views`
          : loud
            ? `${loud} leads in views${frequent ? `, ${frequent} in posts` : ''}`
            : `${frequent} leads in posts`
    expect(headline, about).toBe(kind)
    kinds.add(kind.replaceAll(/react|vue|\d+/g, '_'))

    const driver = /(\w+): .*\. (\d+) posts? of (\w+\s\d+) got (\d+)% of its views/.exec(why)
    if (driver) {
      const [, query, count, name, percent] = driver
      const all = counted[names.indexOf(query!)]!
      const byDay = Map.groupBy(all, ({ timestamp }) => dayName(timestamp.slice(0, 10)))
      const views = (posts: MicroblogPost[]) => numbersOf(posts).views
      const best = byDay.get(name!)!
      expect([best.length, Math.floor((100 * views(best)) / views(all))], about).toEqual([
        Number(count),
        Number(percent),
      ])
      expect(views(best), about).toBe(Math.max(...[...byDay.values()].map(views)))
      const without = counted.map((posts) =>
        views(posts.filter(({ timestamp }) => dayName(timestamp.slice(0, 10)) !== name)),
      )
      const next = names[leaderBy(without) ?? -1]
      const flips = /without which (\w+ leads|they are about level)/.exec(why)?.[1]
      expect(flips, about).toBe(next === query ? undefined : next ? `${next} leads` : 'they are about level')
      if (flips) kinds.add('flips')
    }
  }
  expect(kinds.size, JSON.stringify([...kinds])).toBeGreaterThanOrEqual(6)
  expect(kinds.has('flips')).toBe(true)
})

describe('verdictOf()', () => {
  it('says why: by how much, and the day with a third of the views or more', () => {
    const launch = [...posts(9, 100), post(1100, 3, 'launch')]
    expect(verdict(launch, posts(20, 45)).why).toBe(
      'react: 2.2× the views. 2 posts of Nov\u00a03 got 60% of its views, without which they are about level.',
    )
    expect(verdict(launch, posts(20, 70)).why).toMatch(/, without which vue leads\.$/)
    expect(verdict(launch, posts(20, 30)).why).toMatch(/60% of its views\.$/)
    expect(verdict(posts(10, 165), posts(10, 100)).why).toBe('react: 1.7× the views.')
  })

  it('speaks of engagement on a network that counts no views', () => {
    const liked = (count: number, favoriteCount: number): Post[] =>
      posts(count, 0).map((each) => ({ ...each, engagements: { ...each.engagements, favoriteCount } }))
    const said = verdict(liked(10, 30), liked(10, 10), 'engagement')
    expect(said).toEqual({ headline: 'react leads in engagement', why: 'react: 3× the engagement.' })
  })

  it('names no day as the driver that is loaded in part, and says of today that it goes on', () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-10T15:00:00Z') })
    const sides = (day: number) => [{ query: 'react', posts: [...posts(9, 100), post(1100, day, 'launch')] }]
    const all = spanOf({ from: '2026-10-22', to: '2026-11-10' })
    const why = (day: number, from = all.from) => verdictOf(sides(day), { ...all, from }, { when: '' }).why
    expect(why(3)).toMatch(/^2 posts of Nov.3 got \d+% of the views/)
    expect(why(10)).toMatch(/1 post of Nov.10 so far got \d+% of the views/)
    expect(why(3, Date.parse('2026-11-03T11:00:00Z'))).not.toMatch(/got/)
    expect(why(8, Date.parse('2026-11-07T00:00:00Z'))).toMatch(/got/)
    // Of two whole days, one always has more.
    expect(why(8, Date.parse('2026-11-07T11:00:00Z'))).not.toMatch(/got/)
  })
})

describe('what is covered', () => {
  const result = (query: string, posts: MicroblogPost[], isComplete: boolean) => ({
    ...{ query, posts, isComplete, isLoaded: true },
  })
  const results = [
    result('react', [post(1, 9), post(1, 4)], false),
    result('vue', [post(1, 9), post(1, 2)], true),
  ]
  const november = { from: '2026-11-01', to: '2026-11-10' }

  it('coveredBy() begins where every search has all posts, and rowsOf() leaves out the days before, unless they are on their way', () => {
    const covered = coveredBy(results, november)
    expect(covered.from).toBe(Date.parse('2026-11-04T12:00:00Z'))
    const buckets = bucketsOf(november, 'days')
    const rows = rowsOf(results, { covered, buckets, unit: 'days', metric: 'posts' })
    expect(rows.slice(0, 2)).toEqual([
      { bucket: '2026-11-04', values: [1, 0], part: 'from Nov\u00a04,\u00a012:00\u00a0PM\u00a0UTC' },
      { bucket: '2026-11-05', values: [0, 0], part: '' },
    ])
    const growing = rowsOf(results, { covered, buckets, unit: 'days', metric: 'posts', isGrowing: true })
    expect(growing.map(({ bucket }) => bucket)).toEqual(buckets)
    expect(growing[0]).toEqual({ bucket: '2026-11-01', values: [null, null], part: '' })
    expect(growing.slice(3)).toEqual(rows)
  })

  it('weeks and months say what the period or the clock cuts off', () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-10T15:00:00Z') })
    const parts = (unit: 'weeks' | 'months', period = november) => {
      const covered = coveredBy([result('vue', [], true)], period)
      const buckets = bucketsOf(period, unit)
      return rowsOf(results, { covered, buckets, unit, metric: 'posts' }).map(({ part }) => part)
    }
    expect(parts('weeks')).toEqual(['from Nov\u00a01', '', 'so far'])
    expect(parts('months')).toEqual(['so far'])
    expect(parts('weeks', { from: '2026-10-19', to: '2026-11-04' })).toEqual(['', '', 'to Nov\u00a04'])
  })

  it('earlierOf() ends at the same hour as a period that goes on', () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-10T15:00:00Z') })
    expect(earlierOf(november)).toEqual({
      from: Date.parse('2026-10-22T00:00:00Z'),
      until: Date.parse('2026-10-31T15:00:00Z'),
    })
  })

  it.each([
    ['Pacific/Auckland', '2026-11-18', '2026-11-17T11:00:00Z'],
    ['Asia/Kolkata', '2026-11-17', '2026-11-16T18:30:00Z'],
    ['America/Los_Angeles', '2026-11-17', '2026-11-17T08:00:00Z'],
  ])('days begin at midnight in %s, also when clocks change', (zone, day, start) => {
    vi.stubEnv('TZ', zone)
    expect(dayOf('2026-11-17T14:30:00Z')).toBe(day)
    expect(spanOf({ from: day, to: day }).from).toBe(Date.parse(start))
    for (const change of ['2026-09-27', '2026-11-01'])
      expect(dayOf(spanOf({ from: change, to: change }).until - 1)).toBe(change)
    vi.stubEnv('TZ', 'UTC')
  })
})

it('each mention of the microblog is a post that a search for the word of its listener finds', async () => {
  const sandbox = createSandbox({ seed: 0, now: new Date(now), content: { listeners } })
  sandbox.publish(storyBefore(new Date(now)))
  const client = new SocialSearch(sandbox.clientOptions())
  const found = await client.mentions.list({ network: 'microblog' }).toArray({ limit: 500 })
  const posts = await storyOf(0, now)
  const urls = { lis_react: posts.react, lis_vue: posts.vue }
  expect(found.length).toBeGreaterThan(20)
  for (const { url, listenerId } of found)
    expect(urls[listenerId as keyof typeof urls].map((post) => post.url)).toContain(url)
})
