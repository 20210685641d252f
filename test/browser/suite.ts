import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchChromium } from './chromium.ts'
import { type Site, serveSite } from './site.ts'

/** Tabs of one user, a new one for each test. */
export interface Tabs {
  /** Where the test page is. */
  readonly origin: string
  /** What a developer would find in their consoles, and what pages threw. */
  readonly complaints: string[]
  open(url?: string): Promise<Page>
  /** All open ones. */
  pages(): Page[]
}

/** Chromium and a page with a script of `pages/` in it. Registers its own hooks with vitest. */
export function chromiumTabs(script: string, args: readonly string[] = []): Tabs {
  const complaints: string[] = []
  let browser: Browser | undefined
  let site: Site | undefined
  let context: BrowserContext | undefined
  beforeAll(async () => {
    browser = await launchChromium(args)
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
    get origin() {
      return site!.origin
    },
    pages: () => context!.pages(),
    open: async (url = site!.origin) => {
      const page = await context!.newPage()
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      await page.goto(url)
      return page
    },
  }
}
