import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SandboxServer, serveSandbox } from '../../src/sandbox/node.ts'
import { launchChromium } from './chromium.ts'
import type { App, Target } from './pages/app.ts'
import { type Site, openTabs, serveSite } from './site.ts'

declare const app: App

const limits = { perMinute: 20, windowMs: 2000 }
let browser: Browser
let site: Site
let sandbox: SandboxServer
let tabs: Awaited<ReturnType<typeof openTabs>>

beforeAll(async () => {
  ;[browser, site] = await Promise.all([
    launchChromium(['--host-resolver-rules=MAP insecure.test 127.0.0.1']),
    serveSite('app.ts'),
  ])
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})
beforeEach(async () => {
  sandbox = await serveSandbox({ latency: [10, 60], limits })
  tabs = await openTabs(browser)
})
afterEach(async () => {
  for (const page of tabs.pages()) expect(await page.evaluate(() => app.violations)).toEqual([])
  expect(tabs.complaints).toEqual([])
  await tabs.close()
  await sandbox.close()
})

function search(page: Page, count: number): Promise<string[]> {
  const { baseUrl, apiKey } = sandbox
  const target: Target = { baseUrl, apiKey, limits }
  return page.evaluate(([target, count]) => app.search(target, count), [target, count] as const)
}

function searchInWorker(page: Page, count: number): Promise<string[]> {
  const { baseUrl, apiKey } = sandbox
  const target: Target = { baseUrl, apiKey, limits }
  return page.evaluate(([target, count]) => app.searchInWorker(target, count), [target, count] as const)
}

async function answered(page: Page, count: number): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => app.answered), { timeout: 60_000 })
    .toBeGreaterThanOrEqual(count)
}

const all = (count: number) => Array.from({ length: count }, () => 'ok')

/** What the service saw, whatever tab it came from. */
function expectLimitsKept(): void {
  const { requests } = sandbox
  expect(Math.max(...requests.map(({ inFlight }) => inFlight))).toBe(2)
  expect(requests.filter(({ status }) => status === 429)).toEqual([])
  for (const [i, { at }] of requests.entries()) {
    const later = requests[i + limits.perMinute]
    if (later !== undefined) expect(later.at - at).toBeGreaterThanOrEqual(limits.windowMs)
  }
}

describe('WebLocksLimiter in Chromium', () => {
  it('keeps the limits for two tabs together', async () => {
    const [one, two] = [await tabs.open(site.origin), await tabs.open(site.origin)]
    const ended = await Promise.all([search(one, 60), search(two, 60)])
    expect(ended).toEqual([all(60), all(60)])
    expect(sandbox.requests).toHaveLength(120)
    expectLimitsKept()
  })

  it('keeps them when the leading tab is closed, and loses no call of the other', async () => {
    const leading = await tabs.open(site.origin)
    const lost = search(leading, 200).catch(() => 'closed')
    await answered(leading, 5)
    const other = await tabs.open(site.origin)
    const ended = search(other, 60)
    await answered(leading, 25)
    await leading.close()
    expect(await lost).toBe('closed')
    expect(await ended).toEqual(all(60))
    expectLimitsKept()
  })

  it('keeps them while the leading tab is frozen, and lets it go on when it is not any more', async () => {
    const leading = await tabs.open(site.origin)
    const first = search(leading, 40)
    await answered(leading, 5)
    const other = await tabs.open(site.origin)
    const ended = search(other, 40)
    await answered(other, 3)
    const devtools = await leading.context().newCDPSession(leading)
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    expect(await ended).toEqual(all(40))
    await devtools.send('Page.setWebLifecycleState', { state: 'active' })
    expect(await first).toEqual(all(40))
    expect(sandbox.requests).toHaveLength(80)
    expectLimitsKept()
  })

  it('keeps them when the leading page goes into the back/forward cache and comes back', async () => {
    const leading = await tabs.open(site.origin)
    const first = search(leading, 30).catch(() => 'lost sight of')
    const other = await tabs.open(site.origin)
    const ended = search(other, 40)
    // With requests under way, Chromium does not keep the page: it leaves while the pace makes it wait.
    await answered(leading, 20)
    await leading.goto(`${site.origin}/?elsewhere`)
    await first
    await answered(other, 20)
    await leading.goBack({ waitUntil: 'commit' })
    await answered(leading, 30)
    expect(await ended).toEqual(all(40))
    expect(sandbox.requests).toHaveLength(70)
    expectLimitsKept()
  })

  it('keeps them for a page and a worker together', async () => {
    const page = await tabs.open(site.origin)
    const ended = await Promise.all([search(page, 30), searchInWorker(page, 30)])
    expect(ended).toEqual([all(30), all(30)])
    expect(sandbox.requests).toHaveLength(60)
    expectLimitsKept()
  })
})

describe('WebLocksLimiter.isSupported()', () => {
  it('says no in an insecure page, and the constructor says why', async () => {
    const page = await tabs.open(site.origin.replace('127.0.0.1', 'insecure.test'))
    const seen = await page.evaluate(() => {
      try {
        return String(new app.WebLocksLimiter({ organization: 'x' }))
      } catch (error) {
        return [app.WebLocksLimiter.isSupported(), String(error)]
      }
    })
    expect(seen).toEqual([false, expect.stringContaining('WebLocksLimiter needs navigator.locks')])
  })

  it('says no in a frame without an origin of its own', async () => {
    const page = await tabs.open(`${site.origin}/sandboxed`)
    expect(await page.evaluate(() => [origin, app.WebLocksLimiter.isSupported()])).toEqual(['null', false])
  })
})
