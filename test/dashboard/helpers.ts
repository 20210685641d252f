import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { launchChromium } from '../browser/chromium.ts'
import { newFolder } from '../support/folder.ts'
import { Started } from '../support/started.ts'

export const example = join(import.meta.dirname, '../../examples/dashboard')
/** What the example's server says once it listens. */
const greeting = /http:\/\/127\.0\.0\.1:\d+(?=\/)/
/** The time of server and page in tests of dates. */
export const now = '2026-11-18T15:00:00Z'

/** The page as `vite build` bundles it: it opens in a third of the time that its modules take one by one. */
const bundle = join(example, 'dist')

/** Serves the dashboard to all tests of a file, and checks after each that the page has complained of nothing. */
export function setUpDashboard(env: Record<string, string> = {}, { mayFail = false } = {}) {
  let browser: Browser
  let server: ChildProcess
  let origin = ''
  const complaints: string[] = []
  /** Params of the searches that may have cost credits. */
  const sent: { query: string; filters: object }[] = []

  beforeAll(async () => {
    browser = await launchChromium()
    server = spawn(process.execPath, ['server.ts'], {
      cwd: example,
      // Servers of two files would write one cache of Vite at once.
      env: { ...process.env, PORT: '0', CACHE: newFolder(), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    origin = await new Started(server).printed(greeting)
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    sent.length = 0
    expect(complaints.splice(0)).toEqual([])
  })
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill()
    await Promise.all([ended, browser.close()])
  })

  /** Opens the page in a browser of its own, which has no history and nothing stored. */
  async function open(path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      ...{ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' },
      ...options,
    })
    const page = await context.newPage()
    await page.route(`${origin}/**`, (route, request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) return route.fallback()
      return route.fulfill({ path: join(bundle, pathname === '/' ? 'index.html' : pathname) })
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      const isOfFailure = mayFail && message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isOfFailure) complaints.push(message.text())
    })
    page.on('request', (request) => {
      if (request.url().endsWith('/api/social/data/microblog/tweets/search'))
        sent.push(request.postDataJSON())
    })
    if (env['NOW']) await page.clock.setFixedTime(new Date(env['NOW']))
    await page.goto(origin + path)
    await page.waitForSelector('h1', { state: 'attached' })
    return page
  }

  return {
    open,
    sent,
    inject: (fault: object) => fetch(`${origin}/api/faults`, { method: 'POST', body: JSON.stringify(fault) }),
    budget: async () =>
      (await (await fetch(`${origin}/api/budget`)).json()) as { spent: number; uncertain: number },
  }
}

/** Searches as a reader does, one page of 20 posts by default. */
export async function search(page: Page, query: string, { versus = '', pages = 1 } = {}): Promise<void> {
  // The first view has one field until a word is there.
  await page.getByLabel('Search posts').fill(query)
  const fold = page.locator('.fold [aria-expanded=false]')
  if (await fold.isVisible()) await fold.click()
  await page.getByLabel('Posts of each search').selectOption(String(pages))
  await page.getByLabel('Compare with').fill(versus)
  await page.getByLabel('Search posts').press('Enter')
}

export const headline = (page: Page) => page.locator('.headline')

/** Text without the marks that keep the directions of foreign words apart, and with common spaces. */
export const plain = (text: string | null) =>
  (text ?? '').replaceAll(/[\u2068\u2069]/g, '').replaceAll(/\s/g, ' ')

/** The headline once the posts are there. */
export async function result(page: Page): Promise<string> {
  await headline(page)
    .filter({ hasNotText: /Loading|Waiting/ })
    .waitFor()
  return plain(await headline(page).textContent())
}

/** Searches, and returns the headline. */
export async function searched(page: Page, query: string, options = {}): Promise<string> {
  await search(page, query, options)
  return result(page)
}

/** A number of each search and how it has changed, then who leads. */
export async function numbers(page: Page, name: string): Promise<string[]> {
  const row = page.locator(':is(.summary tr, .facts > div)', {
    has: page.getByText(name, { exact: true }),
  })
  const cells = await row.locator(':is(td, dd)').allTextContents()
  return cells.map((text) => text.trim())
}

/** How far the page has moved what was there already, as Chromium scores it. */
export async function layoutShift(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const entries: { value: number; hadRecentInput: boolean }[] = []
    const observer = new PerformanceObserver((list) => entries.push(...(list.getEntries() as never[])))
    observer.observe({ type: 'layout-shift', buffered: true })
    await new Promise((resolve) => setTimeout(resolve, 100))
    return entries.filter((entry) => !entry.hadRecentInput).reduce((sum, { value }) => sum + value, 0)
  })
}

export const hasFocus = (element: Locator) => element.evaluate((node) => node === document.activeElement)

/** Presses Tab until an element has the focus. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    if (await hasFocus(element)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not reach ${String(element)}`)
}
