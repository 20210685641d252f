import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'

const example = join(import.meta.dirname, '../../examples/dashboard')
const axe = join(example, 'node_modules/axe-core/axe.min.js')
/** What the example's server says once it listens. */
const greeting = /http:\/\/127\.0\.0\.1:\d+/

let browser: Browser
let server: ChildProcess
let origin: string
let page: Page
const complaints: string[] = []

async function serve(env: Record<string, string> = {}): Promise<void> {
  server = spawn(process.execPath, ['server.ts'], {
    cwd: example,
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const text of server.stdout!.setEncoding('utf8')) {
    origin = greeting.exec(text as string)?.[0] ?? ''
    if (origin !== '') return
  }
  throw new Error('the server of the dashboard ended')
}

async function open(options: Parameters<Browser['newPage']>[0] = {}): Promise<void> {
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    if (request.url().endsWith('/tweets/search')) sent.push(request.postDataJSON())
  })
  page.setDefaultTimeout(20_000)
  await page.goto(origin)
  await page.waitForSelector('h1')
}

async function search(query: string): Promise<void> {
  await page.getByLabel('Search posts').fill(query)
  await page.keyboard.press('Enter')
}
/** Params of the searches that the page has sent. */
const sent: { query: string; filters: object }[] = []
const posts = () => page.locator('.posts > li')
async function shows(count: number): Promise<void> {
  await posts()
    .nth(count - 1)
    .waitFor()
  expect(await posts().count()).toBe(count)
}
const mentionsLoaded = () => page.waitForSelector('.mentions table', { state: 'attached' })
const inject = (fault: object) =>
  fetch(`${origin}/api/faults`, { method: 'POST', body: JSON.stringify(fault) })
const budget = async () =>
  (await (await fetch(`${origin}/api/budget`)).json()) as { spent: number; uncertain: number }

beforeAll(async () => void (browser = await launchChromium()))
afterAll(() => browser.close())
beforeEach(() => {
  sent.length = 0
  return serve()
})
afterEach(async () => {
  await page.close()
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill()
  await ended
  expect(complaints.splice(0)).toEqual([])
})

it('the page buys nothing when you type, pick an idea or scroll, and one search when you press Enter', async () => {
  await open()
  await page.getByLabel('Search posts').pressSequentially('coffee', { delay: 650 })
  await page.getByRole('button', { name: 'react or vue' }).click()
  await page.getByRole('button', { name: 'Compare · 4 credits' }).waitFor()
  await page.getByRole('button', { name: 'climate' }).click()
  await page.getByRole('button', { name: 'Search · 2 credits' }).waitFor()
  await page.waitForTimeout(600)
  expect(sent).toEqual([])

  await search('coffee')
  await shows(20)
  await page.getByText('58 credits left').waitFor()
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await page.waitForTimeout(600)
  expect(sent).toHaveLength(1)
  await page.getByRole('button', { name: 'More posts · 2 credits' }).click()
  await shows(40)
  expect(await budget()).toMatchObject({ spent: 4, uncertain: 0 })

  await page.getByRole('button', { name: 'Search · 2 credits' }).click()
  await page.getByText('54 credits left').waitFor()
  await shows(20)
})

it('an earlier search shows again without a charge, and says when it was bought', async () => {
  await open()
  for (const query of ['coffee', 'react']) {
    await search(query)
    await page.getByLabel(`Posts about ${query}`).waitFor()
    await shows(20)
  }
  await page.getByRole('button', { name: 'coffee · 0 credits' }).click()
  await page.getByLabel('Posts about coffee').waitFor()
  await page.getByText(/20 posts so far, bought (this minute|1 minute ago)/).waitFor()
  await page.getByText('4 spent · 0 uncertain · budget 60 · 2 saved').waitFor()
  expect(sent).toHaveLength(2)

  await page.getByRole('button', { name: 'Search · 2 credits' }).click()
  await page.getByText('6 spent · 0 uncertain · budget 60 · 2 saved').waitFor()
  await shows(20)
  expect(await page.getByText('so far, bought').count()).toBe(0)
})

it('a search has the filters of the form', async () => {
  await open()
  await page.getByLabel('Language').selectOption('English')
  await page.getByLabel('Since').fill('2026-08-01')
  await page.getByLabel('Until').fill('2026-09-01')
  await page.getByLabel('No replies').check()
  await search('coffee')
  await shows(20)
  const filters = { lang: 'en', since: '2026-08-01', until: '2026-09-01', removeReplies: true }
  expect(sent).toEqual([{ query: 'coffee', category: 'Top', filters }])
  const days = await page
    .locator('.posts time')
    .evaluateAll((all) => all.map((time) => time.getAttribute('datetime')))
  expect(days.every((day) => day! >= '2026-08-01' && day! < '2026-09-01')).toBe(true)
})

it('two queries show side by side, with posts by day and by author of both, and as CSV', async () => {
  await open()
  await page.getByLabel('Compare with').fill('vue')
  await search('react')
  await shows(40)
  expect((await budget()).spent).toBe(4)
  const tops = await page
    .locator('.posts')
    .evaluateAll((all) => all.map((list) => list.getBoundingClientRect().top))
  expect(tops[1]).toBe(tops[0])

  const summary = page.getByRole('region', { name: 'Summary' })
  await summary.getByText('Show as a table').click()
  for (const column of [1, 2]) {
    const counts = await summary.locator(`tbody td:nth-child(${column + 1})`).allTextContents()
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(20)
  }
  const authors = await page.locator('.versus section').last().locator('header .quiet').allTextContents()
  const [first] = await page.getByLabel('Authors about vue').locator('li').allTextContents()
  const [, name = '', count] = /(@\w+?)(\d+)$/.exec(first!)!
  expect(authors.filter((author) => author.startsWith(`${name} `))).toHaveLength(Number(count))

  const download = page.waitForEvent('download')
  await summary.getByRole('button', { name: 'CSV' }).last().click()
  const file = await download
  expect(file.suggestedFilename()).toBe('vue.csv')
  expect(parse(readFileSync(await file.path()), { columns: true })).toHaveLength(20)
})

it('a saved search is there after a reload, and fills in the form without buying', async () => {
  await open()
  await page.getByLabel('Search posts').fill('coffee')
  await page.getByLabel('No replies').check()
  await page.getByRole('button', { name: 'Save this search' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'coffee, no replies', exact: true }).click()
  expect(await page.getByRole('checkbox').isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Remove coffee, no replies' }).click()
  await page.reload()
  await mentionsLoaded()
  expect(await page.getByLabel('Saved searches').count()).toBe(0)
  expect(sent).toEqual([])
})

it('a bar of the chart leads to its mentions, and a mention marked done stays so', async () => {
  await open()
  await mentionsLoaded()
  await page.locator('.mentions .recharts-bar-rectangle path').nth(9).click()
  await page.getByRole('button', { name: 'Show new ones' }).waitFor()
  const day = await page.locator('.mentions h3').textContent()
  await page.getByText('Show as a table').click()
  const row = page.locator('.mentions tr', { has: page.getByRole('button', { name: day!, exact: true }) })
  const counts = async () => (await row.locator('td').allTextContents()).map(Number)
  const [unseen = 0, seen = 0, done = 0, ignored = 0] = await counts()
  const items = page.locator('.mention')
  expect(await items.count()).toBe(unseen + seen + done + ignored)

  const before = await page.getByRole('button', { name: 'Done', pressed: true }).count()
  expect(before).toBe(done)
  await items.locator('button', { hasText: 'Done' }).and(page.locator('[aria-pressed=false]')).first().click()
  await expect.poll(async () => (await counts())[2]).toBe(done + 1)
  await page.reload()
  await mentionsLoaded()
  await page.getByText('Show as a table').click()
  expect((await counts())[2]).toBe(done + 1)
  await row.getByRole('button').click()
  expect(await page.getByRole('button', { name: 'Done', pressed: true }).count()).toBe(done + 1)
})

it('nothing in the page is cut off when a company is looked up at 1280 x 900', async () => {
  await open()
  await mentionsLoaded()
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByRole('heading', { name: 'Harbour Bean' }).waitFor()
  const cut = await page.evaluate(
    () =>
      [...document.querySelectorAll('aside, section')].filter(
        (box) => box.scrollHeight > box.clientHeight + 1,
      ).length,
  )
  expect(cut).toBe(0)
})

it('the cancel button ends a wait without a charge', async () => {
  await open()
  await mentionsLoaded()
  await inject({ status: 429, retryAfter: 30 })
  await search('coffee')
  await page.getByText('The service asks to slow down').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Search again' }).waitFor()
  expect(await budget()).toMatchObject({ spent: 0, uncertain: 0 })
})

it('a cancelled next page can be bought later', async () => {
  await open()
  await mentionsLoaded()
  await search('coffee')
  await shows(20)
  await inject({ status: 429, retryAfter: 4 })
  await page.getByRole('button', { name: 'More posts' }).click()
  await page.getByText('The service asks to slow down').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'More posts' }).click()
  await shows(40)
  expect((await budget()).spent).toBe(4)
})

it('a 429 counts down to the search', async () => {
  await open()
  await mentionsLoaded()
  await inject({ status: 429, retryAfter: 5 })
  await search('coffee')
  const countdown = page.locator('.countdown')
  await countdown.waitFor()
  const first = Number(await countdown.textContent())
  expect(first).toBeGreaterThan(0)
  expect(first).toBeLessThanOrEqual(5)
  await page.waitForFunction(
    (first) => Number(document.querySelector('.countdown')?.textContent ?? first) < first,
    first,
  )
  await shows(20)
})

it('an error shows its request id and its cost, and the service comes back', async () => {
  await open()
  await mentionsLoaded()
  await inject({ status: 503, times: 3 })
  await page.getByRole('button', { name: 'Look up' }).click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/The service is down.*It cost nothing\. Request req_\w+\./s)
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Harbour Bean' }).waitFor()
  expect((await budget()).spent).toBe(4)
})

it('a lost response counts as uncertain', async () => {
  await open()
  await mentionsLoaded()
  await inject({ reset: 'after' })
  await search('coffee')
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toContain('It may have been charged.')
  await page.getByText('0 spent · 2 uncertain · budget 60').waitFor()
})

it('a search waits while the browser is offline', async () => {
  await open()
  await mentionsLoaded()
  await page.context().setOffline(true)
  await search('coffee')
  await page.getByText('You are offline').waitFor()
  await page.context().setOffline(false)
  await shows(20)
})

it('a search is refused when the budget is used up', async () => {
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill()
  await ended
  await serve({ CREDITS: '3' })
  await open()
  await search('coffee')
  await shows(20)
  await page.getByLabel('Order').selectOption('Latest')
  await page.getByRole('button', { name: 'Search · 2 credits' }).click()
  await page.getByText('The budget is used up').waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('It cost nothing.')
  expect((await budget()).spent).toBe(2)
})

it.each([
  ['light', 1280],
  ['dark', 768],
  ['dark', 390],
] as const)('axe-core finds nothing in the %s page at %d px', async (colorScheme, width) => {
  await open({ colorScheme, viewport: { width, height: 844 } })
  await page.addScriptTag({ content: readFileSync(axe, 'utf8') })
  await mentionsLoaded()
  expect(await violations()).toEqual([])
  await page.getByRole('button', { name: 'react or vue' }).click()
  await page.getByRole('button', { name: 'Save this search' }).click()
  await page.getByRole('button', { name: 'Compare' }).click()
  await shows(40)
  expect(await violations()).toEqual([])
  expect(await overflow()).toBe(0)
  await inject({ status: 503, times: 3 })
  if (width < 900) await page.getByRole('button', { name: 'Company' }).click()
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByRole('alert').waitFor()
  expect(await violations()).toEqual([])
  if (width < 900) await page.getByRole('button', { name: 'Mentions' }).click()
  await page.locator('.mentions').getByText('Show as a table').click()
  expect(await violations()).toEqual([])
  expect(await overflow()).toBe(0)
})

const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)

/** The rules that the page breaks, with the elements that do so. */
function violations(): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const found = (await axe.run()).violations
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  })
}
