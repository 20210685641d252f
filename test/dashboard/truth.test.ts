import { expect, describe, it } from 'vitest'
import { postWith } from '../support/pages.ts'
import { headline, layoutShift, numbers, now, result, search, searched, setUpDashboard } from './helpers.ts'

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
      await searched(page, 'react', { versus, pages: 3 })
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
    const posts = Array.from({ length: 12 }, (_, i) => longPost(i))
    const json = { requestId: 'req_1', posts, meta: { returnedCount: 12, hasMore: false } }
    await page.route('**/api/social/data/microblog/**', (route) => route.fulfill({ json }))
    expect(await searched(page, 'w'.repeat(79), { versus: 'tie' })).toBe('About level in posts and views')
    expect((await numbers(page, 'Views'))[2]).toBe('level')
    await page.getByText('1 reply').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
  })
})

/** A post whose words and handle are long. */
const longPost = (i: number) =>
  postWith(
    String(i),
    { replyCount: 1, retweetCount: 1 },
    { author: 'h'.repeat(77), body: 'w'.repeat(79), timestamp: `2026-11-${18 - i}T10:00:00.000Z` },
  )
