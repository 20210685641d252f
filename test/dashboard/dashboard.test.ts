import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
  page.setDefaultTimeout(20_000)
  await page.goto(origin)
  await page.waitForSelector('h1')
}

const type = (query: string) => page.getByLabel('Search posts').pressSequentially(query, { delay: 30 })
const posts = () => page.locator('.posts > li')
async function shows(count: number): Promise<void> {
  await posts()
    .nth(count - 1)
    .waitFor()
  expect(await posts().count()).toBe(count)
}
const scrollDown = () => page.evaluate(() => scrollTo(0, document.body.scrollHeight))
const mentionsLoaded = () => page.waitForSelector('.mentions table', { state: 'attached' })
const inject = (fault: object) =>
  fetch(`${origin}/api/faults`, { method: 'POST', body: JSON.stringify(fault) })
const budget = async () =>
  (await (await fetch(`${origin}/api/budget`)).json()) as { spent: number; uncertain: number }

beforeAll(async () => void (browser = await launchChromium()))
afterAll(() => browser.close())
beforeEach(() => serve())
afterEach(async () => {
  await page.close()
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill()
  await ended
  expect(complaints.splice(0)).toEqual([])
})

it('the search box sends one search when a word is typed', async () => {
  await open()
  await type('coffee')
  await shows(20)
  await page.getByText('58 credits left').waitFor()
  expect(await budget()).toMatchObject({ spent: 2, uncertain: 0 })
})

it('the list loads another page when you scroll to its end', async () => {
  await open()
  await type('coffee')
  await shows(20)
  await scrollDown()
  await shows(40)
  expect((await budget()).spent).toBe(4)
})

it('the cancel button ends a wait without a charge', async () => {
  await open()
  await mentionsLoaded()
  await inject({ status: 429, retryAfter: 30 })
  await type('coffee')
  await page.getByText('The service asks to slow down').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Search again' }).waitFor()
  expect(await budget()).toMatchObject({ spent: 0, uncertain: 0 })
})

it('a cancelled next page stays away until the button is pressed', async () => {
  await open()
  await type('coffee')
  await shows(20)
  await inject({ status: 429, retryAfter: 4 })
  await scrollDown()
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
  await type('coffee')
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
  await type('coffee')
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toContain('It may have been charged.')
  await page.getByText('0 spent · 2 uncertain · budget 60').waitFor()
})

it('a search waits while the browser is offline', async () => {
  await open()
  await mentionsLoaded()
  await page.context().setOffline(true)
  await type('coffee')
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
  await type('coffee')
  await shows(20)
  await page.getByLabel('Order').selectOption('Latest')
  await page.getByText('The budget is used up').waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('It cost nothing.')
  expect((await budget()).spent).toBe(2)
})

it.each([
  ['light', 1280],
  ['dark', 390],
] as const)('axe-core finds nothing in the %s page at %d px', async (colorScheme, width) => {
  await open({ colorScheme, viewport: { width, height: 844 } })
  await page.addScriptTag({ content: readFileSync(axe, 'utf8') })
  await mentionsLoaded()
  await type('coffee')
  await shows(20)
  expect(await violations()).toEqual([])
  await inject({ status: 503, times: 3 })
  if (width < 900) await page.getByRole('button', { name: 'Company' }).click()
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByRole('alert').waitFor()
  expect(await violations()).toEqual([])
  if (width < 900) await page.getByRole('button', { name: 'Mentions' }).click()
  await page.getByText('Show as a table').click()
  expect(await violations()).toEqual([])
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBe(0)
})

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
