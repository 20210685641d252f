import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { serveSandbox } from '../support/sandbox.ts'
import { launchChromium } from '../browser/chromium.ts'
import { Example, closing, serviceOf } from './example.ts'

/** One search finds two thirds of the posts, the other one as well, so a third matches both. */
const postsOf = (count: number, first = 0) =>
  Array.from({ length: count }, (_, i) => ({
    id: `${first + i}`,
    body: ['react', 'vue', 'react & vue'][i % 3]!,
    author: `author_${i % 7}`,
    timestamp: new Date(Date.UTC(2026, 8, 20, 0, first + i)).toISOString(),
  }))
const serve = async (microblog: ReturnType<typeof postsOf>, seed = 1) =>
  closing(await serveSandbox({ seed, content: { microblog }, limits: { perMinute: false } }))

function writeSearches({ folder }: Example, dailyCredits: number): void {
  const text = `export const searches = [{ query: 'react' }, { query: 'vue' }]
    export const dailyCredits = ${dailyCredits}`
  writeFileSync(join(folder, 'searches.ts'), text)
}

/** The example with two searches. */
async function install(dailyCredits: number) {
  const example = await Example.install('archive')
  writeSearches(example, dailyCredits)
  function query<Row = Record<string, unknown>>(sql: string): Row[] {
    const db = new DatabaseSync(join(example.folder, 'posts.db'))
    try {
      return db.prepare(sql).all() as Row[]
    } finally {
      db.close()
    }
  }
  const ids = (search: string) =>
    query<{ id: string }>(`SELECT id FROM matches WHERE search ->> 'query' = '${search}'`)
      .map(({ id }) => id)
      .sort()
  return { example, ids }
}
const idsAbout = (posts: ReturnType<typeof postsOf>, word: string) =>
  posts
    .filter(({ body }) => body.includes(word))
    .map(({ id }) => id)
    .sort()

it('archive stops at the budget of a day, closes the gap later, and then buys one page of each search', async () => {
  const posts = postsOf(120)
  const sandbox = await serve(posts)
  const { example, ids } = await install(6)
  const run = async (service: typeof sandbox, script = 'start', ...args: string[]) => {
    const started = example.start(serviceOf(service), script, ...args)
    expect(await started.ended(), started.output).toBe(0)
    return started.output
  }
  const message =
    'The budget of today is used up; tomorrow continues\nToday: 6 of 6 credits spent, 0 uncertain\n'
  expect(await run(sandbox)).toContain(`react: 60 new posts, more to come\n${message}`)
  expect(await run(sandbox)).toContain(message)
  expect(sandbox.ledger.spent).toBe(6)

  // The next day, new posts have moved the old ones down, across pages.
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(example.folder, `credits.sqlite${end}`), { force: true })
  writeSearches(example, 1000)
  const all = [...postsOf(40, 120), ...posts]
  // A service of another seed also refuses the old cursor, so the walk begins again.
  const later = await serve(all, 2)
  const refused = example.start(serviceOf(later))
  expect(await refused.ended(), refused.output).toBe(1)
  expect(refused.output).toMatch(/ValidationError: .*cursor.* \(charged: no\)/)
  await run(later)
  expect(ids('react')).toEqual(idsAbout(all, 'react'))
  expect(ids('vue')).toEqual(idsAbout(all, 'vue'))
  const { spent } = later.ledger
  expect(await run(later)).toContain(`react: 0 new posts\nvue: 0 new posts\nToday: ${spent + 4} of 1000`)
  expect(later.ledger.spent).toBe(spent + 4)
})

it('archive finds words, and reports a week in one file that loads nothing', async () => {
  const strange = {
    body: 'react with C++ <script>\u001b[2J',
    author: '<b>&',
    timestamp: '2026-09-20T12:00:00.000Z',
    url: 'javascript:alert(1)',
  }
  // Two weeks before, too: without older posts, the week before may be incomplete.
  const old = [8, 8, 20].map((days, i) => ({
    ...{ id: `old ${i}`, body: 'react', author: 'ada' },
    timestamp: new Date(Date.UTC(2026, 8, 20 - days)).toISOString(),
  }))
  const sandbox = await serve([{ ...strange, id: 'strange' }, ...postsOf(30), ...old])
  const { example } = await install(100)
  expect(await example.start(serviceOf(sandbox)).ended()).toBe(0)
  const found = example.start({}, 'find', 'c++', 'REACT')
  expect(await found.ended()).toBe(0)
  expect(found.output).toMatch(/^2026-09-20 @<b>& react with C\+\+ <script> \[2J javascript:\S+\n$/)
  const report = example.start({}, 'report')
  expect(await report.ended(), report.output).toBe(0)
  expect(report.output).toBe('report.html is written: 31 posts from 2026-09-14 to 2026-09-20\n')
  const html = readFileSync(join(example.folder, 'report.html'), 'utf8')
  expect(html).not.toMatch(/src=|<script|<link|url\(|href="(?!https:)/)

  const browser = closing(await launchChromium())
  const page = await browser.newPage()
  await page.goto(`file://${example.folder}/report.html`)
  expect(await page.locator('h1').textContent()).toBe('react and vue')
  const rows = (await page.locator('tr').allTextContents()).map((row) => row.replaceAll(/\s+/g, ' '))
  // Each of the 31 posts once in a day, those about both in both searches.
  expect(rows.slice(1, 3)).toEqual([' react 21 ×11 0 51%', ' vue 20 0 49%'])
  expect(rows.at(-1)).toBe('Sun, Sep 2041')
  const links = await page.locator('ol a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(await page.locator('ol li').count()).toBe(5)
  expect(links.every((link) => link?.startsWith('https://microblog.example/'))).toBe(true)
})
