import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { forgetRecords } from '../../../src/cli/database/forget.ts'
import { retryWhileLocked } from '../../../src/lib/sqlite-file.ts'
import { shiftDate } from '../../clock/shift-date.js'
import { range, rowsOf } from '../../support/posts-database.ts'
import { between, inTurn, sandbox, social, useCommand } from '../command.ts'

const words = ['quokkasecret', 'zebrahandle', 'narwhalname']
const secret = { id: '1', body: 'quokkasecret about tea', author: 'zebrahandle', name: 'Narwhalname' }
const timestamp = new Date().toISOString()
const others = range(2, 9).map((id) => ({ id: String(id), body: `tea number ${id}`, timestamp }))
useCommand({ content: { microblog: [{ ...secret, timestamp: '2025-11-01T10:00:00.000Z' }, ...others] } })

/** Another program that has the file open, so that its log stays. */
let other: DatabaseSync
beforeEach(async () => {
  await social('search tea --all --yes --out p.db')
  other = new DatabaseSync('p.db')
  other.prepare('SELECT count(*) FROM microblog_posts').get()
})
afterEach(() => {
  vi.useRealTimers()
  other.close()
})

/** The words that are in any byte of the file, its log included. */
function traces(): string[] {
  const files = ['p.db', 'p.db-wal'].filter((name) => existsSync(name))
  const bytes = files.map((name) => readFileSync(name).toString('latin1').toLowerCase()).join('')
  return words.filter((word) => bytes.includes(word))
}

/** How many posts there are. */
const rows = (where = ''): number =>
  Number(rowsOf('p.db', `SELECT count(*) FROM microblog_posts ${where}`)[0])

/** A time as answers tell it. */
const timeIn = (ms: number): string => new Date(Date.now() + ms).toUTCString()

/** Adds rows like the secret one. */
function addRows(count: number): void {
  const columns = other
    .prepare(`SELECT name FROM pragma_table_info('microblog_posts') WHERE name NOT IN ('number', 'id')`)
    .all()
    .map(({ name }) => `"${String(name)}"`)
    .join()
  other.exec(`INSERT INTO microblog_posts (id, ${columns})
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    SELECT 'x' || i, ${columns} FROM n, (SELECT * FROM microblog_posts WHERE id = '1')`)
}

const forget = 'forget p.db --author zebrahandle --yes'

describe('what is deleted leaves no word in the file and its log', () => {
  it.each([
    ['forget', () => social(forget)],
    ['forget of a full name', () => social('forget p.db --author narwhalname --yes')],
    ['watch --keep', () => social('watch tea --once --keep 90d --out p.db --budget 20')],
  ])('%s', async (_, remove) => {
    expect(traces()).toEqual(words)
    expect([0, 5]).toContain((await remove()).code)
    expect([rows(), traces()]).toEqual([7, []])
  })
})

describe('watch --keep deletes nothing when', () => {
  const aheadMs = 1e11
  it.each([
    ['the clock of the service is ahead', 0, () => ({ headers: { date: timeIn(aheadMs) } })],
    ['that of this machine is ahead', aheadMs, () => ({ headers: { date: timeIn(-aheadMs) } })],
    ['that of this machine is ahead, and the check fails', aheadMs, () => ({ status: 502 })],
  ])('%s', async (_, ms, fault) => {
    onTestFinished(shiftDate(ms))
    between((send) => {
      sandbox.inject(fault())
      return send()
    })
    await social('watch tea --once --keep 900d --out p.db --budget 20')
    expect(rows("WHERE id <> '1'")).toBe(7)
  })
})

describe('forget', () => {
  it('says that bytes remain while another program reads them, and clears them when it runs again', async () => {
    other.exec('BEGIN; SELECT * FROM microblog_posts')
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    const first = social(forget)
    await vi.advanceTimersByTimeAsync(20_000)
    const said = 'p.db: another program is reading it, so bytes of deleted records are left in p.db-wal'
    expect(await first).toMatchObject({ code: 0, err: expect.stringContaining(said) as unknown })
    vi.useRealTimers()
    expect(traces()).toEqual(words)
    other.exec('COMMIT')
    await inTurn([forget, 0, /^(?![^]*bytes of deleted records)/])
    expect(traces()).toEqual([])
  })

  it('lets others write between its batches', async () => {
    addRows(3000)
    let isDone = false
    /** How many rows were left when the other program could write. */
    const seen: number[] = []
    const write = async (): Promise<void> => {
      while (!isDone) {
        await retryWhileLocked(() => other.exec('BEGIN IMMEDIATE; COMMIT'))
        seen.push(rows())
        await new Promise((next) => setTimeout(next, 5))
      }
    }
    other.exec('PRAGMA busy_timeout = 0')
    const writing = write()
    const { records } = await forgetRecords('p.db', { author: 'zebrahandle' }, () => Promise.resolve())
    isDone = true
    await writing
    expect(records).toBe(3001)
    expect(new Set(seen.filter((rows) => rows > 7 && rows < 3008)).size).toBeGreaterThan(0)
    expect(traces()).toEqual([])
  })

  it('deletes no record that comes between its batches with the number of one that has gone', async () => {
    addRows(1000)
    const forgetting = forgetRecords('p.db', { author: 'zebrahandle' }, () => Promise.resolve())
    await expect.poll(() => rows()).toBeLessThan(1000)
    other.exec(`DELETE FROM microblog_posts WHERE number = (SELECT max(number) FROM microblog_posts);
      INSERT INTO microblog_posts (id, author, record) VALUES ('another', 'bob', '{}')`)
    await forgetting
    expect([rows(), rows("WHERE id = 'another'")]).toEqual([8, 1])
  })

  it('forgets an author before the first record goes, so that a run meanwhile adds none', async () => {
    addRows(3000)
    const forgetting = forgetRecords('p.db', { author: 'zebrahandle' }, () => Promise.resolve())
    await social('search tea --out p.db')
    await forgetting
    expect([rows(), traces()]).toEqual([7, []])
  })
})
