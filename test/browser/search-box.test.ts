import { expect, it } from 'vitest'
import { serveSandbox } from '../../src/extensions/sandbox/node.ts'
import type { SearchBox } from './pages/search-box.ts'
import { chromiumTabs } from './suite.ts'

declare const box: SearchBox

const tabs = chromiumTabs('search-box.ts')

it('onWait tells a user who types 36 letters why a search waits, and until when', async () => {
  await using sandbox = await serveSandbox({ latency: 10 })
  const page = await tabs.open()
  await page.evaluate((options) => box.show(options), {
    ...{
      baseUrl: sandbox.baseUrl,
      apiKey: sandbox.apiKey,
      dangerouslyAllowBrowser: true,
      logger: false as const,
    },
  })
  const said = page.locator('output')
  const before = Date.now()
  await page.locator('input').pressSequentially('abcdefghijklmnopqrstuvwxyz0123456789', { delay: 150 })
  await expect.poll(() => said.textContent()).toMatch(/^waiting \(pace\) until /)
  const until = Date.parse((await said.textContent())!.split('until ')[1]!)
  expect(until - before).toBeGreaterThan(55_000)
  expect(until - before).toBeLessThan(70_000)
  // Twenty searches of two credits went out; the sixteen others were aborted in the queue, or wait.
  await expect.poll(() => sandbox.requests).toHaveLength(20)
  expect(sandbox.ledger.spent).toBe(40)
  const { spent, uncertain, reserved } = await page.evaluate(() => box.credits())
  expect(spent + uncertain).toBe(40)
  expect(reserved).toBe(2)
  expect(tabs.complaints).toEqual([])
})
