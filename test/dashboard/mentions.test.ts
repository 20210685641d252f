import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { hasFocus, now, setUpDashboard } from './helpers.ts'

const { open, budget } = setUpDashboard({ NOW: now })

async function openMentions(query = ''): Promise<Page> {
  const page = await open(`/?tab=mentions${query}`)
  await page.locator('.mention').first().waitFor()
  return page
}
const unseen = async (page: Page) => {
  const text = await page.getByText(/\d+ of \d+ unseen/).textContent()
  return text!.match(/\d+/g)!.map(Number) as [unseen: number, all: number]
}

/** Waits for the answers to so many changes: they show before that. Begin it before the press. */
function saved(page: Page, changes: number): Promise<unknown> {
  return page.waitForResponse((response) => response.url().endsWith('/state') && --changes === 0)
}

it('a marked mention keeps its place and the focus, and undo brings it back', async () => {
  const page = await openMentions()
  const [before, all] = await unseen(page)
  const first = page.locator('.mention').first()
  const text = await first.locator('p').textContent()
  const seen = first.getByRole('button', { name: 'Seen' })
  const isMarked = saved(page, 1)
  await seen.press('Enter')
  await page.getByText('1 marked as seen').waitFor()
  await expect.poll(() => unseen(page)).toEqual([before - 1, all])
  expect(await hasFocus(seen)).toBe(true)
  expect(await first.locator('p').textContent()).toBe(text)

  await isMarked
  const undo = page.getByRole('button', { name: 'Undo' })
  const isUndone = saved(page, 1)
  await undo.press('Enter')
  await expect.poll(() => unseen(page)).toEqual([before, all])
  expect(await hasFocus(undo)).toBe(true)
  await isUndone
  await page.reload()
  expect(await unseen(page)).toEqual([before, all])
})

it('several mentions are marked at once, and stay so', async () => {
  const page = await openMentions()
  const [before, all] = await unseen(page)
  for (const index of [0, 1, 2]) await page.locator('.mention').nth(index).getByRole('checkbox').check()
  await page.getByText('3 chosen').waitFor()
  const areSaved = saved(page, 3)
  const mark = page.getByRole('button', { name: 'Done the chosen' })
  await mark.press('Enter')
  expect(await hasFocus(mark)).toBe(true)
  await areSaved
  await page.reload()
  expect(await unseen(page)).toEqual([before - 3, all])
})

it('"Show all" lists seen mentions, too, and keeps the focus', async () => {
  const page = await openMentions()
  const [, all] = await unseen(page)
  const show = page.getByRole('button', { name: `Show all ${all}` })
  await show.press('Enter')
  const back = page.getByRole('button', { name: 'Show unseen only' })
  expect(await hasFocus(back)).toBe(true)
  await page.getByRole('button', { name: `Show ${all - 10} more` }).click()
  expect(await page.locator('.mention').count()).toBe(all)
})

it('mentions have filters by network, listener and fit, and the address holds them', async () => {
  const page = await openMentions()
  const [, all] = await unseen(page)
  await page.getByLabel('Network').selectOption('technews')
  await page.getByLabel('Fit').selectOption('Fit of 50 or more')
  const [, filtered] = await unseen(page)
  expect(filtered).toBeLessThan(all)
  const sources = await page.locator('.mention a').allTextContents()
  expect(sources.every((source) => source.includes(', technews, '))).toBe(true)
  const fits = await page.getByText(/^fit \d+$/).allTextContents()
  expect(fits.every((fit) => Number(fit.slice(4)) >= 50)).toBe(true)
  await page.reload()
  expect(await unseen(page)).toEqual([expect.any(Number), filtered])

  await page.getByLabel('Network').selectOption('Any network')
  await page.getByLabel('Fit').selectOption('Any fit')
  await page.getByLabel('Listener').selectOption('Mentions of coffee')
  const [, ofListener] = await unseen(page)
  expect(ofListener).toBeLessThan(all)
  expect(ofListener).toBeGreaterThan(0)
})

it('a bar leads to the mentions of its day', async () => {
  const page = await openMentions('&state=all')
  await page.locator('.bucket .bar:not([style*="height: 0%"])').first().click()
  const day = await page.getByRole('heading', { level: 3 }).textContent()
  await page.getByText('Show as a table').click()
  const row = page.locator('tr', { has: page.getByRole('button', { name: day!, exact: true }) })
  const counts = (await row.locator('td').allTextContents()).map(Number)
  expect(await page.locator('.mention').count()).toBe(counts.reduce((sum, count) => sum + count, 0))
})

it('the best fit comes first on request, and each mention says who found it', async () => {
  const page = await openMentions('&state=all')
  await page.getByLabel('Order').selectOption('Best fit first')
  const texts = await page.locator('.mention abbr').allTextContents()
  const fits = texts.map((text) => Number(text.replace('fit ', '')))
  expect(fits).toEqual(fits.toSorted((a, b) => b - a))
  expect(fits[0]).toBeGreaterThan(90)
  // The names of listeners come in an answer of their own.
  await page
    .locator('.mention')
    .first()
    .getByText(/^Mentions of (react|vue|typescript|coffee)$/)
    .waitFor()
  expect(await page.locator('.mention abbr').first().getAttribute('title')).toMatch(/0 to 100/)
})

it('"Ignore" takes a mention out of what is unseen, on a phone in the first screen', async () => {
  const page = await open('/?tab=mentions', { viewport: { width: 390, height: 844 } })
  const first = page.locator('.mention').first()
  await first.waitFor()
  const [before, all] = await unseen(page)
  const box = await first.boundingBox()
  expect(box!.y + box!.height).toBeLessThan(790)
  await first.getByRole('button', { name: 'Ignore' }).click()
  await page.getByText('1 marked as ignored').waitFor()
  await expect.poll(() => unseen(page)).toEqual([before - 1, all])
})

it('the companies of the search are offered with their price, and one that was looked up shows again for none', async () => {
  const page = await open('/?tab=company&q=React&vs=vue')
  await page.getByRole('button', { name: 'vue · 4 credits' }).waitFor()
  await page.getByRole('button', { name: 'React · 4 credits' }).press('Enter')
  const facts = page.locator('.facts')
  await facts.waitFor()
  const names = await facts.locator('dt').allTextContents()
  expect(names).toEqual(
    'Website,Industry,Employees,Followers,Founded,Headquarters,Other places,Specialities'.split(','),
  )
  expect(await page.getByLabel('URL of the company').inputValue()).toMatch(/company\/react$/)
  const said = await facts.innerText()
  await page.reload()
  await facts.waitFor()
  expect(await facts.innerText()).toBe(said)
  expect((await budget()).spent).toBe(4)
  await page.goto(`${page.url().split('?')[0]}?tab=company&company=https://professionalnet.example/x`)
  await page.getByText('Not loaded yet').waitFor()
  expect((await budget()).spent).toBe(4)
})
