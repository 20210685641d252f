import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasFocus, headline, plain, result, search, searched, setUpDashboard } from './helpers.ts'

describe('a search', () => {
  const { open, inject, budget } = setUpDashboard({}, { mayFail: true })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  it('that fails says so in plain words, what it cost, and the technical line on request', async () => {
    const page = await open('/?tab=search')
    await inject({ status: 503, times: 3 })
    await search(page, 'tea')
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.innerText()).toMatch(
      /^The service is temporarily unavailable\..*You were not charged\./s,
    )
    expect(await alert.innerText()).not.toMatch(/req_|503|Injected/)
    await alert.getByText('Details').click()
    expect(await alert.innerText()).toMatch(/503.*Injected.*Request req_\w+/s)
    expect(plain(await headline(page).textContent())).toBe('The search for tea failed')
    await alert.getByRole('button', { name: 'Try again · 2 credits' }).press('Enter')
    await result(page)
    expect(await hasFocus(headline(page))).toBe(true)
    expect((await budget()).spent).toBe(2)
  })

  it('that fails names its words, and offers only earlier searches that have loaded', async () => {
    const page = await open('/?tab=search')
    await searched(page, 'coffee')
    await inject({ status: 503, times: 6 })
    await search(page, 'rain', { versus: 'snow', pages: 3 })
    await button(page, 'Compare · up to 12 credits').waitFor()
    await page.getByText('Your last searches open for free:').waitFor()
    expect(plain(await headline(page).textContent())).toBe('The search for rain and snow failed')
    await button(page, 'Try again · up to 12 credits').waitFor()
    expect(await page.locator('.summary, .chart, .posts, .ghost').count()).toBe(0)
    expect(await page.getByRole('button', { name: /rain|snow/ }).count()).toBe(0)
    await button(page, 'coffee, 28 days').press('Enter')
    expect(await result(page)).toMatch(/^20 posts about coffee/)
  })

  it('whose response is lost counts as uncertain', async () => {
    const page = await open('/?tab=search')
    await inject({ reset: 'after' })
    await search(page, 'music')
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toMatch(/You may have been charged 2 credits\./)
    await page.getByText(/^2 uncertain · resets /).waitFor()
  })

  it('keeps what was bought when the next page fails', async () => {
    const page = await open('/?tab=search')
    await searched(page, 'coffee')
    await inject({ status: 502, times: 3 })
    const more = button(page, 'Load up to 20 more posts · 2 credits')
    await more.press('Enter')
    await page.getByRole('alert').getByText('The service is temporarily unavailable.').waitFor()
    expect(plain(await headline(page).textContent())).toMatch(/^20 posts about coffee/)
    await more.press('Enter')
    await page.getByText(/^40 posts about .coffee/).waitFor()
  })

  it('waits while the browser is offline, says so once in the first screen, and can be canceled', async () => {
    const page = await open('/?tab=search', { viewport: { width: 390, height: 844 } })
    await page.getByText('credits left').waitFor()
    await page.context().setOffline(true)
    await search(page, 'books')
    const message = page.getByText('You are offline.')
    await message.waitFor()
    await page.getByText('The search will be sent, for 2 credits, when you are online again.').waitFor()
    expect(await page.locator('form button[aria-disabled=true]').innerText()).toMatch(/^Search ·/)
    expect((await message.boundingBox())!.y).toBeLessThan(422)
    await button(page, 'Cancel the search').press('Enter')
    await page.getByText('Not loaded yet.').waitFor()
    expect(await message.count()).toBe(0)
    await search(page, 'books')
    await message.waitFor()
    await page.context().setOffline(false)
    await result(page)
    expect(await message.count()).toBe(0)
  })

  it('without results says what to try', async () => {
    const page = await open('/?tab=search')
    expect(await searched(page, 'nothing')).toBe('No posts about nothing in 28 days')
    await page.getByText('Try fewer or other words, any language, or more days.').waitFor()
    expect(await page.locator('.summary, .posts').count()).toBe(0)
    await button(page, 'Change the words').press('Enter')
    await expect.poll(() => hasFocus(page.getByLabel('Search posts'))).toBe(true)
  })

  it('counts down after a 429, then goes on', async () => {
    const page = await open('/?tab=search')
    await inject({ status: 429, retryAfter: 5 })
    await search(page, 'climate')
    const countdown = page.locator('.countdown')
    await countdown.waitFor()
    const first = Number(await countdown.textContent())
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThanOrEqual(5)
    await page.waitForFunction(
      (first) => Number(document.querySelector('.countdown')?.textContent ?? first) < first,
      first,
    )
    await result(page)
  })

  it('that is cancelled during a wait costs nothing', async () => {
    const page = await open('/?tab=search')
    const before = await budget()
    await inject({ status: 429, retryAfter: 30 })
    await search(page, 'travel')
    await page.getByText('The service asked to slow down').waitFor()
    await button(page, 'Cancel the search').press('Enter')
    await page.getByText('Not loaded yet.').waitFor()
    expect(await hasFocus(headline(page))).toBe(true)
    expect(await budget()).toMatchObject({ spent: before.spent, uncertain: before.uncertain })
  })
})

describe('with the budget used up', () => {
  const { open, budget } = setUpDashboard({ CREDITS: '3' })

  it('one message says when the budget is whole again and offers stored searches, and no button costs credits', async () => {
    const page = await open('/?tab=search')
    await page.getByRole('button', { name: 'Search · 2 credits' }).waitFor()
    const said = await searched(page, 'coffee')
    await page.getByText(/ All 3 are back at 12:00\sAM\sUTC\.$/).waitFor()
    // What is here stays free.
    await page.getByRole('button', { name: 'Search · free (already loaded)' }).waitFor()
    expect(await page.getByRole('button', { name: /[1-9]\d* credits?$/ }).count()).toBe(0)
    await page.goto(page.url().split('?')[0]!)
    expect(await page.locator('.meter i').first().getAttribute('style')).toContain('--second')
    const notice = page.locator('.notice')
    await notice.getByText('A page costs 2 credits, and you have 1.').waitFor()
    expect(await page.getByText(/are back at/).count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Search', exact: true }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'coffee, 28 days', exact: true }).click()
    expect(await result(page)).toBe(said)
    await page.goto(page.url().replace('coffee', 'climate'))
    await page.getByText('Not loaded yet.').waitFor()
    // The budget comes a moment later.
    await notice.getByText('A page costs').waitFor()
    expect(await notice.count()).toBe(1)
    expect(await page.getByRole('button', { name: /^Load these/ }).count()).toBe(0)
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await notice.getByRole('button', { name: 'Read mentions · free' }).click()
    await page.locator('.mention').first().waitFor()
    expect((await budget()).spent).toBe(2)
  })
})
