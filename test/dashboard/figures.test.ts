import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ofCommit } from '../support/of-commit.ts'
import { postWith } from '../support/pages.ts'
import { headline, numbers, plain, result, setUpDashboard } from './helpers.ts'
import { type Made, isUnseen, made, serve } from './made.ts'

/** At this time it is already the next day in Auckland. */
const now = '2026-11-28T13:51:00.000Z'
const day = 86_400_000
const { open } = setUpDashboard({ NOW: now })

type Case = [count: number, timezoneId: string]
const few: Case[] = [
  [5, 'Pacific/Auckland'],
  [273, 'Asia/Kolkata'],
]
const many: Case[] = [
  [5000, 'America/Los_Angeles'],
  [100_000, 'Pacific/Auckland'],
]
const cases = [ofCommit(few), ofCommit(many)]
const number = (value: number) => value.toLocaleString('en')

/** The day of a time in a zone, as the page writes it: `Nov 29`. */
const dayIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en', { timeZone, month: 'short', day: 'numeric' })
  const names = new Map<number, string>()
  return (time: number) => {
    // Zones differ by whole quarters of an hour.
    const quarter = Math.floor(time / 900_000)
    if (!names.has(quarter)) names.set(quarter, format.format(quarter * 900_000))
    return names.get(quarter)!
  }
}
const lastDays = (nameOf: (time: number) => string, days: number) =>
  Array.from({ length: days }, (_, i) => nameOf(Date.parse(now) - i * day))

/** The table of a chart, without its head: names and cells. */
async function table(page: Page): Promise<[string, string[]][]> {
  await page.locator('.plot summary').click()
  const rows = page.locator('.plot tbody tr')
  const texts = await rows.evaluateAll((all) =>
    all.map((row) => ({
      name: row.querySelector('th')!.textContent,
      cells: [...row.querySelectorAll('td')].map((cell) => cell.textContent),
    })),
  )
  return texts.map(({ name, cells }) => [plain(name), cells])
}

describe('of mentions', () => {
  it.each(cases)('each figure follows from %d of them in %s', async (count, timezoneId) => {
    const all = made(count, now)
    const page = await open('/?tab=search', { timezoneId })
    await serve(page, all)
    await page.getByRole('button', { name: 'today' }).click()
    await page.locator('.mention').first().waitFor()

    const nameOf = dayIn(timezoneId)
    const days = lastDays(nameOf, 28)
    const named = all.map((each) => ({ ...each, day: nameOf(Date.parse(each.publishedAt)) }))
    // Mentions of 40 days: no day of them has the name of another.
    const byDay = Map.groupBy(named, ({ day }) => day)
    const counts = days.map((name) => byDay.get(name)?.length ?? 0)
    const recent = named.filter(({ day }) => days.includes(day))
    const [today = 0, ...past] = counts
    const usual = past.toSorted((a, b) => a - b)[13]!
    const leads = (id: string) =>
      byDay.get(days[0]!)?.filter(({ listenerId }) => listenerId === id).length ?? 0
    const [react, vue] = [leads('lis_react'), leads('lis_vue')]
    const unseenToday = (byDay.get(days[0]!) ?? []).filter(isUnseen).length
    const said =
      today === 0
        ? 'No mentions today'
        : `${number(today)} mention${today === 1 ? '' : 's'} today, ${number(unseenToday)} unseen`
    await expect.poll(async () => plain(await headline(page).textContent())).toBe(said)
    const sentence = [
      today > 1 && react !== vue
        ? `${number(Math.max(react, vue))} for ${react > vue ? 'react' : 'vue'}. `
        : '',
      usual > 0
        ? `A usual day ends with ${number(usual)} (median).`
        : `${number(recent.length)} in 28 days, seen or not.`,
    ]
    await expect.poll(async () => plain(await page.locator('.usual').textContent())).toBe(sentence.join(''))
    const unseen = all.filter(isUnseen)
    await page.getByRole('heading', { name: `${number(unseen.length)} unseen, any age` }).waitFor()
    expect(await page.locator('.mention .text').allTextContents()).toEqual(
      unseen.slice(0, 8).map(({ text }) => text),
    )
    const hasChart = recent.length >= 10
    expect(await page.locator('.chart').count()).toBe(hasChart ? 1 : 0)
    const expected = days.map((name, i) => [i === 0 ? `${name} so far` : name, [number(counts[i]!)]])
    if (hasChart) {
      await page
        .getByText(`${number(recent.length)} in 28 days`)
        .first()
        .waitFor()
      await expect.poll(() => page.locator('.plot tbody td', { hasText: '–' }).count()).toBe(0)
      expect(await table(page)).toEqual(expected)
    }
    const ofVue = recent.filter(({ listenerId }) => listenerId === 'lis_vue').length
    const line = page.locator('.listeners li', { has: page.getByText('vue', { exact: true }) })
    const share = recent.length < 10 ? '' : `${Math.round((100 * ofVue) / recent.length)}%`
    expect((await line.innerText()).split(/\s+/).filter(Boolean)).toEqual(
      ['vue', number(ofVue), share].filter(Boolean),
    )

    await page.getByRole('button', { name: `See all ${number(count)} mentions` }).click()
    await page.getByText(`${number(unseen.length)} of ${number(count)} mentions unseen`).waitFor()
    expect(await page.locator('.chart').count()).toBe(count >= 10 ? 1 : 0)
    if (count < 10) return
    if (hasChart) {
      const unseenOf = (name: string) => number((byDay.get(name) ?? []).filter(isUnseen).length)
      const shown = days.map((name, i) => [expected[i]![0], [unseenOf(name)]])
      await page
        .getByText(`${number(recent.filter(isUnseen).length)} unseen in 28 days`)
        .first()
        .waitFor()
      await expect.poll(() => page.locator('.plot tbody td', { hasText: '–' }).count()).toBe(0)
      expect(await table(page)).toEqual(shown)
    }
    await page.getByLabel('Sort').selectOption('Best fit first')
    await page.getByLabel('Listener').selectOption('vue')
    const some = named.filter(({ listenerId }) => listenerId === 'lis_vue')
    const title = (of: Made[]) =>
      `${number(of.filter(isUnseen).length)} of ${number(of.length)} mentions unseen`
    await page.getByText(title(some), { exact: true }).waitFor()
    const best = some.filter(isUnseen).toSorted((a, b) => b.fitScore - a.fitScore)
    const texts = best.slice(0, 50).map(({ text }) => text)
    await expect.poll(() => page.locator('.mention .text').allTextContents()).toEqual(texts)
    const ofDay = some.filter(({ day }) => day === days[5])
    await page.getByRole('button', { name: days[5]!, exact: true }).click()
    const noun = ofDay.length === 1 ? 'mention' : 'mentions'
    const found = ofDay.length === 0 ? 'No mentions like these' : title(ofDay).replace('mentions', noun)
    await page.getByText(`${found}, ${days[5]}`, { exact: true }).waitFor()
  })
})

describe('of a search', () => {
  it.each(cases)('each figure follows from the pages of %d posts in %s', async (count, timezoneId) => {
    const all = made(count, now).map(toPost)
    const page = await open('/', { timezoneId })
    await page.route('**/tweets/search', (route) => {
      const from = Number(route.request().postDataJSON().cursor ?? 0)
      // The proxy keeps what has been paid for.
      if (from >= 60) return route.fulfill({ status: 204 })
      const hasMore = from + 20 < all.length
      const meta = { returnedCount: 20, hasMore, ...(hasMore && { nextCursor: String(from + 20) }) }
      return route.fulfill({ json: { requestId: `r${from}`, posts: all.slice(from, from + 20), meta } })
    })
    const nameOf = dayIn(timezoneId)
    const days = lastDays(nameOf, 28)
    await page.getByLabel('Search posts').fill('tea')
    await page.getByLabel('Posts of each search').selectOption('3')
    await page.keyboard.press('Enter')
    const said = await result(page)

    const loaded = await page
      .getByRole('region', { name: 'Posts about tea' })
      .getByText(/\d posts? ·/)
      .innerText()
    const listed = Number(/^[\d,]+/.exec(loaded)![0].replaceAll(',', ''))
    const named = all.map((post) => ({ ...post, day: nameOf(Date.parse(post.timestamp)) }))
    const inPeriod = named.filter(({ day }) => days.includes(day))
    const isPartial = count > 60 && Date.parse(all[59]!.timestamp) > Date.parse(inPeriod.at(-1)!.timestamp)
    const counted = isPartial ? named.slice(0, 60) : inPeriod
    expect(listed).toBe(counted.length)
    const since = new Date(counted.at(-1)!.timestamp).toLocaleString('en', {
      ...{ timeZone: timezoneId, month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
      timeZoneName: 'short',
    })
    const posts = `${counted.length} ${counted.length === 1 ? 'post' : 'posts'} about tea`
    expect(said).toBe(plain(`${posts} ${isPartial ? `since ${since}` : 'in 28 days'}`))
    const sum = (of: (post: (typeof all)[number]) => number) => counted.map(of).reduce((a, b) => a + b, 0)
    const figures = {
      Posts: counted.length,
      Views: sum(({ engagements }) => engagements.viewsCount),
      Engagement: sum(({ engagements }) => engagements.favoriteCount),
      Authors: new Set(counted.map(({ author }) => author)).size,
    }
    for (const [name, value] of Object.entries(figures))
      expect((await numbers(page, name))[0]!.split(' ')[0], name).toBe(number(value))

    // Of what is counted, a whole day has all of its posts; the first and the last one say what they lack.
    await page.goto(`${page.url()}&by=days`)
    await result(page)
    const byDay = Map.groupBy(counted, ({ day }) => day)
    const oldest = counted.at(-1)!.day
    const shown = isPartial ? days.slice(0, days.indexOf(oldest) + 1) : days
    const rows = await table(page)
    expect(rows.map(([, cells]) => cells)).toEqual(
      shown.map((name) => [number(byDay.get(name)?.length ?? 0)]),
    )
    for (const [i, [name, [cell]]] of rows.entries()) {
      const isOpen = i === 0 || (isPartial && i === rows.length - 1)
      if (!isOpen)
        expect([name, cell]).toEqual([shown[i], number(named.filter(({ day }) => day === shown[i]).length)])
      else expect(name).toMatch(new RegExp(`^${shown[i]} .*(so far|from )`))
    }
  })
})

/** A mention as a post. */
const toPost = ({ id, publishedAt: timestamp, text: body, fitScore }: Made, i: number) =>
  postWith(
    id,
    { favoriteCount: fitScore, viewsCount: 31 * fitScore },
    { author: `author ${i % 17}`, body, timestamp },
  )
