import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { hasFocus, headline, layoutShift, numbers, now, plain } from './helpers.ts'
import { result, search, searched, setUpDashboard, tabTo } from './helpers.ts'

const { open, sent, budget } = setUpDashboard({ NOW: now, CREDITS: '100' })
const comparison = { versus: 'vue', pages: 3 }
const spent = async () => (await budget()).spent

async function csv(page: Page, query: string): Promise<Record<string, string>[]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: `CSV of ${query}` }).press('Enter')
  return parse(readFileSync(await (await download).path()), { columns: true })
}

it('the page buys nothing when you type, pick an idea or change a filter, and what the button says on Enter', async () => {
  const page = await open('/?tab=search')
  await page.getByLabel('Search posts').pressSequentially('coffee', { delay: 50 })
  await page.getByRole('button', { name: 'react vs vue' }).click()
  await page.getByRole('button', { name: 'Compare · up to 12 credits' }).waitFor()
  await page.getByRole('button', { name: '90 days' }).click()
  await page.getByRole('button', { name: 'climate' }).click()
  await page.getByRole('button', { name: 'Search · up to 6 credits' }).waitFor()
  await page.getByLabel('Posts of each search').selectOption('1')
  await page.getByRole('button', { name: 'Search · 2 credits' }).waitFor()
  expect(sent).toEqual([])

  await searched(page, 'climate')
  expect(sent).toHaveLength(1)
  expect(await spent()).toBe(2)
  await page.getByText('98 of 100 credits left').waitFor()
})

it('any number can be plotted, and the bars add up to it', async () => {
  const page = await open()
  await searched(page, 'react', comparison)
  await page.locator('.plot summary').click()
  for (const [column, query] of ['react', 'vue'].entries()) {
    const cells = await page.locator(`details tbody td:nth-child(${column + 2})`).allTextContents()
    const total = cells.reduce((sum, count) => sum + Number(count), 0)
    expect(await csv(page, query)).toHaveLength(total)
    expect((await numbers(page, 'Posts'))[column]).toMatch(new RegExp(`^${total} ▲ up from \\d+$`))
  }
  await page.getByLabel('Number', { exact: true }).selectOption('Views')
  await page.getByRole('heading', { name: 'Views by day' }).waitFor()
  expect(await page.locator('.legend').innerText()).toMatch(/, peak [\d,]+, \w+\s\d+/)
})

it('a reload, the back button and a pasted link show the same, and cost nothing', async () => {
  const page = await open()
  const said = await searched(page, 'react', comparison)
  const before = await spent()
  sent.length = 0
  // Nothing is left to pay for: the button says so, and a press costs nothing.
  const button = page.locator('form button[aria-disabled]')
  expect(await button.innerText()).toBe('Compare · free (already loaded)')
  await button.press('Enter')
  await page.reload()
  expect(await result(page)).toBe(said)
  await page.getByRole('button', { name: 'Compare · free' }).click()
  expect(await result(page)).toBe(said)
  expect(await spent()).toBe(before)
  await page.getByRole('button', { name: 'mentions', exact: true }).click()
  await page.getByText(/mentions unseen/).waitFor()
  expect(await page.title()).toBe('mentions · Social search')
  await page.goBack()
  expect(await result(page)).toBe(said)

  const { search: link } = new URL(page.url())
  const other = await open(`/${link}`)
  expect(await result(other)).toBe(said)
  expect(await other.title()).toBe('react vs vue · Social search')
  expect(await other.getByLabel('Search posts').inputValue()).toBe('react')
  expect(sent).toEqual([])
  expect(await spent()).toBe(before)
})

it('a word of a comparison that is here is free beside another word, and alone', async () => {
  const page = await open()
  await searched(page, 'react', comparison)
  const before = await spent()
  await page.getByLabel('Search posts').fill('painting')
  await page.getByRole('button', { name: 'Compare · up to 6 credits' }).waitFor()
  await page.getByLabel('Compare with').fill('')
  await page.getByRole('button', { name: 'Search · up to 6 credits' }).waitFor()
  await page.getByLabel('Search posts').fill('vue')
  await page.getByRole('button', { name: 'Search · free (already loaded)' }).click()
  await page.getByText(/^\d+ posts about .vue. in 28 days$/).waitFor()
  expect(await spent()).toBe(before)
})

it('a link to a search that nobody has bought buys nothing', async () => {
  const before = await spent()
  const page = await open('/?q=gardening&since=2026-11-01&until=2026-11-18')
  await page.getByText('Not loaded yet.').waitFor()
  expect(await page.locator('.summary, .chart, .posts, .ghost').count()).toBe(0)
  expect(await layoutShift(page)).toBeLessThanOrEqual(0.05)
  expect(sent).toEqual([])
  expect(await spent()).toBe(before)
})

it('the form says which network it searches, and offers the other at its price', async () => {
  const page = await open()
  const network = page.getByLabel('Network')
  await search(page, 'react')
  expect(await network.locator('option').allInnerTexts()).toEqual([
    'Microblog · 2 credits a page',
    'Professional network · 4 credits a page',
  ])
  expect(await network.inputValue()).toBe('microblog')
  await result(page)
  const before = await spent()
  sent.length = 0
  await network.selectOption('professionalnet')
  await page.locator('.stale').waitFor()
  expect(await page.getByLabel('Language').count()).toBe(0)
  expect(await spent()).toBe(before)
  await page.getByRole('button', { name: 'Search · 4 credits' }).press('Enter')
  await page.locator('.stale').waitFor({ state: 'detached' })
  const said = await result(page)
  expect(said).toMatch(/^\d+ posts about react since/)
  expect(await spent()).toBe(before + 4)
  expect(sent).toEqual([])
  expect(await page.locator('.facts dt').allTextContents()).toEqual(['Posts', 'Engagement', 'Authors'])
  expect(await page.locator('.posts footer').first().innerText()).toMatch(
    /^\S+ likes?\s+\S+ shares?\s+\S+ comments?$/,
  )
  expect(Object.keys((await csv(page, 'react'))[0]!)).toContain('social_details.numLikes')
  await page.reload()
  expect(await result(page)).toBe(said)
  expect(await network.inputValue()).toBe('professionalnet')
  expect(await spent()).toBe(before + 4)
})

it('a post without a readable date is counted nowhere, and the list says so', async () => {
  const page = await open()
  await page.route('**/professionalnet/posts/search', async (route) => {
    const response = await route.fetch()
    if (response.status() !== 200) return route.fulfill({ response })
    const body = await response.json()
    body.posts[3].postedAt = body.posts.at(-1).postedAt = '2w'
    return route.fulfill({ response, json: body })
  })
  await page.getByLabel('Search posts').fill('coffee')
  await page.getByLabel('Network').selectOption('professionalnet')
  await searched(page, 'coffee')
  const rows = await csv(page, 'coffee')
  expect(rows.map(({ postedAt }) => postedAt)).not.toContain('2w')
  expect((await numbers(page, 'Posts'))[0]).toMatch(new RegExp(`^${rows.length}\\b`))
  await page.getByText(/, 2 more without a date/).waitFor()
})

it('a bar shows the numbers and posts of its day, moves nothing, and the address holds it', async () => {
  const page = await open('/', { viewport: { width: 1280, height: 800 } })
  const before = await searched(page, 'react', comparison)
  const bars = page.locator('.bucket .s0')
  const heights = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().height))
  const bar = bars.nth(heights.indexOf(Math.max(...heights)))
  const place = await bar.boundingBox()
  await bar.click()
  await page.getByRole('heading', { name: 'Posts of Nov 3' }).waitFor()
  expect(await bar.boundingBox()).toEqual(place)
  const rows = await csv(page, 'react')
  expect(rows.length).toBeGreaterThan(4)
  expect(rows.every(({ timestamp }) => timestamp?.startsWith('2026-11-03'))).toBe(true)
  expect(plain(await headline(page).textContent())).toBe(before)
  expect(plain(await page.locator('.legend').innerText())).toMatch(
    new RegExp(`Nov 3:.*react\\s+${rows.length}\\s`, 's'),
  )
  const first = await page.locator('.posts .card').first().boundingBox()
  expect(first!.y + first!.height).toBeLessThan(800)
  await page.reload()
  await result(page)
  await page.getByRole('button', { name: 'Show all days' }).press('Enter')
  const title = page.getByRole('heading', { name: 'Posts', exact: true })
  expect(await hasFocus(title)).toBe(true)
})

it.each([390, 1280])('bars have 4 pixels or more at %d px, whatever the address asks for', async (width) => {
  const page = await open('/', { viewport: { width, height: 844 } })
  await searched(page, 'react', { versus: 'vue', pages: 1 })
  for (const query of ['&since=2026-08-20&by=days', '&since=2021-01-01&by=days', '&by=days']) {
    await page.goto(page.url().replace(/&since=[^&]*|&by=[^&]*/g, '') + query)
    await result(page)
    const bars = page.locator('.bucket .bar')
    const widths = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width))
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(4)
  }
})

it('what is partial says so once, and "Load more" buys one page of each search that lacks posts', async () => {
  const page = await open()
  expect(await searched(page, 'coffee')).toMatch(/^20 posts about coffee since Nov 1\d, \d+:\d\d.[AP]M UTC$/)
  await page.getByText('Older posts of the 28 days are not loaded.').waitFor()
  expect((await numbers(page, 'Posts'))[0]).toBe('20')
  await page.getByText(/^20 posts · as of (2:59|3:00)\sPM\sUTC$/).waitFor()
  const before = await spent()
  await page.getByRole('button', { name: 'Load up to 20 more posts · 2 credits' }).press('Enter')
  await page.getByText(/^40 posts about .coffee. since/).waitFor()
  expect(await hasFocus(headline(page))).toBe(true)
  expect(await spent()).toBe(before + 2)
})

it('fewer days show at once and cost nothing; more days say their price, and buy only what is missing', async () => {
  const page = await open()
  await searched(page, 'climate', { versus: 'music', pages: 1 })
  const before = await spent()
  sent.length = 0
  await page.getByRole('button', { name: '7 days' }).press('Enter')
  expect(await page.getByLabel('Since').inputValue()).toBe('2026-11-12')
  expect(await page.locator('.stale').count()).toBe(0)
  expect(new URL(page.url()).searchParams.get('since')).toBe('2026-11-12')

  await page.getByRole('button', { name: '90 days' }).press('Enter')
  await page.getByText('Showing climate vs music, 7 days.').waitFor()
  expect(sent).toEqual([])
  expect(await spent()).toBe(before)
  await page.getByRole('button', { name: 'Compare · 4 credits' }).click()
  await page.locator('.stale').waitFor({ state: 'detached' })
  await result(page)
  expect(await spent()).toBe(before + 4)
  expect(sent.map((params) => 'cursor' in params)).toEqual([true, true])
})

it('posts come by views, likes or time, and all of them on request', async () => {
  const page = await open()
  await searched(page, 'coffee')
  const likes = async () => {
    const texts = await page.locator('.posts footer span:first-child').allTextContents()
    return texts.map((text) => Number(text.split(' ')[0]!.replaceAll(',', '')))
  }
  const top = await likes()
  expect(top).toHaveLength(4)
  expect(top).toEqual(top.toSorted((a, b) => b - a))
  const all = page.getByRole('button', { name: 'Show all 20 posts' })
  await all.press('Enter')
  expect(await likes()).toHaveLength(20)
  expect(await hasFocus(page.getByRole('button', { name: 'Show the first 4' }))).toBe(true)
  await page.getByLabel('Order').selectOption('Newest')
  const dated = page.locator('.posts time')
  const times = await dated.evaluateAll((each) => each.map((time) => time.getAttribute('datetime') ?? ''))
  expect(times).toEqual(times.toSorted().reverse())
})

it('a search has the filters of the form', async () => {
  const page = await open('/?tab=search')
  await page.getByLabel('Language').selectOption('English')
  await page.getByLabel('Since').fill('2026-11-05')
  await page.getByLabel('Until').fill('2026-11-04')
  await page.getByRole('checkbox', { name: 'Hide replies' }).check()
  await search(page, 'cycling')
  const until = page.getByLabel('Until')
  expect(await until.evaluate((input: HTMLInputElement) => input.validity.rangeUnderflow)).toBe(true)
  expect(sent).toEqual([])

  await until.fill('2026-11-14')
  await searched(page, 'cycling')
  const filters = { until: '2026-11-15', lang: 'en', removeReplies: true }
  expect(sent).toEqual([{ query: 'cycling', category: 'Latest', filters }])
})

it('a search is offered again for an hour, with its filters, and opening it buys nothing', async () => {
  const page = await open('/?tab=search')
  await page.getByRole('checkbox', { name: 'Hide replies' }).check()
  const said = await searched(page, 'travel')
  const before = await spent()
  await page.goto(`${page.url().split('?')[0]}?tab=search`)
  await page.getByText('What are people saying?').waitFor()
  await page.getByRole('button', { name: 'travel, 28 days, no replies', exact: true }).click()
  expect(await result(page)).toBe(said)
  expect(await page.getByRole('checkbox', { name: 'Hide replies' }).isChecked()).toBe(true)
  expect(await spent()).toBe(before)
})

it('the keyboard alone finds a post, exports CSV and marks a mention', async () => {
  const page = await open()
  await page.keyboard.press('Tab')
  expect(await hasFocus(page.getByRole('link', { name: 'Skip to the content' }))).toBe(true)
  await page.keyboard.press('Enter')
  expect(await hasFocus(page.locator('main'))).toBe(true)
  await page.keyboard.press('/')
  // The field gets the focus in the next frame.
  await expect.poll(() => hasFocus(page.getByLabel('Search posts'))).toBe(true)
  await page.keyboard.type('coffee')
  await page.keyboard.press('Enter')
  await result(page)
  const download = page.waitForEvent('download')
  await tabTo(page, page.getByRole('button', { name: 'CSV of coffee' }))
  await page.keyboard.press('Enter')
  expect((await download).suggestedFilename()).toBe('coffee.csv')
  const link = page.locator('.posts a').first()
  await tabTo(page, link)
  expect(await link.getAttribute('href')).toContain('/status/')

  await page.reload()
  await tabTo(page, page.getByRole('button', { name: 'mentions', exact: true }))
  await page.keyboard.press('Enter')
  const seen = page.locator('.mention').first().getByRole('button', { name: 'Seen' })
  await seen.waitFor()
  await tabTo(page, seen)
  await page.keyboard.press('Enter')
  await page.getByText('1 marked as seen').waitFor()
  expect(await hasFocus(seen)).toBe(true)

  await page.keyboard.press('j')
  const second = page.locator('.mention').nth(1)
  expect(await hasFocus(second.getByRole('checkbox'))).toBe(true)
  for (const [key, state] of Object.entries({ e: 'done', s: 'seen', i: 'ignored' })) {
    await page.keyboard.press(key)
    await page.getByText(`1 marked as ${state}`).waitFor()
  }
  await page.keyboard.press('k')
  expect(await hasFocus(page.locator('.mention').first().getByRole('checkbox'))).toBe(true)
})
