import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ofCommit } from '../support/of-commit.ts'
import { example, layoutShift, now, search, searched, setUpDashboard } from './helpers.ts'
import { serve } from './made.ts'

const { open, inject } = setUpDashboard({ NOW: now, CREDITS: '500' }, { mayFail: true })
const axe = readFileSync(join(example, 'node_modules/axe-core/axe.min.js'), 'utf8')

it.each([
  ['light', ofCommit([1920, 1280])],
  ['dark', ofCommit([768, 390])],
] as const)('axe-core finds nothing in the %s page at %d px; nothing overflows', async (scheme, width) => {
  const page = await open('/', { colorScheme: scheme, viewport: { width, height: 844 } })
  await page.addScriptTag({ content: axe })
  const check = () => expectAccessible(page, width)
  await page.locator('.mention').first().waitFor()
  await check()
  await searched(page, 'react', { versus: 'vue', pages: 3 })
  await page.locator('.plot summary').click()
  await page.locator('details tbody button').first().click()
  await check()
  const fold = page.locator('.fold [aria-expanded=false]')
  if (await fold.isVisible()) await fold.click()
  await page.getByRole('button', { name: '90 days' }).click()
  await page.locator('.stale').waitFor()
  await check()
  if (width < 900) {
    const bars = await page.evaluate(() =>
      ['.top', '.tabs'].map((bar) => document.querySelector(bar)!.getBoundingClientRect().height),
    )
    expect(bars.reduce((sum, height) => sum + height, 0)).toBeLessThan(0.12 * 844)
  }
  await page.getByRole('button', { name: '28 days', exact: true }).click()
  await inject({ status: 503, times: 3 })
  await search(page, `failing ${width}`, { pages: 3 })
  await page.getByRole('alert').waitFor()
  await check()
  await page.getByRole('button', { name: 'mentions', exact: true }).click()
  await page.locator('.mention').first().getByRole('checkbox').check()
  await page.locator('.mention').nth(1).getByRole('button', { name: 'Seen' }).click()
  await page.locator('.plot summary').click()
  await check()
})

const states: [state: string, path: string, text: string, happen: (page: Page) => unknown][] = [
  ['without mentions', '/', 'No mentions yet', (page) => serve(page, [])],
  ['without a server', '/', 'No answer', (page) => page.route('**/api/**', (route) => route.abort())],
  ['offline', '/?q=tea', 'You are offline.', (page) => page.context().setOffline(true)],
  ['of a search that is not loaded', '/?q=tea&vs=milk', 'Not loaded yet.', () => {}],
  ['of mentions', '/?tab=mentions', 'Seen', () => {}],
]
const places = states.map((state, i) => [ofCommit([320, 1280], i), ...state] as const)

it.each(places)(
  'axe-core finds nothing in the dark at %d px in the page %s; nothing overflows',
  async (width, _, path, text, happen) => {
    const page = await open('/?tab=search', { colorScheme: 'dark', viewport: { width, height: 844 } })
    await page.addScriptTag({ content: axe })
    await page.getByText('credits left').waitFor()
    await happen(page)
    await page.evaluate((path) => {
      history.pushState(null, '', path)
      dispatchEvent(new PopStateEvent('popstate'))
    }, path)
    if (text === 'You are offline.') await page.getByLabel('Search posts').press('Enter')
    await page.getByText(text).filter({ visible: true }).first().waitFor()
    await expectAccessible(page, width)
  },
)

it.each([ofCommit([390, 768]), ofCommit([1024, 1280])])(
  'an opened link moves nothing at %d px, whatever its tab',
  async (width) => {
    const link = '?q=react&vs=vue&since=2026-10-22&until=2026-11-18&pages=3'
    for (const path of ['/', `/${link}`, `/${link}&tab=mentions`]) {
      const page = await open(path, { viewport: { width, height: 844 } })
      await page.locator('.mention, .headline, .posts .card').first().waitFor()
      await page.waitForLoadState('networkidle')
      expect(await layoutShift(page), path).toBeLessThanOrEqual(0.05)
    }
  },
)

it.each([ofCommit([390, 1280])])('a search that fails moves nothing at %d px', async (width) => {
  const page = await open('/?tab=search', { viewport: { width, height: 844 } })
  await inject({ status: 503, times: 3 })
  await search(page, `broken ${width}`)
  await page.getByRole('alert').waitFor()
  expect(await layoutShift(page)).toBeLessThanOrEqual(0.05)
})

it('says that the server is gone, keeps what is loaded, and goes on when it is back', async () => {
  const page = await open('/')
  await page.locator('.mention').first().waitFor()
  await page.route('**/api/**', (route) => route.abort())
  await page.getByText('No answer, changes paused.').waitFor()
  expect(await page.locator('.mention').count()).toBe(8)
  await page.getByText('as of 3:00 PM UTC').waitFor()
  expect(await page.locator('form button[aria-disabled=true]').count()).toBe(1)
  expect(await layoutShift(page)).toBeLessThanOrEqual(0.05)
  await page.getByRole('button', { name: 'mentions', exact: true }).click()
  await page.getByLabel('State').selectOption('Seen and unseen')
  // One message: it goes on by itself.
  expect(await page.getByRole('alert').count()).toBe(0)
  const message = page.getByText(/No answer/).filter({ visible: true })
  expect(await message.count()).toBe(1)
  await page.unroute('**/api/**')
  await page.locator('.mention').first().waitFor()
  await page.getByText(/No answer/).waitFor({ state: 'detached' })
})

it('shows after a reload what it last had, and of which time, while the server is gone', async () => {
  const page = await open('/')
  await page.locator('.mention').nth(7).waitFor()
  await page.locator('.listeners li').nth(3).waitFor()
  await page.waitForLoadState('networkidle')
  const shown = page.locator('.headline, .usual, .mention .text, .listeners li')
  const texts = await shown.allInnerTexts()
  await page.route('**/api/**', (route) => route.abort())
  await page.reload()
  await page.getByText('as of 3:00 PM UTC').waitFor()
  await expect.poll(() => shown.allInnerTexts()).toEqual(texts)
  await page.unroute('**/api/**')
  await page.getByRole('button', { name: 'Retry now' }).click()
  await page.getByText(/No answer/).waitFor({ state: 'detached' })
  expect(await page.locator('main.stale').count()).toBe(0)
})

async function expectAccessible(page: Page, width: number): Promise<void> {
  expect(await violations(page)).toEqual([])
  expect(await smallTargets(page, width < 900 ? 44 : 24)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
  const headings = page.locator('h1, h2, h3, h4')
  const levels = await headings.evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1])))
  const jumps = levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1)
  expect(jumps, String(levels)).toEqual([])
}

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

/** Buttons, fields and folded texts that show and are lower or narrower than so many pixels. */
function smallTargets(page: Page, size: number): Promise<string[]> {
  return page.evaluate((size) => {
    const targets = [...document.querySelectorAll('button, select, input, summary')]
    return targets.flatMap((each) => {
      const { width, height } = (each.closest('label') ?? each).getBoundingClientRect()
      if (width === 0 || !each.checkVisibility() || each.matches('.text summary')) return []
      const least = each.matches('.filters label *') ? Math.min(24, size) : size
      if (Math.min(width, height) >= least) return []
      return `${Math.round(width)} × ${Math.round(height)}: ${each.outerHTML.slice(0, 120)}`
    })
  }, size)
}

it.each(['light', 'dark'] as const)('in %s, series differ by contrast and pattern', async (colorScheme) => {
  const page = await open('/', { colorScheme })
  const luminances = await page.evaluate(() =>
    ['accent', 'second', 'surface'].map((name) => {
      const context = document.createElement('canvas').getContext('2d')!
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.color = `var(--${name})`
      context.fillStyle = getComputedStyle(probe).color
      context.fillRect(0, 0, 1, 1)
      const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) => {
        const part = value / 255
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
    }),
  )
  const contrast = (a: number, b: number) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
  const [first, second, surface] = luminances as [number, number, number]
  expect(contrast(first, second)).toBeGreaterThan(1.5)
  expect(Math.min(contrast(first, surface), contrast(second, surface))).toBeGreaterThan(3)
  await searched(page, 'react', { versus: 'vue', pages: 1 })
  const pattern = page.locator('.bar.s1').first()
  expect(await pattern.evaluate((bar) => getComputedStyle(bar).backgroundImage)).toMatch(/repeating/)
})
