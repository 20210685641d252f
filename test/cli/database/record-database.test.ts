import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { mentionsList } from '../../../src/api/endpoints/mentions.ts'
import { microblogSearch } from '../../../src/api/endpoints/microblog.ts'
import type { Operation } from '../../../src/api/operation.ts'
import { RecordDatabase } from '../../../src/cli/database/record-database.ts'
import { type Call, type Answer, type Send, newRecord } from '../../../src/core/call/call.ts'
import { Redactor } from '../../../src/lib/redactor.ts'
import { newFolder } from '../../support/folder.ts'
import { post, postWith } from '../../support/pages.ts'
import { allOf, change } from '../../support/posts-database.ts'

const folder = newFolder()
let path: string
let files = 0
beforeEach(() => void (path = join(folder, `${++files}.db`)))
afterEach(() => void vi.useRealTimers())

const searchKey = { watch: 'microblog.search', params: { query: 'acme' } }
const open = (
  operation: Operation = microblogSearch,
  label?: string,
  searchKeys: readonly object[] = [searchKey],
) => RecordDatabase.open(path, { operation, searchKeys, label })

/** Sends a call that may cost 2 credits. Returns what ends it with its cost, and when it was answered. */
async function sent(database: RecordDatabase, key: object = searchKey) {
  const call = {
    ...{ settings: { budget: [] }, operation: microblogSearch },
    record: newRecord(new Redactor()),
  } as unknown as Call
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<Answer>()]
  const send: Send = async ({ settings }) => {
    const reservation = await settings.budget[0]?.reserve(2, 'microblog.search')
    await reservation?.renew?.()
    begun.resolve()
    return ended.promise
  }
  const ending = database.send(send, call, key)
  await begun.promise
  return async (spent: number, at = new Date()): Promise<void> => {
    const attempts = [{ sent: at.toISOString(), duration: 0 }]
    Object.assign(call.record, { credits: { spent, uncertain: 0 }, attempts })
    const response = new Response('', { headers: { date: at.toUTCString() } })
    ended.resolve({ response } as Answer)
    await ending
  }
}

const paid = async (database: RecordDatabase, spent: number, key?: object) =>
  (await sent(database, key))(spent)

const rows = (sql: string) => allOf(path, sql)

/** Stores pages, one after another. */
async function stored(...pages: readonly (readonly unknown[])[]): Promise<void> {
  const database = await open()
  for (const records of pages) await database.storePage({ searchKey, progress: {}, records })
  database.close()
}

const viewed = (id: string, viewsCount: number, more = {}) => postWith(id, { viewsCount }, more)

const views = 'SELECT "engagements.viewsCount" AS views'

describe('RecordDatabase.storePage()', () => {
  it('stores a page while another program reads the file', async () => {
    await stored([post('1')])
    const reader = new DatabaseSync(path)
    reader.exec('BEGIN; SELECT * FROM microblog_posts')
    await stored([post('2')])
    reader.close()
    expect(rows('SELECT id FROM microblog_posts ORDER BY id')).toEqual([{ id: '1' }, { id: '2' }])
  })

  it('stores rows and progress, or neither when a record fails', async () => {
    const database = await open()
    const first = { searchKey, progress: { next: { page: 2 } }, records: [post('1'), post('2'), post('1')] }
    expect(await database.storePage(first)).toBe(2)
    const cycle: Record<string, unknown> = post('4')
    cycle['self'] = cycle
    const broken = { searchKey, progress: { next: 3 }, records: [post('3'), cycle] }
    await expect(database.storePage(broken)).rejects.toThrow('JSON')
    database.close()
    const again = await open()
    expect((await again.progressOf(searchKey)).progress).toEqual({ next: { page: 2 } })
    again.close()
    expect(rows('SELECT id FROM microblog_posts')).toEqual([{ id: '1' }, { id: '2' }])
  })

  it('updates the row of a known record, and keeps a row of its history for each change of a number', async () => {
    await stored([viewed('1', 10)], [viewed('1', 10)], [viewed('1', 30)], [viewed('1', 20)])
    const whole = `${views}, record ->> '$.engagements.viewsCount' AS whole FROM microblog_posts`
    expect(rows(whole)).toEqual([{ views: 20, whole: 20 }])
    const history = `${views} FROM microblog_posts_counts WHERE id = '1' ORDER BY rowid`
    expect(rows(history)).toEqual([{ views: 10 }, { views: 30 }, { views: 20 }])
    const times = 'SELECT counted_at FROM microblog_posts_counts ORDER BY rowid DESC LIMIT 1'
    expect(rows(times)).toEqual(rows('SELECT counted_at FROM microblog_posts'))
  })

  it('keeps the later answer when an earlier one is stored after it, unless a wrong clock has told the time', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12) })
    const database = await open()
    await database.storePage({ searchKey, progress: {}, records: [viewed('1', 20)] })
    const other = new DatabaseSync(path)
    const setTime = (text: string) => other.prepare('UPDATE microblog_posts SET counted_at = ?').run(text)
    setTime('2026-01-01 12:00:01.000')
    // The answer came at noon, and is stored two seconds later.
    await paid(database, 2)
    vi.setSystemTime(Date.UTC(2026, 0, 1, 12, 0, 2))
    await database.storePage({ searchKey, progress: {}, records: [viewed('1', 10)] })
    expect(rows(`${views} FROM microblog_posts`)).toEqual([{ views: 20 }])
    setTime('2027-01-01 12:00:00.000')
    await database.storePage({ searchKey, progress: {}, records: [viewed('1', 30)] })
    expect(rows(`${views} FROM microblog_posts`)).toEqual([{ views: 30 }])
    other.close()
    database.close()
  })

  it('forgets what is older than `maxAge` by the time at the service, not by a clock of this machine that jumps ahead', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const open = () =>
      RecordDatabase.open(path, {
        operation: microblogSearch,
        searchKeys: [searchKey],
        maxAge: 30 * 86_400_000,
      })
    const records = [viewed('1', 10, { timestamp: '2026-11-20T12:00:00.000Z' })]
    const kept = []
    for (const now of [Date.UTC(2026, 10, 28), Date.UTC(2026, 10, 29), Date.UTC(2027, 0, 1)]) {
      const database = await open()
      vi.setSystemTime(now)
      await paid(database, 2)
      await database.storePage({ searchKey, progress: {}, records })
      vi.setSystemTime(Date.UTC(2028, 0, 1))
      await database.forgetOld()
      database.close()
      kept.push(rows('SELECT id FROM microblog_posts').length)
    }
    expect(kept).toEqual([1, 1, 0])
  })

  it('updates an edited text, and keeps the first one in the history', async () => {
    const texts = ['first', 'second', 'third'].map((body) => [viewed('1', 10, { body })])
    await stored(...texts, [viewed('2', 1, { body: 'never edited' })])
    expect(rows('SELECT body FROM microblog_posts')).toEqual([{ body: 'third' }, { body: 'never edited' }])
    expect(rows('SELECT id, body FROM microblog_posts_counts')).toEqual([
      { id: '1', body: 'first' },
      { id: '2', body: null },
    ])
  })

  it('updates the known posts of a page, but adds none of them', async () => {
    await stored([viewed('1', 10)])
    const database = await open()
    const known = [viewed('1', 50), viewed('2', 50)]
    expect(await database.storePage({ searchKey, progress: {}, records: [], known })).toBe(0)
    database.close()
    expect(rows(`${views} FROM microblog_posts`)).toEqual([{ views: 50 }])
  })

  it('keeps one row of a mention whose state changed, and both records whose ids differ in half a character', async () => {
    const database = await open(mentionsList)
    for (const state of ['new', 'done'])
      await database.storePage({
        searchKey: { operation: 'mentions.list' },
        progress: {},
        records: [
          { id: 'men_1', state },
          { id: '1', state },
        ],
      })
    database.close()
    const mentions =
      "SELECT record ->> '$.id' AS id, record ->> '$.state' AS state FROM mentions ORDER BY number"
    // '1' is no documented id: another record.
    expect(rows(mentions).map(({ id, state }) => `${String(id)} ${String(state)}`)).toEqual([
      'men_1 done',
      '1 new',
      '1 done',
    ])
    await stored([viewed('a\ud83d', 1), viewed('a\ud83e', 2)])
    expect(rows(`${views} FROM microblog_posts`)).toEqual([{ views: 1 }, { views: 2 }])
  })

  it('stores JSON without halves of characters', async () => {
    await stored([viewed('1', 1, { body: 'cut \ud83d here, \\ud83d kept' })])
    const [{ record } = {}] = rows('SELECT record FROM microblog_posts')
    expect(JSON.parse(String(record)).body).toBe('cut \ufffd here, \\ud83d kept')
  })

  it('removes all of a record that is deleted with SQL, and does not add it again', async () => {
    await stored([viewed('1', 10), viewed('2', 10)])
    change(path, "DELETE FROM microblog_posts WHERE id = '1'")
    await stored([viewed('1', 20), viewed('2', 20), viewed('3', 20)])
    for (const table of ['microblog_posts', 'microblog_posts_counts', 'microblog_posts_found'])
      expect(rows(`SELECT DISTINCT id FROM ${table} ORDER BY id`)).toEqual([{ id: '2' }, { id: '3' }])
    expect(rows('SELECT count(*) AS n FROM social_search_results')).toEqual([{ n: 2 }])
  })
})

describe('RecordDatabase', () => {
  it('tells what was searched, what is missing and what it cost', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 23, 59, 59) })
    const database = await open()
    const [from, to] = ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z']
    const end = await sent(database)
    const spent = 'SELECT search, day, credits, uncertain FROM social_search_spent'
    const row = { search: 'acme', day: '2026-01-01', credits: 0, uncertain: 2 }
    expect(rows(spent)).toEqual([row])
    // A call counts on the day on which it was sent.
    vi.setSystemTime(Date.UTC(2026, 0, 2))
    await end(2)
    const spans = [
      { ids: ['2'], next: {}, oldest: to },
      { ids: ['1'], next: null, newest: from },
    ]
    await database.storePage({ searchKey, progress: { spans }, records: [post('1')] })
    expect(rows(spent)).toEqual([{ ...row, credits: 2, uncertain: 0 }])
    expect(rows('SELECT * FROM social_search_gaps')).toEqual([
      { search: 'acme', network: 'microblog', records: 'microblog_posts', from, to },
    ])
    await sent(database)
    database.close()
    // A process that was killed cannot tell.
    expect(rows(`${spent} ORDER BY day`)[1]).toEqual({ ...row, day: '2026-01-02', credits: 0 })
    const searches = 'SELECT search, command, params, first_look, last_look FROM social_search_searches'
    const looks = { first_look: '2026-01-02 00:00:00.000', last_look: '2026-01-02 00:00:00.000' }
    const search = { search: 'acme', command: 'watch', params: '{"query":"acme"}', ...looks }
    expect(rows(searches)).toEqual([search])
  })

  it('has a row for each call, with its label, and none for one that was free', async () => {
    const database = await open(microblogSearch, 'acme')
    const purchases = 'SELECT label, credits, uncertain FROM social_search_purchases ORDER BY number'
    const end = await sent(database)
    expect(rows(purchases)).toEqual([{ label: 'acme', credits: 0, uncertain: 2 }])
    await end(2)
    await paid(database, 0)
    await sent(database)
    expect(rows(purchases)).toEqual([
      { label: 'acme', credits: 2, uncertain: 0 },
      { label: 'acme', credits: 0, uncertain: 2 },
    ])
    database.close()
  })

  it('gives no search the rows of another one that was deleted with SQL', async () => {
    const database = await open()
    await paid(database, 2)
    await database.storePage({ searchKey, progress: {}, records: [post('1')] })
    change(path, 'DELETE FROM social_search_searches')
    await database.storePage({ searchKey: { mcp: 'microblog.search' }, progress: {}, records: [] })
    database.close()
    const results =
      'social_search_results AS results JOIN social_search_searches AS s ON s.number = results.search'
    for (const from of ['social_search_spent', results]) expect(rows(`SELECT * FROM ${from}`)).toEqual([])
  })

  it('changes no purchase of another call that has the number of one that was deleted with SQL', async () => {
    const [database, other] = [await open(), await open(microblogSearch, undefined, [])]
    const [end, endFree] = [await sent(database), await sent(database)]
    change(path, 'DELETE FROM social_search_purchases')
    for (const cost of [3, 5]) await paid(other, cost, { mcp: 'microblog.search' })
    await end(2)
    await endFree(0)
    for (const each of [database, other]) each.close()
    expect(rows('SELECT credits, uncertain FROM social_search_purchases')).toEqual(
      [3, 5, 2].map((credits) => ({ credits, uncertain: 0 })),
    )
  })

  it('keeps the format that a newer version has given the file meanwhile', async () => {
    const database = await open()
    change(path, 'PRAGMA user_version = 99')
    await paid(database, 2)
    database.close()
    expect(rows('PRAGMA user_version')).toEqual([{ user_version: 99 }])
  })

  it('has what a call has cost when its page cannot be stored', async () => {
    const database = await open()
    change(
      path,
      `CREATE TRIGGER fail BEFORE UPDATE OF state ON social_search_searches BEGIN SELECT RAISE(ABORT, 'full'); END`,
    )
    await paid(database, 2)
    const page = { searchKey, progress: {}, records: [post('1')] }
    await expect(database.storePage(page)).rejects.toThrow('full')
    database.close()
    expect(rows('SELECT credits, uncertain FROM social_search_spent')).toEqual([{ credits: 2, uncertain: 0 }])
  })
})
