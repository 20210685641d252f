import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchChromium } from './chromium.ts'
import { type Site, serveSite } from './site.ts'

/** Tabs of one user, a new one for each test. */
export interface Tabs {
  /** What a developer would find in their consoles, and what pages threw. */
  readonly complaints: string[]
  open(): Promise<Page>
}

/** Chromium and a page with a script of `pages/` in it. Registers its own hooks with vitest. */
export function chromiumTabs(script: string): Tabs {
  const complaints: string[] = []
  let browser: Browser | undefined
  let site: Site | undefined
  let context: BrowserContext | undefined
  beforeAll(async () => {
    browser = await launchChromium()
    site = await serveSite(script)
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })
  beforeEach(async () => {
    complaints.length = 0
    context = await browser?.newContext()
  })
  afterEach(() => context?.close())
  return {
    complaints,
    open: async () => {
      const page = await context!.newPage()
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      await page.goto(site!.origin)
      return page
    },
  }
}
