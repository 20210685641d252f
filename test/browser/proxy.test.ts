import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from './chromium.ts'
import type { Proxied } from './pages/proxied.ts'
import { expectedReport } from './proxy/page.ts'
import { type Site, serveSite } from './proxy/server.ts'
import { bundle } from './site.ts'

declare const proxied: Proxied

let browser: Browser
let site: Site
beforeAll(async () => {
  browser = await launchChromium()
  site = await serveSite(await bundle('proxied.ts'))
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

/** The memory of the page, as the debugger of the browser sees it. */
async function memoryOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  return chunks.join('')
}

describe('a page that searches through createProxy()', () => {
  it('gets the allowed calls under a strict content security policy, and never sees the key', async () => {
    const page = await browser.newPage()
    const complaints: string[] = []
    const seen: Promise<string>[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) =>
      seen.push(
        request.allHeaders().then((headers) => JSON.stringify([request.url(), headers, request.postData()])),
      ),
    )
    page.on('response', (response) =>
      seen.push(
        Promise.all([response.allHeaders(), response.text().catch(() => '')]).then((parts) =>
          JSON.stringify(parts),
        ),
      ),
    )
    await page.goto(site.origin)
    const report = await page.evaluate(async () => {
      // What runs in the very turn of the debugger is exempt from the page's policy.
      await new Promise((resolve) => setTimeout(resolve))
      return proxied.run()
    })
    expect(report).toMatchObject(expectedReport)
    expect(new Set(report.ids).size).toBe(report.ids.length)
    expect(report.industries).toBeGreaterThan(0)
    expect(site.sandbox.ledger.spent).toBe(report.credits.spent)
    expect([await page.evaluate(() => proxied.violations), complaints]).toEqual([[], []])

    const memory = await memoryOf(page)
    const wire = (await Promise.all(seen)).join('\n')
    // What is looked for could be found, if it were there.
    expect([memory.includes('/api/social'), wire.includes('/api/social')]).toEqual([true, true])
    const { apiKey } = site.sandbox
    const parts = [apiKey, apiKey.slice(0, 20), apiKey.slice(-12)]
    expect(parts.filter((part) => memory.includes(part) || wire.includes(part))).toEqual([])
  })
})
