import { expect, describe, it } from 'vitest'
import { expected, leaderBy, storyOf } from './oracle.ts'
import { headline, layoutShift, numbers, now, result, search, setUpDashboard } from './helpers.ts'

const exactOf = (text: string) => Number(text.replaceAll(',', ''))

describe.each([0, 1, 2, 7])('the story of seed %d', (seed) => {
  const { open } = setUpDashboard({ NOW: now, SEED: String(seed) })

  it.each([1, 3])(
    'has the headline and the numbers that follow from %d pages of each search',
    async (pages) => {
      const story = await storyOf(seed, now)
      const sides = [story.react, story.vue]
      const loaded = sides.map(({ length }) => Math.min(length, 20 * pages))
      const page = await open()
      await search(page, 'react', { versus: 'vue', pages })
      const said = await result(page)
      const { numbers: all, counted, earlier } = expected(sides, loaded, now)
      const isFew = all.some(({ posts }) => posts < 5)
      for (const [name, metric] of [
        ['Posts', 'posts'],
        ['Views', 'views'],
        ['Engagement', 'engagement'],
        ['Authors', 'authors'],
      ] as const) {
        const values = all.map((each) => each[metric])
        const [react, vue, leader] = await numbers(page, name)
        const shown = [react, vue].map((text) => exactOf(text!.split(' ')[0]!))
        expect(shown).toEqual(values)
        const before = [react, vue].map((text) => /from ([\d,]+)$/.exec(text!)?.[1])
        if (before.some(Boolean) || (seed === 0 && pages === 3))
          expect(before).toEqual(
            earlier.map((each, i) =>
              each[metric] === values[i] ? undefined : each[metric].toLocaleString('en'),
            ),
          )
        const times = /([\d.]+)×/.exec(leader!)?.[1]
        const ratio = Math.max(...shown) / Math.min(...shown)
        if (times) expect(ratio < 10 ? Math.round(10 * ratio) / 10 : Math.round(ratio)).toBe(Number(times))
        expect(leader).toMatch(
          isFew ? /^$/ : ([/^■ react/, /^▨ vue/][leaderBy(values) ?? -1] ?? /^(about )?level$/),
        )
      }
      const [loud, frequent] = (['views', 'posts'] as const).map(
        (metric) => ['react', 'vue'][leaderBy(all.map((each) => each[metric])) ?? -1],
      )
      expect(/(\w+) leads in (posts and )?views/.exec(said)?.[1]).toBe(isFew ? undefined : loud)
      expect(/(\w+) (leads )?in posts/.exec(said)?.[1]).toBe(isFew ? undefined : frequent)
      const lists = page.getByRole('region', { name: /^Posts about/ }).getByText(/\d posts? ·/)
      expect((await lists.allTextContents()).map((text) => text.split(' ')[0])).toEqual(
        counted.map(({ length }) => String(length)),
      )
    },
  )
})

describe('a comparison', () => {
  const { open, inject, sent } = setUpDashboard({ NOW: now })

  it('reads both sides at once, and says nothing before the first page of each is there', async () => {
    const page = await open('/?tab=search')
    const isSeen = Promise.withResolvers<void>()
    const isAnswered = page.waitForResponse((response) => response.url().endsWith('/tweets/search'))
    await page.route('**/tweets/search', async (route) => {
      if (route.request().postDataJSON().query === 'vue') await isSeen.promise
      await route.continue()
    })
    await search(page, 'react', { versus: 'vue', pages: 3 })
    await isAnswered
    expect(sent.slice(0, 2).map(({ query }) => query)).toEqual(['react', 'vue'])
    expect(await headline(page).textContent()).toBe('Loading posts…')
    expect(await page.locator('.ghost').count()).toBe(1)
    expect(await page.locator('.summary, .chart, .posts').count()).toBe(0)
    isSeen.resolve()
    expect(await result(page)).toMatch(/react|vue/)
  })

  it.each([
    [390, 844, 'vue'],
    [1280, 800, 'vue'],
    [1280, 844, ''],
  ])(
    'moves nothing while it loads slowly, and answers in the first screen of %d × %d (against %j)',
    async (width, height, versus) => {
      const page = await open('/?tab=search', { viewport: { width, height } })
      await inject({ delay: 700, times: 6 })
      await search(page, 'react', { versus, pages: 3 })
      await result(page)
      expect(await layoutShift(page)).toBeLessThanOrEqual(0.05)
      await page.reload()
      await result(page)
      expect(await layoutShift(page)).toBeLessThanOrEqual(0.1)
      const bottoms = await page.evaluate(() =>
        ['.verdict', '.summary', '.posts .card'].map(
          (each) => document.querySelector(each)!.getBoundingClientRect().bottom,
        ),
      )
      expect(bottoms[0]).toBeLessThan(height)
      if (width > 1000 && versus) expect(Math.max(...bottoms)).toBeLessThanOrEqual(height)
    },
  )

  it('of equal sides is about level, and long words and handles stay inside', async () => {
    const page = await open('/', { viewport: { width: 390, height: 844 } })
    await page.route('**/api/social/data/microblog/**', (route) => {
      const posts = Array.from({ length: 12 }, (_, i) => longPost(i))
      return route.fulfill({
        json: { requestId: 'req_1', posts, meta: { returnedCount: 12, hasMore: false } },
      })
    })
    await search(page, 'w'.repeat(79), { versus: 'tie' })
    expect(await result(page)).toBe('About level in posts and views')
    expect((await numbers(page, 'Views'))[2]).toBe('level')
    await page.getByText('1 reply').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
  })
})

/** A post whose words and handle are long. */
const longPost = (i: number) => ({
  ...{ id: String(i), author: 'h'.repeat(77), name: 'Name', body: 'w'.repeat(79), images: [], video: null },
  ...{ timestamp: `2026-11-${18 - i}T10:00:00.000Z`, url: 'https://microblog.example/x' },
  engagements: {
    ...{ bookmarkCount: 0, favoriteCount: 1, quoteCount: 0, replyCount: 1, retweetCount: 1, viewsCount: 9 },
  },
})
