import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { microblogSearch } from '../../../src/api/endpoints/microblog.ts'
import { operations } from '../../../src/api/operations.ts'
import { RecordDatabase } from '../../../src/cli/database/record-database.ts'
import { allOf, change, rowsOf } from '../../support/posts-database.ts'
import { sandboxFlag } from '../../support/sandbox.ts'
import { recordsOf } from '../../support/command-line.ts'
import { inTurn, sandbox, social, useCommand } from '../command.ts'

const newest = 6

/** What has become of a file of version 0.1.0: a watch, an export, a search, another check, and an author who was forgotten. */
const formats = [
  readFileSync(join(import.meta.dirname, '0.1.0.sql'), 'utf8'),
  `CREATE TABLE social_search_added (
     number INTEGER PRIMARY KEY AUTOINCREMENT, records TEXT NOT NULL, row INTEGER NOT NULL, UNIQUE (records, row));
   INSERT INTO social_search_added (records, row) SELECT 'microblog_posts', number FROM microblog_posts ORDER BY number;
   INSERT INTO social_search_jobs VALUES ('export microblog_posts', '3');
   CREATE TRIGGER "microblog_posts_numbered" AFTER INSERT ON "microblog_posts" BEGIN
     INSERT OR REPLACE INTO social_search_added (records, row) VALUES ('microblog_posts', new.number); END`,
  `CREATE TABLE social_search_purchases (
     number INTEGER PRIMARY KEY, search INTEGER NOT NULL, at TEXT NOT NULL, label TEXT,
     credits NUMERIC NOT NULL, uncertain NUMERIC NOT NULL);
   INSERT INTO social_search_purchases VALUES (1, 1, '2026-11-28 16:59:26.622', 'acme', 4, 0), (2, 2, '2026-11-28 16:59:27.015', NULL, 2, 0);
   DROP TABLE social_search_spent;
   CREATE VIEW social_search_spent AS
     SELECT searches.search, network, records, date(at) AS day, sum(credits) AS credits, sum(uncertain) AS uncertain
     FROM social_search_purchases AS purchases
     JOIN social_search_searches AS searches ON searches.number = purchases.search
     GROUP BY searches.search, network, records, date(at)`,
  `ALTER TABLE social_search_results ADD COLUMN first_seen TEXT;
   UPDATE social_search_results SET first_seen = '2026-11-28 16:59:2' || iif(number = 7, 7, 6) WHERE search = 1;
   DROP TRIGGER microblog_posts_deleted; DROP VIEW microblog_posts_found; DROP TABLE social_search_found;
   CREATE TRIGGER microblog_posts_deleted AFTER DELETE ON microblog_posts BEGIN
     INSERT OR IGNORE INTO social_search_deleted VALUES ('microblog_posts', old.id); END;
   CREATE VIEW microblog_posts_found AS
     SELECT searches.search AS query, first_seen, records.* FROM social_search_results AS results
     JOIN social_search_searches AS searches ON searches.number = results.search AND command = 'watch'
     JOIN microblog_posts AS records ON records.number = results.number`,
  `DROP TRIGGER microblog_posts_added; DROP TRIGGER microblog_posts_changed; DROP TRIGGER microblog_posts_unindexed;
   DROP TABLE microblog_posts_fts`,
]
const all = [...formats.keys()]
const makeOld = (format: number) =>
  change('posts.db', [...formats.slice(0, format + 1), `PRAGMA user_version = ${format}`].join(';\n'))

const version = () => rowsOf('posts.db', 'PRAGMA user_version')
const said = `posts.db has been upgraded to format ${newest}\n`
const search = 'search tea --out posts.db --budget 20'
const watch = 'watch tea --once --out posts.db --budget 20'
const commands = [
  ...[search, watch, `mcp ${sandboxFlag} --out posts.db`],
  ...['find posts.db tea', 'describe posts.db', 'export posts.db new.csv', 'forget posts.db --id 1 --yes'],
]

/** All that a file has, once a run of each kind has had it. */
async function schemaOf(path: string): Promise<unknown[]> {
  const file = await RecordDatabase.open(path, { operation: microblogSearch, searchKeys: [] })
  for (const { id } of operations.filter((each) => 'list' in each))
    await file.storePage({ searchKey: { watch: id }, progress: {}, records: [] })
  file.close()
  const sql = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' ORDER BY type, name`
  return rowsOf(path, sql).map((each) => String(each).replaceAll(/\s+/g, ' ').replaceAll('( ', '('))
}

describe('posts.db', () => {
  useCommand()

  it(`has the schema of format ${newest} from the first run on`, async () => {
    await social(search)
    expect(version()).toEqual([newest])
    // Another schema is another format: raise `currentFormat`, and see that `upgrade()` makes it of older files.
    const hash = createHash('sha256').update(JSON.stringify(await schemaOf('posts.db')))
    expect(hash.digest('hex').slice(0, 8)).toBe('1ba76e5b')
  })

  it.each(commands)('of a newer version is refused, and stays as it is: %s', async (line) => {
    await social(search)
    change('posts.db', `PRAGMA user_version = ${newest + 1}; PRAGMA journal_mode = DELETE`)
    const [bytes, sent] = [readFileSync('posts.db'), sandbox.requests.length]
    await inTurn([line, 2, `posts.db has format ${newest + 1}, of a newer social-search`])
    expect([readFileSync('posts.db').equals(bytes), sandbox.requests.length]).toEqual([true, sent])
  })
})

describe('posts.db of an older version', () => {
  const content = [
    { id: '8', body: 'tea' },
    { id: '9', body: 'tea', author: 'bob' },
  ]
  useCommand({ content: { microblog: content } })

  it.each(all)('is upgraded, and loses nothing, nor what users have added: format %i', async (format) => {
    makeOld(format)
    change(
      'posts.db',
      `CREATE TABLE tags (record, tag, value); INSERT INTO tags VALUES ('1', 'topic', 'tea');
      CREATE VIEW mine AS SELECT found.id, tag FROM microblog_posts_found AS found JOIN tags ON tags.record = found.id;
      CREATE VIEW costs AS SELECT sum(credits) AS credits FROM social_search_spent;
      CREATE INDEX mine_by ON social_search_results (number);
      CREATE TABLE log (id); CREATE TRIGGER logged AFTER INSERT ON microblog_posts BEGIN INSERT INTO log VALUES (new.id); END`,
    )
    const read = (tables: readonly string[]) =>
      tables.map((name) => allOf('posts.db', `SELECT * FROM ${name} ORDER BY 1, 2`))
    const kept = [
      ...[
        'microblog_posts',
        'microblog_posts_counts',
        'social_search_spent',
        'mine',
        '(SELECT 1, * FROM costs)',
      ],
      '(SELECT number, search, network, command, params, records, first_look, last_look FROM social_search_searches)',
      '(SELECT query, id, first_seen, record FROM microblog_posts_found)',
      '(SELECT search, number FROM social_search_results)',
      '(SELECT search, network, "from", "to" FROM social_search_gaps)',
      ...(format > 1 ? ['social_search_purchases'] : []),
    ]
    const before = read([
      ...kept,
      `(SELECT job, state FROM social_search_jobs WHERE job LIKE '{%')`,
      '(SELECT salt, hash FROM social_search_salt, social_search_forgotten)',
    ])
    expect(before.every((rows) => rows.length > 0)).toBe(true)
    expect((await social('describe posts.db')).err).toBe(said)
    const after = read([
      ...kept,
      '(SELECT job, state FROM social_search_searches)',
      `(SELECT salt, hash FROM social_search_salt, social_search_seen WHERE hex(hash) GLOB '88E8*' OR hex(hash) GLOB 'FB4F*')`,
    ])
    expect(after).toEqual(before)
    expect(version()).toEqual([newest])
    expect(rowsOf('posts.db', "SELECT 1 FROM sqlite_master WHERE name = 'mine_by'")).toEqual([1])
    await inTurn([search, 0])
    expect(rowsOf('posts.db', 'SELECT id FROM log')).toEqual(['8'])
  })

  it('says what a search has cost that was killed during its first page, when it knew no searches yet', async () => {
    makeOld(0)
    const job = '{"operation":"microblog.search","params":{"query":"matcha"}}'
    change(
      'posts.db',
      `INSERT INTO social_search_jobs VALUES ('${job}', '{"next":{"query":"matcha"},"records":0,"credits":2}');
      INSERT INTO social_search_spent VALUES ('matcha', 'microblog', 'microblog_posts', '2026-11-28', 0, 2)`,
    )
    await inTurn(['describe posts.db', 0, 'matcha'])
    for (const column of [
      "state ->> 'credits' FROM social_search_searches",
      'uncertain FROM social_search_spent',
    ])
      expect(rowsOf('posts.db', `SELECT ${column} WHERE search = 'matcha'`)).toEqual([2])
  })

  it('keeps what searches have cost, when it did not say yet which records they had found', async () => {
    makeOld(0)
    const costs = 'SELECT search, day, credits FROM social_search_spent ORDER BY search'
    change(
      'posts.db',
      `CREATE TABLE before AS SELECT search, network, day, credits, uncertain FROM social_search_spent;
      DROP TABLE social_search_spent; ALTER TABLE before RENAME TO social_search_spent`,
    )
    const before = allOf('posts.db', costs)
    expect((await social('describe posts.db')).err).toBe(said)
    expect([before.length, allOf('posts.db', costs)]).toEqual([2, before])
  })

  it.each(all)('has the schema of a new one: format %i', async (format) => {
    makeOld(format)
    expect(await schemaOf('posts.db')).toEqual(await schemaOf('new.db'))
  })

  it.each(commands.filter((line) => !line.startsWith('mcp')))('is upgraded once: %s', async (line) => {
    makeOld(0)
    expect((await social(line)).err).toContain(said)
    expect((await social(line)).err).not.toContain('upgraded')
  })

  it.each([0, newest - 1])(
    'is continued without what was deleted or forgotten: format %i',
    async (format) => {
      makeOld(format)
      change('posts.db', "DELETE FROM microblog_posts WHERE id = '7'")
      await social('describe posts.db')
      change('posts.db', "DELETE FROM microblog_posts WHERE id = '4'")
      sandbox.publish({ microblog: ['4', '7'].map((id) => ({ id, body: 'tea' })) })
      for (const line of [watch, search]) expect([0, 5]).toContain((await social(line)).code)
      const ids = rowsOf('posts.db', 'SELECT id FROM microblog_posts ORDER BY number')
      expect(ids).toEqual(['1', '3', '6', '5', '8'])
    },
  )

  it.each([0, newest - 1])('goes on with `export --new`, with no row twice: format %i', async (format) => {
    makeOld(format)
    await inTurn(['export posts.db new.jsonl --new', 0])
    const records = recordsOf(readFileSync('new.jsonl', 'utf8'))
    // What a search had added comes now.
    expect(records.map(({ id, query }) => `${id} ${String(query)}`)).toEqual([
      '6 coffee',
      '5 coffee',
      '7 tea',
    ])
    await inTurn(['export posts.db more.jsonl --new', 0, 'more.jsonl: 0 rows'])
  })
})
