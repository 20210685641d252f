import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { hasFocus, now, setUpDashboard } from './helpers.ts'
import { isUnseen, made, serve } from './made.ts'

const { open } = setUpDashboard({ NOW: now }, { mayFail: true })

async function openMentions(query = ''): Promise<Page> {
  const page = await open(`/?tab=mentions${query}`)
  await page.locator('.mention').first().waitFor()
  return page
}
const unseen = async (page: Page) => {
  const text = await page.getByText(/^\d+ of \d+ mentions unseen/).textContent()
  return text!.match(/\d+/g)!.map(Number) as [unseen: number, all: number]
}
const text = (page: Page, index = 0) => page.locator('.mention .text').nth(index).textContent()

/** Waits for the answers to so many changes: they show before that. Begin it before the press. */
function saved(page: Page, changes: number): Promise<unknown> {
  return page.waitForResponse((response) => response.url().endsWith('/state') && --changes === 0)
}

it('a marked mention keeps its place and the focus, and undo brings it back', async () => {
  const page = await openMentions()
  const [before, all] = await unseen(page)
  const first = await text(page)
  const seen = page.locator('.mention').first().getByRole('button', { name: 'Seen' })
  const isMarked = saved(page, 1)
  await seen.press('Enter')
  await page.getByText('1 marked as seen').waitFor()
  await expect.poll(() => unseen(page)).toEqual([before - 1, all])
  expect(await hasFocus(seen)).toBe(true)
  expect(await text(page)).toBe(first)

  await isMarked
  const isUndone = saved(page, 1)
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect.poll(() => unseen(page)).toEqual([before, all])
  expect(await hasFocus(page.getByRole('heading', { name: /mentions unseen/ }))).toBe(true)
  await isUndone
  await page.reload()
  expect(await unseen(page)).toEqual([before, all])
})

it('a mark that fails goes back, and nothing says that it worked until a retry does', async () => {
  const page = await openMentions()
  const before = await unseen(page)
  await page.route('**/state', (route) => route.abort())
  const seen = page.locator('.mention').first().getByRole('button', { name: 'Seen' })
  await seen.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await seen.getAttribute('aria-pressed')).toBe('false')
  expect(await unseen(page)).toEqual(before)
  expect(await page.getByText(/marked as|Undo/).count()).toBe(0)
  await page.unroute('**/state')
  await page.getByRole('button', { name: 'Try again' }).press('Enter')
  await page.getByText('1 marked as seen').waitFor()
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect.poll(() => unseen(page)).toEqual(before)
})

it('"Choose these" is for what is shown, and one press marks it', async () => {
  const page = await openMentions('&listener=lis_vue')
  const [before, total] = await unseen(page)
  const shown = await page.locator('.mention').count()
  expect(shown).toBe(Math.min(50, before))
  const all = page.getByRole('checkbox', { name: `Choose these ${shown}` })
  await all.check()
  await page.getByText(`${shown} chosen`).waitFor()
  await all.uncheck()
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
  await all.check()
  const areSaved = saved(page, shown)
  await page.getByRole('button', { name: 'Seen the chosen' }).press('Enter')
  await page.getByText(`${shown} marked as seen`).waitFor()
  await areSaved
  await page.reload()
  expect(await unseen(page)).toEqual([before - shown, total])
})

it('"Seen and unseen" lists all, and filters hold in the address', async () => {
  const page = await openMentions()
  const [, all] = await unseen(page)
  await page.getByLabel('State').selectOption('Seen and unseen')
  await expect.poll(() => page.locator('.mention').count()).toBe(50)
  const more = page.getByRole('button', { name: 'Show more' })
  for (let shown = 50; shown < all; shown += 50) {
    await more.click()
    await expect.poll(() => page.locator('.mention').count()).toBe(Math.min(all, shown + 50))
  }
  expect(await more.count()).toBe(0)

  await page.getByLabel('Network').selectOption('technews')
  await expect.poll(async () => (await unseen(page))[1]).toBeLessThan(all)
  const [, filtered] = await unseen(page)
  await page.locator('.mention').first().waitFor()
  const sources = await page.locator('.mention .source').allTextContents()
  expect(sources.every((source) => source.endsWith(' · Tech news'))).toBe(true)
  await page.reload()
  expect(await unseen(page)).toEqual([expect.any(Number), filtered])
})

it('ages say how many are unseen of each, and a minimum fit leaves the others out', async () => {
  const all = made(274, now)
  const page = await open('/?tab=search')
  await serve(page, all)
  await page.getByRole('button', { name: 'mentions', exact: true }).click()
  await page.locator('.mention').first().waitFor()
  const week = '2026-11-12T00:00:00.000Z'
  const ofWeek = all.filter((each) => isUnseen(each) && each.publishedAt >= week)
  await page.getByRole('button', { name: `7 days ${ofWeek.length}`, exact: true }).click()
  await expect.poll(() => page.locator('.mention').count()).toBe(Math.min(50, ofWeek.length))
  await page.getByLabel('Fit').selectOption('Fit 75 or more')
  const good = ofWeek.filter(({ fitScore }) => fitScore >= 75)
  await page.getByRole('button', { name: `7 days ${good.length}`, exact: true }).waitFor()
  await expect.poll(() => page.locator('.mention').count()).toBe(good.length)
  const older = all.filter(
    (each) => isUnseen(each) && each.fitScore >= 75 && each.publishedAt < '2026-10-22T00:00:00.000Z',
  )
  await page.getByRole('button', { name: `Older ${older.length}`, exact: true }).click()
  const texts = older.slice(0, 50).map(({ text }) => text)
  await expect.poll(() => page.locator('.mention .text').allTextContents()).toEqual(texts)
})

it('"Mark all" marks what matches and nothing else, says how far it is, and stops when told to', async () => {
  const all = made(274, now)
  const page = await open('/?tab=search')
  await serve(page, all)
  const marked: string[] = []
  const isOpen = Promise.withResolvers<void>()
  await page.route('**/state', async (route) => {
    // The first 20 are marked, and the others wait.
    if (marked.length >= 20) await isOpen.promise
    const id = new URL(route.request().url()).pathname.split('/').at(-2)!
    marked.push(id)
    all.find((each) => each.id === id)!.state = route.request().postDataJSON().state
    return route.fulfill({ json: { requestId: 'r' } }).catch(() => {})
  })
  await page.goto(`${page.url().split('?')[0]}?tab=mentions&listener=lis_vue`)
  const ofVue = all.filter(({ listenerId }) => listenerId === 'lis_vue')
  const wanted = ofVue.filter(isUnseen)
  const others = all.filter(isUnseen).length - wanted.length
  const button = page.getByRole('button', { name: /^Mark all/ })
  const start = async (text: string, accept: boolean) => {
    const asked = page.waitForEvent('dialog')
    const pressed = button.click()
    const dialog = await asked
    expect(dialog.message()).toContain(text)
    await (accept ? dialog.accept() : dialog.dismiss())
    await pressed
  }
  await start(`Mark ${wanted.length} mentions as seen? It is free`, false)
  expect(marked).toEqual([])
  await start(`Mark ${wanted.length} mentions`, true)
  await page.getByText(new RegExp(`^20 of ${wanted.length} marked, about 1 min left`)).waitFor()
  await page.getByRole('button', { name: 'Stop' }).press('Enter')
  isOpen.resolve()
  await button.waitFor()
  expect(marked).toHaveLength(40)
  await page.getByText(`${wanted.length - 40} of ${ofVue.length} mentions unseen`).waitFor()
  await start(`Mark ${wanted.length - 40} mentions`, true)
  await page.getByText('Nothing here is unseen.').waitFor()
  expect([wanted.filter(isUnseen).length, all.filter(isUnseen).length]).toEqual([0, others])
})

it('rows are about 50 px high, and "Ignore" works on a phone in the first screen', async () => {
  const wide = await openMentions()
  const heights = await wide
    .locator('.mention')
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(Math.max(...heights)).toBeLessThanOrEqual(56)
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

it('any shape of a mention is listed: what is missing is a dash, and a record without an id hides no other', async () => {
  const page = await open('/', { viewport: { width: 1280, height: 844 } })
  await page.route('**/api/social/mentions/count**', (route) =>
    route.fulfill({ json: { requestId: 'r', count: route.request().url().includes('state') ? 2 : 4 } }),
  )
  const mentions = [
    { id: 'men_1' },
    { id: 'men_2', text: 'רגע\nشكراً', author: 'אבי', fitScore: 'high', url: 'javascript:alert(1)' },
    { text: 'has no id' },
    { id: 'men_3', text: 7, publishedAt: 'soon', state: 'escalated' },
    { id: 'men_4', text: '@ada React 19 هو الأفضل: (v19.3.1) حسب رأيي', state: 'seen' },
  ]
  const json = { requestId: 'r', meta: { hasMore: false }, mentions }
  await page.route('**/api/social/mentions?*', (route) => route.fulfill({ json }))
  await page.goto(`${page.url()}?tab=mentions&state=all`)
  await page.getByText('2 of 4 mentions unseen').waitFor()
  await page.locator('.mention').nth(3).waitFor()
  const rows = await page.locator('.mention').allInnerTexts()
  expect(rows.map((row) => row.match(/–/g)?.length)).toEqual([4, 3, 4, 4])
  const texts = page.locator('.mention .text')
  const directions = await texts.evaluateAll((all) => all.map((text) => getComputedStyle(text).direction))
  expect(directions).toEqual(['ltr', 'rtl', 'ltr', 'rtl'])
  expect(await texts.nth(1).innerText()).toBe('רגע\nشكراً')
  expect(await page.locator('.mention a[href]').count()).toBe(0)
})
