import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SandboxServer, serveSandbox } from '../../src/extensions/sandbox/node.ts'
import type { App, Target } from './pages/app.ts'
import { chromiumTabs } from './suite.ts'

declare const app: App

const limits = { perMinute: 20, windowMs: 2000 }
const tabs = chromiumTabs('app.ts', ['--host-resolver-rules=MAP insecure.test 127.0.0.1'])
let sandbox: SandboxServer

beforeEach(async () => {
  sandbox = await serveSandbox({ limits, latency: [10, 60] })
})
afterEach(async () => {
  for (const page of tabs.pages()) expect(await page.evaluate(() => app.violations)).toEqual([])
  expect(tabs.complaints).toEqual([])
  await sandbox.close()
})

function search(page: Page, count: number): Promise<string[]> {
  const { baseUrl, apiKey } = sandbox
  const target: Target = { baseUrl, apiKey, limits }
  return page.evaluate(([target, count]) => app.search(target, count), [target, count] as const)
}

/** Searches in a worker of a page, which sleeps for so long after the first answer. */
function searchInWorker(page: Page, count: number, sleepMs = 0): Promise<string[]> {
  const { baseUrl, apiKey } = sandbox
  const target: Target = { baseUrl, apiKey, limits, ...(sleepMs > 0 && { inFlight: 1 }) }
  return page.evaluate(([target, count, sleepMs]) => app.searchInWorker(target, count, sleepMs), [
    target,
    count,
    sleepMs,
  ] as const)
}

async function answered(page: Page, count: number): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => app.answered), { timeout: 60_000 })
    .toBeGreaterThanOrEqual(count)
}

const all = (count: number) => Array.from({ length: count }, () => 'ok')

/** The requests of all tabs, as the service saw them. */
function expectLimitsKept(): void {
  const { requests } = sandbox
  expect(Math.max(...requests.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(2)
  expect(requests.filter(({ status }) => status === 429)).toEqual([])
  for (const [i, { at }] of requests.entries()) {
    const later = requests[i + limits.perMinute]
    if (later !== undefined) expect(later.at - at).toBeGreaterThanOrEqual(limits.windowMs)
  }
}

describe('SharedLimiter on tabsStore() in Chromium', () => {
  it('keeps the limits for two tabs together', async () => {
    const [one, two] = [await tabs.open(), await tabs.open()]
    const ended = await Promise.all([search(one, 60), search(two, 60)])
    expect(ended).toEqual([all(60), all(60)])
    expect(sandbox.requests).toHaveLength(120)
    expectLimitsKept()
  })

  it('keeps the limits when the leading tab is closed, and loses no call of the other', async () => {
    const leading = await tabs.open()
    const lost = search(leading, 200).catch(() => 'closed')
    await answered(leading, 5)
    const other = await tabs.open()
    const ended = search(other, 60)
    await answered(leading, 25)
    await leading.close()
    expect(await lost).toBe('closed')
    expect(await ended).toEqual(all(60))
    expectLimitsKept()
  })

  it('keeps the limits while the leading tab is frozen, and lets it continue afterwards', async () => {
    const leading = await tabs.open()
    const other = await tabs.open()
    const first = search(leading, 30)
    const ended = search(other, 20)
    await answered(leading, 20)
    // Chromium freezes hidden tabs alone, and without a window none is hidden: the tab is told, and stops by itself.
    let isFrozen = true
    const frozen = leading.evaluate(() => app.freeze(9000)).then(() => (isFrozen = false))
    expect(await ended).toEqual(all(20))
    expect(isFrozen).toBe(true)
    await frozen
    expect(await first).toEqual(all(30))
    expect(sandbox.requests).toHaveLength(50)
    expectLimitsKept()
  })

  it('keeps the limits when the leading page enters and leaves the back/forward cache', async () => {
    const leading = await tabs.open()
    const first = search(leading, 30).catch(() => 'lost sight of')
    const other = await tabs.open()
    const ended = search(other, 40)
    // With requests under way, Chromium does not keep the page: it leaves while the pace makes it wait.
    await answered(leading, 20)
    await leading.goto(`${tabs.origin}/?elsewhere`)
    await first
    await answered(other, 20)
    await leading.goBack({ waitUntil: 'commit' })
    await answered(leading, 30)
    expect(await ended).toEqual(all(40))
    expect(sandbox.requests).toHaveLength(70)
    expectLimitsKept()
  })

  it('keeps the limits for a page and a worker together', async () => {
    const page = await tabs.open()
    const ended = await Promise.all([search(page, 30), searchInWorker(page, 30)])
    expect(ended).toEqual([all(30), all(30)])
    expect(sandbox.requests).toHaveLength(60)
    expectLimitsKept()
  })
})

describe('three tabs and two workers', () => {
  it('keep the limits when a tab crashes, one is closed and one is reloaded, with their workers', async () => {
    const [crashing, closing, staying] = [await tabs.open(), await tabs.open(), await tabs.open()]
    const lost = [crashing, closing].map((page) => search(page, 60).catch(() => 'gone'))
    const lostInWorkers = [crashing, closing].map((page) => searchInWorker(page, 60).catch(() => 'gone'))
    const ended = search(staying, 50)
    await answered(crashing, 3)
    await answered(closing, 3)
    const crashed = crashing.waitForEvent('crash')
    void crashing.goto('chrome://crash').catch(() => {})
    await crashed
    await closing.reload()
    expect(await ended).toEqual(all(50))
    const again = [search(closing, 5), search(staying, 10)]
    await expect.poll(() => closing.evaluate(() => app.answered)).toBeGreaterThan(1)
    await closing.close()
    await again[0]!.catch(() => 'gone')
    expect(await again[1]).toEqual(all(10))
    await Promise.race([
      Promise.all([...lost, ...lostInWorkers]),
      new Promise((resolve) => setTimeout(resolve, 100)),
    ])
    await crashing.close()
    expectLimitsKept()
  })

  it('free the slot of a closed tab within two seconds', async () => {
    const [closed, other] = [await tabs.open(), await tabs.open()]
    await other.evaluate(() => app.take('acme', 1))
    await other.evaluate(() => app.releaseAll())
    await closed.evaluate(() => app.take('acme', 2))
    const waiting = other.evaluate(() => app.take('acme', 1))
    await new Promise((resolve) => setTimeout(resolve, 500))
    const start = performance.now()
    await closed.close()
    await waiting
    expect(performance.now() - start).toBeLessThan(2000)
  })
})

describe('a SharedLimiter on tabsStore() that sleeps', () => {
  it('leaves the slots to one that is awake, and keeps the limits when it wakes up', async () => {
    const page = await tabs.open()
    let isAwake = false
    const slept = searchInWorker(page, 20, 20_000).finally(() => (isAwake = true))
    await expect.poll(() => page.evaluate(() => app.isWorkerAsleep), { timeout: 10_000 }).toBe(true)
    expect(await search(page, 15)).toEqual(all(15))
    expect(isAwake).toBe(false)
    const more = search(page, 30)
    expect(await slept).toEqual(all(20))
    expect(await more).toEqual(all(30))
    expectLimitsKept()
  })
})

describe('isTabsStoreSupported()', () => {
  it('returns false in an insecure page, and the constructor says why', async () => {
    const page = await tabs.open(tabs.origin.replace('127.0.0.1', 'insecure.test'))
    const seen = await page.evaluate(() => {
      try {
        app.tabsStore()
        return 'accepted'
      } catch (error) {
        return [app.isTabsStoreSupported(), String(error)]
      }
    })
    expect(seen).toEqual([false, expect.stringContaining('tabsStore needs indexedDB, navigator.locks')])
  })

  it('returns false in a frame with an opaque origin', async () => {
    const page = await tabs.open(`${tabs.origin}/sandboxed`)
    expect(await page.evaluate(() => [origin, app.isTabsStoreSupported()])).toEqual(['null', false])
  })
})
