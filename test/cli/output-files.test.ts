import { existsSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { describe, expect, it, vi } from 'vitest'
import { failed } from '../support/command-line.ts'
import { networkPosts, numbersOf, posts, range, rowsOf } from '../support/posts-database.ts'
import { folder, sandbox, social, useCommand } from './command.ts'

useCommand({ content: { microblog: posts(0, 30), professionalnet: networkPosts(0, 30) } })

const ids = 'SELECT id FROM microblog_posts'

describe('--resume', () => {
  const state = 'posts.jsonl.state.json'

  it.each<[string, string, string, (() => void)?]>([
    ['the state of another query', 'search tea --resume', 'another job: params differs'],
    ['other fields', 'search coffee --resume --fields id', 'fields differs'],
    ['an output that exists', 'search coffee', 'pass --resume'],
    ['a missing state', 'search coffee --resume', 'is missing', () => rmSync(state)],
    ['an invalid state', 'search coffee --resume', 'not the state', () => writeFileSync(state, '[]')],
    [
      'an output that was shortened',
      'search coffee --resume',
      'something else has changed it',
      () => truncateSync('posts.jsonl', 10),
    ],
  ])('refuses %s, and buys nothing', async (_, line, message, change = () => {}) => {
    await social('search coffee --out posts.jsonl')
    change()
    const before = [sandbox.requests.length, readFileSync('posts.jsonl', 'utf8')]
    expect(await social(`${line} --all --yes --out posts.jsonl`)).toMatchObject(failed(2, message))
    expect([sandbox.requests.length, readFileSync('posts.jsonl', 'utf8')]).toEqual(before)
  })
})

describe('--out posts.db', () => {
  const search = 'search coffee --per-minute off --count 3 --all --yes --out posts.db'

  it('adds only new rows when a search runs again, and keeps whole records', async () => {
    await social(search)
    sandbox.publish({ microblog: posts(30, 32) })
    await social(search)
    expect(numbersOf('posts.db', ids)).toEqual(range(0, 32))
    const isWhole = `record ->> 'id' = id AND "engagements.viewsCount" IS NOT NULL`
    expect(rowsOf('posts.db', `SELECT ${isWhole} FROM microblog_posts`)).toEqual(Array(32).fill(1))
  })

  it('continues after a budget, which covers all runs together', async () => {
    for (const [budget, code, spent] of [
      [6, 5, 6],
      [6, 5, 6],
      [100, 0, 20],
      [100, 0, 20],
    ]) {
      expect((await social(`${search} --resume --budget ${budget}`)).code).toBe(code)
      expect(sandbox.ledger.spent).toBe(spent)
    }
    expect(rowsOf('posts.db', ids)).toHaveLength(30)
  })

  it('stores records without documented fields by their id', async () => {
    for (let run = 0; run < 2; run++) await social('mentions list --all --out posts.db')
    const keys = rowsOf('posts.db', 'SELECT key FROM mentions').map(String)
    expect(keys.length).toBeGreaterThan(20)
    expect(keys.filter((key) => !key.startsWith('men_'))).toEqual([])
  })

  it('refuses a file that is not a database, and one with other columns, and sends nothing', async () => {
    writeFileSync('posts.db', 'text '.repeat(400))
    expect(await social(search)).toMatchObject(failed(2, 'is not an SQLite database'))
    expect(readFileSync('posts.db', 'utf8')).toMatch(/^text/)
    rmSync('posts.db')
    await social(`${search} --fields id,body`)
    const before = sandbox.requests.length
    expect(await social(search)).toMatchObject(failed(2, 'no column "author"'))
    expect(sandbox.requests).toHaveLength(before)
  })
})

describe('watch --out posts.db', () => {
  const watch = 'watch coffee --once --out posts.db'

  it('continues after a budget, and stores nothing of the first page with --from now', async () => {
    await social(`${watch} --budget 4 --from now`)
    expect(rowsOf('posts.db', ids)).toEqual([])
    sandbox.publish({ microblog: posts(30, 90) })
    expect((await social(`${watch} --budget 4`)).code).toBe(5)
    expect(rowsOf('posts.db', ids)).toHaveLength(40)
    expect((await social(`${watch} --budget 4`)).code).toBe(5)
    expect((await social(`${watch} --budget 4`)).code).toBe(0)
    expect(numbersOf('posts.db', ids)).toEqual(range(30, 90))
  })

  it('passes the new posts to --exec, and stores none of those that it fails for', async () => {
    expect(await social(`${watch} --exec 'exit 3'`)).toMatchObject(failed(1, 'ended with 3'))
    expect(readdirSync(folder)).toEqual([])
    await social(`${watch} --exec 'wc -l > lines'`)
    expect([Number(readFileSync('lines', 'utf8')), rowsOf('posts.db', ids).length]).toEqual([20, 20])
    // Without new posts, the command does not run.
    expect((await social(`${watch} --exec 'exit 3'`)).code).toBe(0)
  })
})

describe('--out posts.parquet', () => {
  it('writes Parquet, also of a walk that fails later, and refuses an existing file', async () => {
    sandbox.inject({ status: 403, skip: 1 })
    const { code } = await social('search coffee --all --yes --out posts.parquet')
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile('posts.parquet') })
    expect([code, rows.length, typeof rows[0]?.['engagements.viewsCount']]).toEqual([3, 20, 'number'])
    const before = sandbox.requests.length
    expect(await social('search coffee --out posts.parquet')).toMatchObject(failed(2, 'posts.parquet exists'))
    expect(sandbox.requests).toHaveLength(before)
  })
})

describe('a command that buys nothing', () => {
  it.each([
    ['watch coffee --once --budget 0', 5],
    ['watch coffee --once --budget 1', 5],
    ['watch coffee --once', 3],
    ['search coffee --budget 0', 5],
    ['search coffee', 3],
  ])('leaves no file: %s', async (line, code) => {
    if (code === 3) vi.stubEnv('SOCIAL_SEARCH_API_KEY', 'wrong')
    for (const file of line.startsWith('watch') ? ['x.db'] : ['x.db', 'x.jsonl'])
      expect(await social(`${line} --out ${file}`)).toMatchObject({ code })
    expect([readdirSync(folder), sandbox.ledger.spent]).toEqual([[], 0])
  })

  it.each(['watch coffee --once', 'search coffee'])(
    'leaves no file when the service cannot be reached: %s',
    async (line) => {
      vi.stubGlobal('fetch', () =>
        Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
      )
      expect((await social(`${line} --out x.db`)).code).toBe(1)
      expect(existsSync('x.db')).toBe(false)
    },
  )
})
