import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { hasFocus, headline, now, result, search, setUpDashboard, tabTo } from './helpers.ts'

const { open, sent, budget } = setUpDashboard({ NOW: now, CREDITS: '100' })
const comparison = { versus: 'vue', pages: 3 }
const spent = async () => (await budget()).spent

async function csv(page: Page, query: string): Promise<Record<string, string>[]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: `CSV of ${query}` }).press('Enter')
  return parse(readFileSync(await (await download).path()), { columns: true })
}

const figure = async (page: Page, query: string, name: string) =>
  page
    .getByRole('region', { name: 'Summary' })
    .getByRole('article')
    .filter({ has: page.getByRole('heading', { name: query }) })
    .locator('dl div')
    .filter({ hasText: name })
    .locator('dd')
    .allTextContents()

it('the page buys nothing when you type, pick an idea or change a filter, and what the button says on Enter', async () => {
  const page = await open()
  await page.getByLabel('Search posts').pressSequentially('coffee', { delay: 50 })
  await page.getByRole('button', { name: 'react or vue' }).click()
  await page.getByRole('button', { name: 'Compare · up to 12 credits' }).waitFor()
  await page.getByRole('button', { name: '90 days' }).click()
  await page.getByRole('button', { name: 'climate' }).click()
  await page.getByRole('button', { name: 'Search · up to 6 credits' }).waitFor()
  await page.getByLabel('Posts of each search').selectOption('1')
  await page.getByRole('button', { name: 'Search · 2 credits' }).waitFor()
  expect(sent).toEqual([])

  await search(page, 'climate')
  await result(page)
  expect(sent).toHaveLength(1)
  expect(await spent()).toBe(2)
  await page.getByText('98 credits left').waitFor()
})

it('a comparison says who leads, with numbers that agree with the table and the CSV', async () => {
  const page = await open()
  await search(page, 'react', comparison)
  const said = await result(page)
  await page.getByText('Show as a table').click()
  const totals: number[] = []
  for (const [column, query] of ['react', 'vue'].entries()) {
    const counts = await page.locator(`tbody td:nth-child(${column + 2})`).allTextContents()
    const total = counts.reduce((sum, count) => sum + Number(count), 0)
    const rows = await csv(page, query)
    expect(rows).toHaveLength(total)
    const [posts, change] = await figure(page, query, 'Posts')
    expect(Number(posts)).toBe(total)
    expect(change).toMatch(/▲ up \d+ %/)
    const [authors] = await figure(page, query, 'Authors')
    expect(Number(authors)).toBe(new Set(rows.map(({ author }) => author)).size)
    totals.push(total)
  }
  const [react = 0, vue = 0] = totals
  const share = Math.round((100 * vue) / (react + vue))
  expect(vue).toBeGreaterThan(react)
  expect(said).toBe(`vue leads with ${share}% of ${react + vue} posts in 28 days`)
  expect(await figure(page, 'vue', 'Share of voice')).toEqual([`${share}%`])
  expect(await figure(page, 'react', 'Share of voice')).toEqual([`${100 - share}%`])
})

it('a reload, the back button and a pasted link show the same, and cost nothing', async () => {
  const page = await open()
  await search(page, 'react', comparison)
  const said = await result(page)
  const before = await spent()
  sent.length = 0
  await page.reload()
  expect(await result(page)).toBe(said)
  await page.getByRole('button', { name: 'mentions' }).click()
  await page.getByRole('heading', { name: 'Mentions' }).waitFor()
  await page.goBack()
  expect(await result(page)).toBe(said)

  const { search: link } = new URL(page.url())
  const other = await open(`/${link}`)
  expect(await result(other)).toBe(said)
  expect(await other.getByLabel('Search posts').inputValue()).toBe('react')
  expect(sent).toEqual([])
  expect(await spent()).toBe(before)
})

it('a link to a search that nobody has bought buys nothing', async () => {
  const before = await spent()
  const page = await open('/?q=gardening&since=2026-11-01&until=2026-11-18')
  await page.getByText('Not bought yet').waitFor()
  expect(sent).toEqual([])
  expect(await spent()).toBe(before)
})

it('a bar leads to its posts and is marked, and the address holds it', async () => {
  const page = await open()
  await search(page, 'react', comparison)
  await result(page)
  const bars = page.locator('.recharts-bar').first().locator('.recharts-bar-rectangle path')
  const heights = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().height))
  await bars.nth(heights.indexOf(Math.max(...heights))).click()
  await page.getByRole('heading', { name: 'Posts of Nov 3' }).waitFor()
  const opacities = await bars.evaluateAll((all) => all.map((bar) => bar.getAttribute('fill-opacity')))
  expect(opacities.filter((opacity) => opacity === '1')).toHaveLength(1)
  const rows = await csv(page, 'react')
  expect(rows.length).toBeGreaterThan(4)
  expect(rows.every(({ timestamp }) => timestamp?.startsWith('2026-11-03'))).toBe(true)
  await page.reload()
  await page.getByRole('heading', { name: 'Posts of Nov 3' }).waitFor()
  await page.getByRole('button', { name: 'Show all days' }).click()
  const title = page.getByRole('heading', { name: 'Posts of 28 days' })
  expect(await hasFocus(title)).toBe(true)
})

it('partial results say so, and "More posts" buys one page and keeps the focus', async () => {
  const page = await open()
  await search(page, 'coffee')
  expect(await result(page)).toMatch(/posts about coffee since Nov 1\d/)
  await page.getByText(/The newest 20 of more posts, complete since Nov 1\d/).waitFor()
  expect(await figure(page, 'coffee', 'Posts')).toEqual(['20+', ''])
  const before = await spent()
  const more = page.getByRole('button', { name: 'More posts · 2 credits' })
  await more.press('Enter')
  await page.getByText('The newest 40 of more posts').waitFor()
  expect(await hasFocus(more)).toBe(true)
  expect(await spent()).toBe(before + 2)
})

it('posts come by likes, views or time, and all of them on request', async () => {
  const page = await open()
  await search(page, 'coffee')
  await result(page)
  const likes = async () => {
    const texts = await page.locator('.posts footer span:first-child').allTextContents()
    return texts.map((text) => Number.parseFloat(text) * (text.includes('K') ? 1000 : 1))
  }
  const top = await likes()
  expect(top).toHaveLength(4)
  expect(top).toEqual(top.toSorted((a, b) => b - a))
  const all = page.getByRole('button', { name: 'Show all 20 posts' })
  await all.press('Enter')
  expect(await likes()).toHaveLength(20)
  expect(await hasFocus(page.getByRole('button', { name: 'Show the first 4' }))).toBe(true)
  await page.getByLabel('Order').selectOption('Newest')
  const times = await page
    .locator('.posts time')
    .evaluateAll((each) => each.map((time) => time.getAttribute('datetime') ?? ''))
  expect(times).toEqual(times.toSorted().reverse())
})

it('a search has the filters of the form, and begins with the period before', async () => {
  const page = await open()
  await page.getByLabel('Language').selectOption('English')
  await page.getByLabel('Since').fill('2026-11-05')
  await page.getByLabel('Until').fill('2026-11-04')
  await page.getByRole('checkbox', { name: 'No replies' }).check()
  await search(page, 'cycling')
  const until = page.getByLabel('Until')
  expect(await until.evaluate((input: HTMLInputElement) => input.validationMessage)).toBe(
    'Until must not be before Since',
  )
  expect(sent).toEqual([])

  await until.fill('2026-11-14')
  await search(page, 'cycling')
  await result(page)
  const filters = { since: '2026-10-26', until: '2026-11-15', lang: 'en', removeReplies: true }
  expect(sent).toEqual([{ query: 'cycling', category: 'Latest', filters }])
})

it('a saved search is there after a reload, and picking it buys nothing', async () => {
  const page = await open()
  await page.getByLabel('Search posts').fill('travel')
  await page.getByRole('checkbox', { name: 'No replies' }).check()
  const save = page.getByRole('button', { name: 'Save this search' })
  await save.press('Enter')
  expect(await hasFocus(page.getByRole('button', { name: 'Saved', exact: true }))).toBe(true)
  await page.reload()
  await page.getByRole('button', { name: 'travel, 28 days, no replies', exact: true }).click()
  await page.getByText('Not bought yet').waitFor()
  expect(await page.getByRole('checkbox', { name: 'No replies' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Remove travel, 28 days, no replies' }).press('Enter')
  expect(await hasFocus(page.getByLabel('Search posts'))).toBe(true)
  await page.goto(page.url().split('?')[0]!)
  await page.getByText('What are people saying?').waitFor()
  expect(await page.getByLabel('Saved searches').count()).toBe(0)
  expect(sent).toEqual([])
})

it('the keyboard alone finds a post, exports CSV and marks a mention', async () => {
  const page = await open()
  await tabTo(page, page.getByLabel('Search posts'))
  await page.keyboard.type('coffee')
  await page.keyboard.press('Enter')
  await headline(page).waitFor()
  await result(page)
  const download = page.waitForEvent('download')
  await tabTo(page, page.getByRole('button', { name: 'CSV of coffee' }))
  await page.keyboard.press('Enter')
  expect((await download).suggestedFilename()).toBe('coffee.csv')
  const link = page.locator('.posts a').first()
  await tabTo(page, link)
  expect(await link.getAttribute('href')).toContain('/status/')

  await page.reload()
  await tabTo(page, page.getByRole('button', { name: 'mentions' }))
  await page.keyboard.press('Enter')
  const seen = page.locator('.mention').first().getByRole('button', { name: 'Seen' })
  await seen.waitFor()
  await tabTo(page, seen)
  await page.keyboard.press('Enter')
  await page.getByText('1 marked as seen').waitFor()
  expect(await hasFocus(seen)).toBe(true)
})
