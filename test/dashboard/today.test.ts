import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { layoutShift, now, setUpDashboard } from './helpers.ts'

const { open, sent } = setUpDashboard({ NOW: now })
const day = 86_400_000
const end = Date.parse(now)

interface Made {
  id: string
  publishedAt: string
  state: string
  listenerId: string
  fitScore: number
  text: string
}

/** Mentions of 40 days, newest first, of which one day has more. */
function made(count: number): Made[] {
  const times = Array.from({ length: count }, (_, i) =>
    i % 9 === 0 ? end - 5 * day - (i % 1000) * 1000 : end - (40 * day * i) / count,
  ).sort((a, b) => b - a)
  return times.map((time, i) => ({
    ...{ id: `men_${i}`, publishedAt: new Date(time).toISOString(), state: i % 3 ? 'new' : 'seen' },
    ...{ listenerId: i % 4 ? 'lis_react' : 'lis_vue', fitScore: (i * 7919) % 101, text: `mention ${i}` },
  }))
}

/** Answers as the service does: pages of 100, and a free count. */
async function serve(page: Page, all: Made[]): Promise<void> {
  await page.route(/\/api\/social\/mentions/, (route) => {
    const { pathname, searchParams } = new URL(route.request().url())
    const wanted = all.filter(({ state }) => state === (searchParams.get('state') ?? state))
    if (pathname.endsWith('/count')) return route.fulfill({ json: { requestId: 'r', count: wanted.length } })
    const from = Number(searchParams.get('cursor') ?? 0)
    const mentions = all.slice(from, from + 100)
    const meta = { hasMore: from + 100 < all.length, nextCursor: String(from + 100) }
    return route.fulfill({ json: { requestId: 'r', mentions, meta } })
  })
}

it.each([50, 5000, 100_000])(
  'the ten figures of the first view follow from the answers with %d mentions',
  async (count) => {
    const all = made(count)
    const page = await open('/?tab=search')
    await serve(page, all)
    await page.getByRole('button', { name: 'today' }).click()
    const facts = page.locator('.fact')
    await facts.first().waitFor()
    await page.getByRole('button', { name: 'vue', exact: true }).waitFor()

    const loaded = all.slice(0, 500)
    const isAll = loaded.length === all.length
    const from = isAll ? -Infinity : Date.parse(loaded.at(-1)!.publishedAt)
    const midnight = Date.parse(now.slice(0, 10))
    const ofDay = (start: number) =>
      loaded.filter(({ publishedAt }) => {
        const time = Date.parse(publishedAt)
        return time >= start && time < start + day
      }).length
    const starts = Array.from({ length: 29 }, (_, i) => midnight - i * day).filter((start) => start >= from)
    const past = starts.filter((start) => start < midnight).map(ofDay)
    const mean = past.reduce((a, b) => a + b, 0) / past.length
    const spike = Math.max(0, ...starts.map(ofDay))
    const number = (value: number) => value.toLocaleString('en')
    const rounded = (value: number) => Math.round(10 * value) / 10
    await expect.poll(() => facts.first().innerText()).toContain(`of ${number(count)}, all time`)
    const texts = await facts.allInnerTexts()
    const isUnseen = ({ state }: Made) => state === 'new'
    expect(texts[0]!.split('\n').at(1)).toBe(number(all.filter(isUnseen).length))
    expect(texts[1]!.split('\n').at(1)).toBe(number(ofDay(midnight)) + (from > midnight ? '+' : ''))
    expect(texts[1]).toContain(past.length > 0 ? `${number(rounded(mean))} a day` : 'no full day is loaded')
    if (past.length > 0)
      expect(texts[1]).toContain(past.length === 28 ? 'in four weeks' : `in the last ${past.length} days`)
    expect(texts[2]?.split('\n').at(1)).toBe(spike > 0 ? number(spike) : undefined)
    if (mean > 0 && spike >= 5) expect(texts[2]).toContain(`${rounded(spike / mean)}×`)
    const vue = loaded.filter(({ listenerId }) => listenerId === 'lis_vue').length
    const line = page.locator('.listeners li', { has: page.getByText('vue', { exact: true }) })
    expect(await line.innerText()).toMatch(
      new RegExp(`\\b${vue}\\s+${Math.round((100 * vue) / loaded.length)}%`),
    )
    const best = loaded
      .filter((each) => isUnseen(each) && Date.parse(each.publishedAt) >= midnight - 28 * day)
      .toSorted((a, b) => b.fitScore - a.fitScore)
    expect(await page.locator('.mention .text').allTextContents()).toEqual(
      best.slice(0, 5).map(({ text }) => text),
    )
    expect(await page.getByText(/newest 500 are loaded/).count()).toBe(isAll ? 0 : 1)

    const of = past.length === 28 ? 'four weeks' : `the newest ${loaded.length}`
    await page.getByRole('heading', { name: `Best fit of ${of}` }).waitFor()
    await page.getByRole('button', { name: 'All mentions' }).click()
    const unseen = number(all.filter(isUnseen).length)
    await page.getByText(`${unseen} of ${number(count)} mentions unseen`).waitFor()
    // No axis over days that are not loaded, and no chart of less than two whole days.
    expect(await page.locator('.bucket').count()).toBe(starts.length < 3 ? 0 : starts.length)
    const charted = loaded.filter(({ publishedAt }) => Date.parse(publishedAt) >= starts.at(-1)!)
    const title = `${charted.filter(isUnseen).length} unseen of ${charted.length}`
    expect(await page.getByRole('heading', { name: title }).count()).toBe(starts.length < 3 ? 0 : 1)
    if (!isAll) {
      await page.getByRole('button', { name: 'Load 500 more · free' }).click()
      await page.getByText('Only the newest 1,000 are loaded').waitFor()
    }
    await page.getByLabel('Listener').selectOption('vue')
    await page.getByLabel('Fit').selectOption('Fit of 50 or more')
    const found = all.slice(0, 1000).filter((each) => each.listenerId === 'lis_vue' && each.fitScore >= 50)
    const more = isAll ? '' : 'more than '
    await page
      .getByText(`${found.filter(isUnseen).length} of ${more}${found.length} mentions unseen`)
      .waitFor()
  },
)

it('of 100,000 mentions, nothing moves when their count and their listeners arrive late', async () => {
  const page = await open('/?tab=search', { viewport: { width: 390, height: 844 } })
  await serve(page, made(100_000))
  await page.route(/\/api\/social\/(mentions\/count|listeners)/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 600))
    return route.fallback()
  })
  await page.goto(`${page.url().split('?')[0]}?tab=mentions`)
  await page.getByText('of 100,000 mentions unseen').waitFor()
  await page
    .locator('.mention .fit', { hasText: /react|vue/ })
    .first()
    .waitFor()
  expect(await layoutShift(page)).toBeLessThanOrEqual(0.1)
})

it('the first view is free, says that its data is made up, and its first mentions stand in the first screen', async () => {
  const page = await open('/', { viewport: { width: 1280, height: 800 } })
  await page.locator('.mention').nth(4).waitFor()
  await page.getByText('Demo data').waitFor()
  const box = await page.locator('.mention').nth(4).boundingBox()
  expect(box!.y + box!.height).toBeLessThan(800)
  expect(sent).toEqual([])
  expect(await layoutShift(page)).toBeLessThanOrEqual(0.1)
})

it('an empty inbox offers no filter and no chart, and says why', async () => {
  const page = await open('/?tab=search')
  await serve(page, [])
  await page.getByRole('button', { name: 'mentions' }).click()
  await page.getByText('Your listeners have found nothing yet.').waitFor()
  await page.getByText(/^Listening for .react., .vue., .typescript., .coffee.\.$/).waitFor()
  expect(await page.locator('select, .chart, kbd').count()).toBe(0)
  expect(await page.locator('main').innerText()).not.toMatch(/\d/)
})

it('three mentions make no chart, no filter and no busiest day', async () => {
  const page = await open('/?tab=search')
  await serve(page, made(3))
  await page.getByRole('button', { name: 'today' }).click()
  await page.locator('.mention').first().waitFor()
  expect(await page.locator('.fact').count()).toBe(2)
  await page.getByRole('button', { name: 'All mentions' }).click()
  await page.getByText('2 of 3 mentions unseen').waitFor()
  expect(await page.locator('select, .chart').count()).toBe(0)
})

it('the first view folds the filters of the search, whose button is quiet, until a word is there', async () => {
  const page = await open('/')
  await page.locator('.mention').first().waitFor()
  const [filters, button] = [page.getByLabel('Language'), page.getByRole('button', { name: /^Search ·/ })]
  expect(await filters.isVisible()).toBe(false)
  expect(await button.getAttribute('class')).not.toContain('primary')
  await page.getByLabel('Search posts').fill('coffee')
  await filters.waitFor()
  expect(await button.getAttribute('class')).toContain('primary')
})
