import { expect, it } from 'vitest'
import { layoutShift, now, setUpDashboard } from './helpers.ts'
import { made, serve } from './made.ts'

const { open, sent } = setUpDashboard({ NOW: now })
it('of 100,000 mentions, nothing moves when their count and their listeners arrive late', async () => {
  const page = await open('/?tab=search', { viewport: { width: 390, height: 844 } })
  await serve(page, made(100_000, now))
  await page.route(/\/api\/social\/(mentions\/count|listeners)/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 600))
    return route.fallback()
  })
  await page.goto(`${page.url().split('?')[0]}?tab=mentions`)
  await page.getByText('of 100,000 mentions unseen').waitFor()
  const listener = page.locator('.mention .fit', { hasText: /react|vue/ })
  await listener.first().waitFor()
  expect(await layoutShift(page)).toBeLessThanOrEqual(0.05)
})

it('the first view is free, says that its data is made up, and its first mentions stand in the first screen', async () => {
  const page = await open('/', { viewport: { width: 1280, height: 800 } })
  await page.locator('.mention').nth(7).waitFor()
  await page.getByText('Demo data').waitFor()
  const box = await page.locator('.mention').nth(7).boundingBox()
  expect(box!.y + box!.height).toBeLessThan(800)
  expect(sent).toEqual([])
  expect(await layoutShift(page)).toBeLessThanOrEqual(0.05)
})

it('the first view searches by one field and a button that is alive, until a word is there', async () => {
  const page = await open('/')
  await page.locator('.mention').first().waitFor()
  const button = page.getByRole('button', { name: 'Search · up to 6 credits' })
  expect(await page.locator('form :is(input, select):visible').count()).toBe(1)
  expect(await button.getAttribute('class')).toContain('primary')
  await page.getByLabel('Search posts').fill('coffee')
  await page.getByLabel('Language').waitFor()
  await button.waitFor()
})

it.each([
  ['/', 274],
  ['/?tab=mentions', 274],
  ['/', 100_000],
  ['/?tab=mentions', 100_000],
])(
  'on a phone, the first mention of %s of %d stands in the upper half, and no text stands on another',
  async (path, count) => {
    const page = await open('/?tab=search', { viewport: { width: 390, height: 844 } })
    await serve(page, made(count, now))
    await page.goto(new URL(path, page.url()).href)
    await page.locator('.mention').first().waitFor()
    await page.locator('.legend', { hasText: /peak/ }).waitFor()
    const box = (selector: string) => page.locator(selector).first().boundingBox()
    const [first, legend, scale] = [await box('.mention'), await box('.legend'), await box('.scale span')]
    expect(first!.y).toBeLessThanOrEqual(360)
    expect(first!.height).toBeLessThanOrEqual(92)
    expect(legend!.y + legend!.height).toBeLessThanOrEqual(scale!.y + 4)
  },
)

it('the page says its zone, and a bar of the first view opens the mentions of its day there', async () => {
  const page = await open('/', { timezoneId: 'Pacific/Auckland' })
  await page.getByText('Days and times are in New Zealand Time.').waitFor()
  await page.locator('.bucket').last().click()
  await page.getByRole('heading', { name: /mentions? unseen, Nov 19$/ }).waitFor()
  await page.locator('.plot summary').click()
  const count = await page.locator('.plot tbody td').first().innerText()
  await expect.poll(() => page.locator('.mention').count()).toBe(Number(count))
})
