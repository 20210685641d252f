import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { failed, linesOf } from '../support/command-line.ts'
import { folder, sandbox, social, useCommand } from './command.ts'

useCommand()

const stored = join(folder, 'cache/social-search')
const file = join(stored, 'answers.sqlite')
const cached = 'search coffee --cache 1h'

describe('--cache', () => {
  it('answers an equal command from a private file, for free, and says how old the answer is', async () => {
    const first = await social(cached)
    expect([first.code, first.err]).toEqual([0, ''])
    const again = await social(`${cached} --budget 0`)
    expect([again.code, again.out]).toEqual([0, first.out])
    expect(again.err).toMatch(/^1 page from the cache, \d seconds? old or less: 0 credits, 2 saved\n$/)
    expect(sandbox.ledger.spent).toBe(2)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('counts the pages of a walk that it had, and buys the others', async () => {
    await social(`${cached} --max-pages 2`)
    const { err, out } = await social(`${cached} --max-pages 3`)
    expect(err).toMatch(/^2 pages from the cache, \d seconds? old or less: 2 credits, 4 saved\n$/)
    expect([linesOf(out).length, sandbox.ledger.spent]).toEqual([60, 6])
  })

  it('stores nothing unless it is set, and accepts no answer that is older', async () => {
    await social('search coffee')
    expect(existsSync(stored)).toBe(false)
    for (const flags of ['--cache 1h', '--cache 0.001s', '']) await social(`search coffee ${flags}`)
    expect(sandbox.ledger.spent).toBe(8)
  })

  it('is quiet with --quiet, and leaves only errors on stderr with --json', async () => {
    await social(cached)
    for (const flag of ['--quiet', '--json'])
      expect(await social(`${cached} ${flag}`)).toMatchObject({ code: 0, err: '' })
  })

  it('keeps the answers of different keys apart', async () => {
    await social(cached)
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', sandbox.writeKey)
    await social(cached)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('warns once when its file cannot be written, and prints what was bought', async () => {
    await social(cached)
    const database = new DatabaseSync(file)
    database.exec('BEGIN IMMEDIATE')
    const { code, out, err } = await social('search typescript --cache 1h')
    database.close()
    expect([code, linesOf(out).length]).toEqual([0, 20])
    expect(err).toBe('social-search: the cache failed: database is locked\n')
  })

  it('names a file that SQLite cannot read, and buys nothing', async () => {
    mkdirSync(stored, { recursive: true })
    writeFileSync(file, 'x'.repeat(5000))
    expect(await social(cached)).toMatchObject(failed(1, file))
    expect([sandbox.requests, readFileSync(file, 'utf8').length]).toEqual([[], 5000])
  })
})

describe('clear-cache', () => {
  it('deletes the stored answers, so that the next command buys them', async () => {
    await social(cached)
    const { code, out } = await social('clear-cache')
    expect([code, out, readdirSync(stored)]).toEqual([0, `The answers in ${stored} are deleted\n`, []])
    await social(cached)
    expect(sandbox.ledger.spent).toBe(4)
  })
})

describe('logout', () => {
  it('removes the login when the stored answers cannot be deleted', async () => {
    await social('login --no-check', { input: sandbox.apiKey })
    mkdirSync(file, { recursive: true })
    expect(await social('logout')).toMatchObject(failed(1, `${file} cannot be deleted`))
    expect(existsSync(join(folder, 'config/social-search/login.json'))).toBe(false)
  })
})
