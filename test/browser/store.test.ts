import { afterEach, describe, expect, it } from 'vitest'
import { promises } from '../shared/store-promises.ts'
import type { StoreApp } from './pages/store.ts'
import { chromiumTabs } from './suite.ts'

declare const app: StoreApp

const tabs = chromiumTabs('store.ts')
afterEach(() => expect(tabs.complaints).toEqual([]))

describe('tabsStore() in Chromium as a store', () => {
  it.each(Object.keys(promises))('%s', async (title) => {
    const page = await tabs.open()
    await page.evaluate((title) => app.keep(title), title)
  })

  it('update() loses no change of two tabs, and each tab hears the notices of both', async () => {
    const pages = [await tabs.open(), await tabs.open()]
    await Promise.all(pages.map((page) => page.evaluate(() => app.listen('count'))))
    await Promise.all(pages.map((page) => page.evaluate(() => app.count('count', 30))))
    const expected = Array.from({ length: 60 }, (_, i) => String(i + 1)).sort()
    for (const page of pages)
      await expect.poll(() => page.evaluate(() => app.heard.toSorted())).toEqual(expected)
  })
})

it('SharedLimiter on tabsStore() ignores messages of other scripts', async () => {
  const page = await tabs.open()
  expect(await page.evaluate(() => app.meetForeignNotices())).toBe('met')
})
