import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { launchChromium } from './chromium.ts'
import type { Proxied } from './pages/proxied.ts'
import { type Site, serveSite } from './proxy/server.ts'
import { bundle } from './site.ts'
import { inEachBrowser } from './suite.ts'

declare const proxied: Proxied

let site: Site
beforeEach(async () => void (site = await serveSite(await bundle('proxied.ts'))))
afterEach(() => site.close())

inEachBrowser(({ open }) => {
  it('a page that searches through createProxy() gets the allowed calls under a strict content security policy', async () => {
    const page = await open(site.origin)
    const report = await page.evaluate(() => proxied.run())
    expect(report.refused).toEqual({
      invalid: ['InvalidRequestError', 'invalid_request', null, 'no'],
      disallowed: ['PermissionDeniedError', 'operation_not_allowed', 403, 'no'],
      exhausted: ['CreditBudgetError', 'credit_budget', null, 'no'],
    })
    expect(report.credits).toEqual({ spent: 12, uncertain: 0, reserved: 0 })
    expect(new Set(report.ids).size).toBe(report.ids.length)
    expect(report.industries).toBeGreaterThan(0)
    expect(site.sandbox.ledger.spent).toBe(report.credits.spent)
  })
})

/** The memory of the page, as the debugger of the browser sees it. */
async function memoryOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  return chunks.join('')
}

/** All that a page sends and receives. */
function trafficOf(page: Page): Promise<string>[] {
  const seen: Promise<string>[] = []
  const note = (parts: unknown[]): void =>
    void seen.push(Promise.all(parts).then((all) => JSON.stringify(all)))
  page.on('request', (request) => note([request.url(), request.allHeaders(), request.postData()]))
  page.on('response', (response) => note([response.allHeaders(), response.text().catch(() => '')]))
  return seen
}

it('a page that searches through createProxy() never sees the key, as the debugger of Chromium shows', async () => {
  const browser = await launchChromium()
  const page = await browser.newPage()
  const seen = trafficOf(page)
  await page.goto(site.origin)
  await page.evaluate(() => proxied.run())
  const memory = await memoryOf(page)
  const wire = (await Promise.all(seen)).join('\n')
  await browser.close()
  // What is looked for could be found, if it were there.
  expect([memory.includes('/api/social'), wire.includes('/api/social')]).toEqual([true, true])
  const { apiKey } = site.sandbox
  const parts = [apiKey, apiKey.slice(0, 20), apiKey.slice(-12)]
  expect(parts.filter((part) => memory.includes(part) || wire.includes(part))).toEqual([])
})
