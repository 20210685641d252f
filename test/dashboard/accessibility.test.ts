import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { example, now, result, search, setUpDashboard } from './helpers.ts'

const { open, inject } = setUpDashboard({ NOW: now }, { mayFail: true })
const axe = readFileSync(join(example, 'node_modules/axe-core/axe.min.js'), 'utf8')

it.each([
  ['light', 1920],
  ['light', 1280],
  ['dark', 768],
  ['dark', 390],
] as const)(
  'axe-core finds nothing in the %s page at %d px, and nothing overflows',
  async (colorScheme, width) => {
    const page = await open('/', { colorScheme, viewport: { width, height: 844 } })
    await page.addScriptTag({ content: axe })
    const check = async () => {
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
    }
    await check()
    await search(page, 'react', { versus: 'vue', pages: 3 })
    await result(page)
    await page.getByRole('button', { name: 'Save this search' }).click()
    await page.getByText('Show as a table').click()
    await page.locator('details tbody button').first().click()
    await check()
    await page.getByRole('button', { name: '90 days' }).click()
    await page.locator('.stale').waitFor()
    await check()
    if (width < 900) {
      const bars = await page.evaluate(() =>
        ['.top', '.tabs'].map((bar) => document.querySelector(bar)!.getBoundingClientRect().height),
      )
      expect(bars.reduce((sum, height) => sum + height, 0)).toBeLessThan(0.12 * 844)
    }
    await page.getByRole('button', { name: 'company' }).click()
    await inject({ status: 503, times: 3 })
    await page.getByLabel('URL of the company').fill(`https://professionalnet.example/company/at-${width}`)
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByRole('alert').waitFor()
    await check()
    await page.getByLabel('URL of the company').fill('https://professionalnet.example/company/harbour-bean')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.locator('.facts').waitFor()
    await check()
    await page.getByRole('button', { name: 'mentions' }).click()
    await page.locator('.mention').first().getByRole('checkbox').check()
    await page.locator('.mention').nth(1).getByRole('button', { name: 'Seen' }).click()
    await page.getByText('Show as a table').click()
    await check()
  },
)

/** The rules that the page breaks, with the elements that do so. */
function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const found = (await axe.run()).violations
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  })
}
