// Ten days of two watches that share a budget, in minutes: time goes faster in their processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { type SearchToWatch, type WatchState, watchSearches } from '../../src/extensions/watch/index.ts'
import { newFolder } from '../support/folder.ts'
import { listening } from '../support/listening.ts'
import { timedPage } from '../support/pages.ts'
import { fastNow } from './watch-days/clock.ts'
import type { Orders } from './watch-days/watcher.ts'

const [days, kills, limit] = [10, 20, 120]
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
/** Noon in Paris, five days before summer time ends there: processes that start or end late meet no midnight. */
const start = Date.parse('2026-10-20T10:00:00Z')
/** `SECONDS=60 npx vitest run --project processes watch-days` is quicker. */
const factor = (days * day) / (1000 * Number(process.env['SECONDS'] ?? 120))

/** Searches of both networks, and how many minutes lie between their posts. */
const networks = [
  { searches: ['acme', 'globex', 'silent'], minutes: [5, 40, Infinity], price: 2 },
  { searches: ['initech', 'umbrella', 'hooli'], minutes: [12, 150, 700], price: 4 },
]

/** When posts are published, the oldest first; `acme` has 900 in one hour of the fourth day. */
function timesOf(query: string): number[] {
  const { searches, minutes } = networks.find(({ searches }) => searches.includes(query))!
  const step = (minutes[searches.indexOf(query)] ?? 0) * minute
  const count = Math.floor(((days + 2) * day) / step)
  const times = Array.from({ length: count }, (_, n) => start - 2 * day + (n + 1) * step)
  const burst = Array.from({ length: 900 }, (_, n) => start + 3.4 * day + n * 4001)
  return query === 'acme' ? [...times, ...burst].sort((a, b) => a - b) : times
}

it('watchSearches() stores each post of ten days once, within the budget of each day, while two processes are killed', async () => {
  const folder = newFolder()
  const database = new DatabaseSync(join(folder, 'posts.db'))
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE posts (name TEXT, id INTEGER, batch INTEGER, PRIMARY KEY (name, id));
    CREATE TABLE batches (id INTEGER PRIMARY KEY, name TEXT, gaps TEXT);
    CREATE TABLE states (name TEXT PRIMARY KEY, state TEXT)`)
  const published = new Map(networks.flatMap(({ searches }) => searches.map((name) => [name, timesOf(name)])))
  const charges: { at: number; credits: number }[] = []
  let now = (): number => start
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { query, cursor, page: number = 1 } = body as { query: string; cursor?: string; page?: number }
      const isNumbered = request.url!.includes('professionalnet')
      const times = published.get(query) ?? []
      const at = now()
      const newest = times.findLastIndex((time) => time <= at)
      const first = isNumbered ? newest - 20 * (number - 1) : Number(cursor ?? newest)
      const numbers = Array.from({ length: 20 }, (_, n) => first - n).filter((each) => each >= 0)
      charges.push({ at, credits: isNumbered ? 4 : 2 })
      const entries = numbers.map((each) => ({ id: `${each}`, time: new Date(times[each]!).toISOString() }))
      const rest = isNumbered ? { number } : first >= 20 && { next: String(first - 20) }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(timedPage(entries, { ...rest })))
    })
  })
  const baseUrl = `${await listening(server)}/v1`
  const clock = { began: Date.now() + 1000, start, factor }
  now = () => fastNow(clock)

  const children: (ChildProcess | undefined)[] = []
  const errors: string[] = []
  let isOver = false
  const searchesOf = (index: number): Record<string, SearchToWatch> =>
    Object.fromEntries(
      networks[index]!.searches.map((query) => [
        query,
        index === 0 ? { query } : ({ query, network: 'professionalnet' } as const),
      ]),
    )
  const run = (index: number): void => {
    const orders: Orders = { clock, folder, baseUrl, limit, searches: searchesOf(index) }
    const file = fileURLToPath(new URL('watch-days/watcher.ts', import.meta.url))
    const child = spawn(process.execPath, [file, JSON.stringify(orders)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    children[index] = child
    child.stderr.on('data', (data: Buffer) => errors.push(String(data)))
    child.on('exit', () => {
      if (!isOver) run(index)
    })
  }
  onTestFinished(() => {
    isOver = true
    for (const child of children) child?.kill('SIGKILL')
    server.close()
  })
  networks.forEach((_, index) => run(index))
  for (let kill = 1; kill <= kills; kill++) {
    const at = clock.began + ((kill - 0.5 * Math.random()) * days * day) / (kills * factor)
    await sleep(Math.max(0, at - Date.now()))
    children[kill % 2]?.kill('SIGKILL')
  }
  await sleep(Math.max(0, clock.began + (days * day) / factor - Date.now()))
  isOver = true
  await Promise.all(
    children.map((child) => new Promise((resolve) => (child?.once('exit', resolve), child?.kill('SIGKILL')))),
  )
  expect(errors.filter((error) => !/ExperimentalWarning|node --trace-warnings/.test(error))).toEqual([])

  // The service's own count of each day in Paris. A request of the evening may arrive in the first hours of the next day.
  const dayOf = (at: number) => new Date(at).toLocaleDateString('sv', { timeZone: 'Europe/Paris' })
  const spent = new Map<string, number>()
  for (const { at, credits } of charges) {
    const evening = dayOf(at - 2 * hour)
    const counted = (spent.get(evening) ?? 0) + credits <= limit ? evening : dayOf(at)
    spent.set(counted, (spent.get(counted) ?? 0) + credits)
  }
  // On a busy machine, a process may have no time for the last of them.
  expect(spent.size).toBeGreaterThan(days / 2)
  expect(Math.max(...spent.values())).toBeLessThanOrEqual(limit)

  // After each batch, the gaps have the times of the known posts around what is missing.
  const rows = database.prepare('SELECT name, id, batch FROM posts ORDER BY batch').all()
  const known = new Map<string, Set<number>>()
  let [next, withGaps] = [0, 0]
  for (const { id, name, gaps } of database.prepare('SELECT * FROM batches ORDER BY id').all()) {
    for (; rows[next] !== undefined && Number(rows[next]!['batch']) <= Number(id); next++) {
      const row = rows[next]!
      const ids = known.get(String(row['name'])) ?? new Set()
      known.set(String(row['name']), ids.add(Number(row['id'])))
    }
    const ids = [...(known.get(String(name)) ?? [])].sort((a, b) => b - a)
    const time = (each: number) => new Date(published.get(String(name))![each]!).toISOString()
    const expected = ids.flatMap((each, n) => {
      const below = ids[n + 1]
      return below === undefined || below === each - 1 ? [] : [{ from: time(below), to: time(each) }]
    })
    if (expected.length > 0) withGaps++
    // A look that ends with a page of new posts cannot know whether older ones are missing.
    const told = (JSON.parse(String(gaps)) as { from: string; to: string }[]).filter(({ from, to }) =>
      published.get(String(name))!.some((each) => each > Date.parse(from) && each < Date.parse(to)),
    )
    expect(told).toEqual(expected)
  }
  expect(withGaps).toBeGreaterThan(5)

  // A last run without a limit fills what is missing.
  now = () => start + days * day
  const client = new SocialSearch({ baseUrl, apiKey: 'org_live_key', limits: { perMinute: false } })
  const states = Object.fromEntries(
    database
      .prepare('SELECT * FROM states')
      .all()
      .map(({ name, state }) => [String(name), JSON.parse(String(state)) as WatchState]),
  )
  const insert = database.prepare('INSERT INTO posts VALUES (?, ?, -1)')
  const all = { ...searchesOf(0), ...searchesOf(1) }
  for await (const { name, posts } of watchSearches(client, all, { states, once: true, maxPages: 1000 }))
    for (const each of posts) insert.run(name, 'urn' in each ? each.urn : each.id)
  for (const [name, times] of published) {
    const found = database.prepare('SELECT id FROM posts WHERE name = ? ORDER BY id').all(name)
    const oldest = Number(found[0]?.['id'] ?? 0)
    expect(found.map(({ id }) => id)).toEqual(times.slice(oldest).map((_, n) => oldest + n))
  }
}, 600_000)
