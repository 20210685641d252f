import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RunOptions } from './command.ts'
import { command, server, social, useCommand } from './served-command.ts'

/** `KILLS=60 npx vitest run --project processes posts-database` kills more often. */
const kills = Number(process.env['KILLS'] ?? 6)

const posts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ id: `${from + index}`, body: 'coffee' }))
const networkPosts = (from: number, to: number) =>
  posts(from, to).map(({ id, body }) => ({ urn: `urn:post:${id}`, commentary: body }))

let out: string
let files = 0
useCommand({
  content: { microblog: posts(0, 30), professionalnet: networkPosts(0, 30) },
  latency: [1, 15],
})
beforeEach(() => void (out = join(command.folder, `posts-${++files}.db`)))

const runCommand = (args: readonly string[], options: RunOptions = {}) =>
  social([...args, '--per-minute', 'off', '--out', out], options)

/** Kills the process a moment after it has sent so many requests. */
const killedAfter = (requests: number) => ({
  during(child: ChildProcess) {
    const before = server.requests.length
    const timer = setInterval(() => {
      if (server.requests.length < before + requests) return
      clearInterval(timer)
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 25)
    }, 1)
    child.on('close', () => clearInterval(timer))
  },
})

function rowsOf(sql: string): unknown[] {
  const database = new DatabaseSync(out, { readOnly: true })
  const rows = database.prepare(sql).all()
  database.close()
  return rows.map((row) => Object.values(row)[0])
}
const numbersOf = (sql: string) =>
  rowsOf(sql)
    .map(Number)
    .sort((a, b) => a - b)
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

/** Names of files that belong to the database. */
const besides = () => readdirSync(command.folder).filter((name) => name.startsWith(basename(out)))

const networks = [
  {
    network: 'microblog',
    operation: 'microblog.search',
    sql: 'SELECT id FROM microblog_posts',
    pageSize: 20,
    price: 2,
  },
  {
    network: 'professionalnet',
    operation: 'professionalnet.posts.search',
    sql: 'SELECT substr(urn, 10) FROM professionalnet_posts',
    pageSize: 10,
    price: 4,
  },
]

describe('watch --once --out', () => {
  it('stores each post of both networks once in ten nights, three of which end with SIGKILL', async () => {
    const watch = (network: string, options?: RunOptions) =>
      runCommand(['watch', 'coffee', '--once', '--network', network], options)
    let last = 30
    for (let night = 0; night < 10; night++) {
      if (night > 0) {
        server.publish({ microblog: posts(last, last + 25), professionalnet: networkPosts(last, last + 25) })
        last += 25
      }
      const isKilled = [3, 4, 7].includes(night)
      const runs = await Promise.all(
        networks.map(({ network }) => watch(network, isKilled ? killedAfter(1 + (night % 3)) : {})),
      )
      if (!isKilled) expect(runs).toEqual(Array(2).fill({ code: 0, out: '', err: '' }))
    }
    for (const { sql, pageSize, price, operation } of networks) {
      expect(numbersOf(sql)).toEqual([...range(0, pageSize), ...range(30, last)])
      // A night reads its new posts, and down to ten known ones. A kill buys a page again, and a gap ends with a page.
      const pages = 1 + 9 * Math.ceil((25 + 10) / pageSize) + 3 * 2
      const spent =
        server.requests.filter((each) => each.operation === operation && each.charged > 0).length * price
      expect(spent).toBeLessThanOrEqual(price * pages)
    }
    expect(besides()).toEqual([basename(out)])

    const before = server.requests.length
    await Promise.all(networks.map(({ network }) => watch(network)))
    expect(server.requests.length - before).toBe(2)
  })

  it('continues after a budget, and stores nothing of the first page with --from now', async () => {
    const watch = ['watch', 'coffee', '--once', '--budget', '4']
    await runCommand([...watch, '--from', 'now'])
    expect(rowsOf('SELECT id FROM microblog_posts')).toEqual([])
    server.publish({ microblog: posts(30, 90) })
    expect((await runCommand(watch)).code).toBe(5)
    expect(rowsOf('SELECT id FROM microblog_posts')).toHaveLength(40)
    expect((await runCommand(watch)).code).toBe(5)
    expect((await runCommand(watch)).code).toBe(0)
    expect(numbersOf('SELECT id FROM microblog_posts')).toEqual(posts(30, 90).map(({ id }) => Number(id)))
  })

  it('passes the new posts to --exec, and stores none of those that it fails for', async () => {
    const failed = await runCommand(['watch', 'coffee', '--once', '--exec', 'exit 3'])
    expect([failed.code, besides()]).toEqual([1, []])
    const { out: printed } = await runCommand(['watch', 'coffee', '--once', '--exec', 'wc -l'])
    expect([Number(printed), rowsOf('SELECT id FROM microblog_posts').length]).toEqual([20, 20])
    expect((await runCommand(['watch', 'coffee', '--once', '--exec', 'exit 3'])).code).toBe(0)
  })

  it('buys nothing while another program locks the file, and prints the posts if it does so later', async () => {
    const watch = ['watch', 'coffee', '--once']
    await runCommand(watch)
    server.publish({ microblog: posts(30, 40) })
    const other = new DatabaseSync(out)
    other.exec('BEGIN IMMEDIATE')
    const before = server.requests.length
    const early = await runCommand(watch)
    expect([early.code, server.requests.length]).toEqual([1, before])
    expect(early.err).toContain('database is locked')
    other.exec('ROLLBACK')
    server.inject({ delay: 1000 })
    const isAsked = () => server.requests.length > before
    const lock = () => vi.waitUntil(isAsked, { timeout: 30_000 }).then(() => other.exec('BEGIN IMMEDIATE'))
    const late = await runCommand(watch, { during: () => void lock() })
    other.close()
    expect([late.code, late.err]).toEqual([1, expect.stringContaining('"id":"39"')])
    expect((await runCommand(watch)).code).toBe(0)
    expect(rowsOf('SELECT id FROM microblog_posts')).toHaveLength(30)
  }, 60_000)

  it.each([
    ['watch without a query', ['watch', ''], 2],
    ['watch with --budget 0', ['watch', 'coffee', '--budget', '0'], 5],
    ['watch with a budget below a page', ['watch', 'coffee', '--budget', '1'], 5],
    ['watch with wrong params', ['watch', 'coffee', '--params', '{"filters":{"lang":1}}'], 2],
    ['watch with a wrong key', ['watch', 'coffee'], 3],
    ['watch without a service', ['watch', 'coffee', '--base-url', 'http://127.0.0.1:9/v1'], 1],
    ['search with --budget 0', ['search', 'coffee', '--budget', '0'], 5],
    ['search without a service', ['search', 'coffee', '--base-url', 'http://127.0.0.1:9/v1'], 1],
  ])('%s buys nothing, and leaves no file', async (_, args, code) => {
    const flags = args[0] === 'watch' ? ['--once', '--per-minute', 'off'] : []
    const env: Record<string, string> = code === 3 ? { SOCIAL_SEARCH_API_KEY: 'wrong' } : {}
    for (const file of args[0] === 'watch' ? [out] : [out, `${out}.jsonl`])
      expect(await social([...args, ...flags, '--out', file], { env })).toMatchObject({ code })
    expect([besides(), server.ledger.spent]).toEqual([[], 0])
  })

  it('refuses flags that contradict each other, and sends nothing', async () => {
    const wrong = [
      [['--out', 'posts.csv'], '.db file only'],
      [['--out', out, '--state', 'a.json'], '--state contradicts --out'],
      [['--network', 'professionalnet', '--lang', 'en'], '--lang is for --network microblog'],
      [['--network', 'technews'], '--network must be one of microblog, professionalnet, got technews'],
      [['--from', 'then'], '--from must be now, got then'],
      [
        ['--offline'],
        "unknown option '--offline': watch polls the service, since stored answers have no new posts",
      ],
      [['--cache', '1h'], "unknown option '--cache': watch polls"],
      [['--out', '/none/posts.db'], 'the folder /none does not exist'],
      [['--out', '/proc/posts.db'], '/proc/posts.db cannot be written'],
      [['--state', '/none/state.json'], 'the folder /none does not exist'],
      [['--params', '{"category":"Top"}'], 'newest posts first'],
    ] as const
    const runs = wrong.map(([args]) => social(['watch', 'coffee', '--once', ...args]))
    const ended = await Promise.all(runs)
    expect(ended).toEqual(
      wrong.map(([, message]) => ({ code: 2, out: '', err: expect.stringContaining(message) as unknown })),
    )
    expect(server.requests).toEqual([])
  })
})

describe('--out posts.db', () => {
  const search = ['microblog', 'search', 'coffee', '--count', '3', '--all', '--yes']
  const ids = 'SELECT id FROM microblog_posts'

  it(`loses no row, stores none twice and buys at most one page again for each of ${kills} SIGKILLs`, async () => {
    // With a kill for each page, a run stores one page before it ends, or none.
    const pages = 10 + kills
    server.publish({ microblog: posts(30, 20 * pages) })
    const args = ['microblog', 'search', 'coffee', '--all', '--yes', '--resume']
    let ended = 0
    for (let kill = 0; kill < kills; kill++) {
      const { code } = await runCommand(args, killedAfter(kill % 5 === 0 ? 0 : 1))
      if (code !== null) ended++
    }
    expect((await runCommand(args)).code).toBe(0)
    expect(numbersOf(ids)).toEqual(range(0, 20 * pages))
    const bought = server.requests.filter(({ charged }) => charged > 0).length
    expect(bought).toBeGreaterThanOrEqual(pages)
    expect(bought).toBeLessThanOrEqual(pages + kills - ended)
    expect(besides()).toEqual([basename(out)])
  }, 300_000)

  it('adds only new rows when a search runs again, and keeps whole records', async () => {
    await runCommand(search)
    server.publish({ microblog: posts(30, 32) })
    await runCommand(search)
    expect(rowsOf(ids)).toHaveLength(32)
    expect(
      rowsOf('SELECT record ->> \'id\' = id AND "engagements.viewsCount" IS NOT NULL FROM microblog_posts'),
    ).toEqual(Array(32).fill(1))
  })

  it('continues after a budget, which covers all runs together', async () => {
    const args = [...search, '--resume', '--budget']
    expect((await runCommand([...args, '6'])).code).toBe(5)
    expect((await runCommand([...args, '6'])).code).toBe(5)
    expect(server.ledger.spent).toBe(6)
    expect((await runCommand([...args, '100'])).code).toBe(0)
    expect([rowsOf(ids).length, server.ledger.spent]).toEqual([30, 20])
    await runCommand([...args, '100'])
    expect(server.ledger.spent).toBe(20)
  })

  it('takes the records of several jobs that run at once', async () => {
    const queries = ['coffee', 'coffee OR tea', 'nothing']
    const runs = queries.map((query) => runCommand(['microblog', 'search', query, '--limit', '20']))
    const networks = ['microblog', 'professionalnet'].map((network) =>
      runCommand(['watch', 'coffee', '--once', '--network', network]),
    )
    expect((await Promise.all([...runs, ...networks])).map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    expect(rowsOf('SELECT job FROM social_search_jobs')).toHaveLength(5)
  })

  it('refuses a second run of the same job at the same time', async () => {
    server.inject({ delay: 1500 })
    const both = await Promise.all([runCommand(search), runCommand(search)])
    expect(both.map(({ code }) => code).sort()).toEqual([0, 2])
    expect(both.map(({ err }) => err).join('')).toContain(`${out} is in use by process`)
  })

  it('stores records without documented fields by their id', async () => {
    await runCommand(['mentions', 'list', '--all'])
    await runCommand(['mentions', 'list', '--all'])
    const keys = rowsOf('SELECT key FROM mentions')
    expect(keys.length).toBeGreaterThan(20)
    expect(keys.every((key) => String(key).startsWith('men_'))).toBe(true)
  })

  it('refuses a file that is no database, and one with other columns, and sends nothing', async () => {
    writeFileSync(out, 'text '.repeat(400))
    const text = await runCommand(search)
    expect([text.code, readFileSync(out, 'utf8').startsWith('text')]).toEqual([2, true])
    expect(text.err).toContain('is not an SQLite database')
    rmSync(out)
    await runCommand([...search, '--fields', 'id,body'])
    const before = server.requests.length
    const { code, err } = await runCommand(search)
    expect([code, err, server.requests.length]).toEqual([
      2,
      expect.stringContaining('no column "author"'),
      before,
    ])
  })
})

describe('--out', () => {
  it('refuses an extension that says no format, or another format, and sends nothing', async () => {
    const outputs = [
      ['posts.txt', [], 'ends in .jsonl, .csv, .parquet or .db'],
      ['posts.jsonl', ['--format', 'csv'], 'contradicts --out'],
      ['posts.parquet', ['--resume'], 'cannot be resumed'],
    ] as const
    for (const [name, args, message] of outputs) {
      out = join(command.folder, name)
      const { code, err } = await runCommand(['microblog', 'search', 'coffee', ...args])
      expect([code, existsSync(out), server.requests.length]).toEqual([2, false, 0])
      expect(err).toContain(message)
    }
  })

  it('writes Parquet, also of a walk that fails later, and refuses an existing file', async () => {
    out = join(command.folder, 'posts.parquet')
    server.inject({ status: 403, skip: 1 })
    const { code } = await runCommand(['microblog', 'search', 'coffee', '--all', '--yes'])
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(out) })
    expect([code, rows.length, typeof rows[0]?.['engagements.viewsCount']]).toEqual([3, 20, 'number'])
    const before = server.requests.length
    const second = await runCommand(['microblog', 'search', 'coffee'])
    expect([second.code, server.requests.length]).toEqual([2, before])
    expect(second.err).toContain(`${out} exists`)
  })
})
