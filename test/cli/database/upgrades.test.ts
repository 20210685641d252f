import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { microblogSearch } from '../../../src/api/endpoints/microblog.ts'
import { operations } from '../../../src/api/operations.ts'
import { RecordDatabase } from '../../../src/cli/database/record-database.ts'
import { allOf, change, range, rowsOf } from '../../support/posts-database.ts'
import { sandboxFlag } from '../../support/sandbox.ts'
import { failed, recordsOf } from '../../support/command-line.ts'
import { sandbox, social, useCommand } from '../command.ts'

const newest = 4

/**
 * A file as a version of each format has written it: a watch, an export, a search, another check, and an author who was forgotten.
 * That of the newest format is its schema alone. None of them changes: a change of the schema is a step to another format.
 */
const fileOf = (format: number) => join(import.meta.dirname, 'formats', `${format}.sql`)
/** Version 0.1.0 has written the first one. */
const old = range(0, newest)

const makeOld = (format: number) => change('posts.db', readFileSync(fileOf(format), 'utf8'))
const version = () => rowsOf('posts.db', 'PRAGMA user_version')
const said = `posts.db has been upgraded to format ${newest}\n`
const search = 'search tea --out posts.db --budget 20'
const watch = 'watch tea --once --out posts.db --budget 20'
const commands = [
  ...[search, watch, `mcp ${sandboxFlag} --out posts.db`],
  ...['find posts.db tea', 'describe posts.db', 'export posts.db new.csv', 'forget posts.db --id 1 --yes'],
]

/** All that the file has, once a run of each kind has had it. */
async function schema(): Promise<string> {
  const file = await RecordDatabase.open('posts.db', { operation: microblogSearch, jobs: [] })
  for (const { id } of operations.filter((each) => 'list' in each))
    file.store({ job: { watch: id }, records: [] })
  file.close()
  const all = rowsOf(
    'posts.db',
    `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' ORDER BY type <> 'table', name`,
  )
  const lines = [`PRAGMA user_version = ${String(version())}`, ...all.map(String)]
  return lines.map((sql) => `${sql.replaceAll(/\s+/g, ' ').replaceAll('( ', '(')};\n`).join('')
}

describe('posts.db', () => {
  useCommand()

  it(`has the schema that formats/${newest}.sql says, and its format from the first run on`, async () => {
    await social(search)
    expect(version()).toEqual([newest])
    await expect(schema()).resolves.toMatchFileSnapshot(fileOf(newest))
  })

  it.each(commands)('of a newer version is refused, and stays as it is: %s', async (line) => {
    await social(search)
    change('posts.db', `PRAGMA user_version = ${newest + 1}; PRAGMA journal_mode = DELETE`)
    const [bytes, sent] = [readFileSync('posts.db'), sandbox.requests.length]
    expect(await social(line)).toMatchObject(
      failed(2, `posts.db has format ${newest + 1}, of a newer social-search`),
    )
    expect([readFileSync('posts.db').equals(bytes), sandbox.requests.length]).toEqual([true, sent])
  })
})

describe('posts.db of an older version', () => {
  const content = [
    { id: '8', body: 'tea' },
    { id: '9', body: 'tea', author: 'bob' },
  ]
  useCommand({ content: { microblog: content } })

  it.each(old)('is upgraded, and loses nothing, nor what users have added: format %i', async (format) => {
    makeOld(format)
    change(
      'posts.db',
      `CREATE TABLE tags (record, tag, value); INSERT INTO tags VALUES ('1', 'topic', 'tea');
      CREATE VIEW mine AS SELECT found.id, tag FROM microblog_posts_found AS found JOIN tags ON tags.record = found.id;
      CREATE VIEW costs AS SELECT sum(credits) AS credits FROM social_search_spent;
      CREATE TABLE log (id); CREATE TRIGGER logged AFTER INSERT ON microblog_posts BEGIN INSERT INTO log VALUES (new.id); END`,
    )
    const kept = [
      ...['microblog_posts', 'microblog_posts_counts', 'social_search_spent', 'social_search_missing'],
      ...['social_search_forgotten', 'social_search_salt', 'social_search_searches', 'social_search_gaps'],
      ...['mine', 'costs', ...(format > 0 ? ['social_search_added', 'social_search_jobs'] : [])],
      ...[format > 1 ? 'social_search_purchases' : 'social_search_missing'],
      '(SELECT search, number FROM social_search_results)',
      '(SELECT query || id, first_seen, record FROM microblog_posts_found)',
    ]
    const tables = () =>
      Object.fromEntries(kept.map((name) => [name, allOf('posts.db', `SELECT * FROM ${name} ORDER BY 1`)]))
    const before = tables()
    expect(before['mine']).toEqual([{ id: '1', tag: 'topic' }])
    expect((await social('describe posts.db')).err).toBe(said)
    expect(tables()).toEqual(before)
    expect(version()).toEqual([newest])
    expect((await social(search)).code).toBe(0)
    expect(rowsOf('posts.db', 'SELECT id FROM log')).toEqual(['8'])
  })

  it.each(commands.filter((line) => !line.startsWith('mcp')))('is upgraded once: %s', async (line) => {
    makeOld(0)
    expect((await social(line)).err).toContain(said)
    expect((await social(line)).err).not.toContain('upgraded')
  })

  it('is continued by a watch and a search, without who was forgotten', async () => {
    makeOld(0)
    for (const line of [watch, search]) expect([0, 5]).toContain((await social(line)).code)
    expect(rowsOf('posts.db', 'SELECT id FROM microblog_posts ORDER BY number')).toEqual([
      ...['1', '3', '4', '6', '5', '7', '8'],
    ])
  })

  it('goes on with `export --new` where it was, with no row twice', async () => {
    makeOld(0)
    expect((await social('export posts.db new.jsonl --new')).code).toBe(0)
    const records = recordsOf(readFileSync('new.jsonl', 'utf8'))
    // What a search had added comes now.
    expect(records.map(({ id, query }) => [id, query])).toEqual([
      ['6', ['coffee']],
      ['5', ['coffee']],
      ['7', ['tea']],
    ])
    expect((await social('export posts.db more.jsonl --new')).err).toContain('more.jsonl: 0 rows')
  })

  it('finds the words of every script', async () => {
    makeOld(0)
    const idsOf = async (query: string) =>
      recordsOf((await social(`find posts.db ${query} --format jsonl`)).out).map(({ id }) => id)
    expect([await idsOf('दिल'), await idsOf('커피'), await idsOf('C++')]).toEqual([['4'], ['6'], ['3']])
  })

  it.each(old)('has the schema of a new one: format %i', async (format) => {
    makeOld(format)
    expect(await schema()).toBe(readFileSync(fileOf(newest), 'utf8'))
  })
})
