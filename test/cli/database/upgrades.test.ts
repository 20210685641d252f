import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { allOf, rowsOf } from '../../support/posts-database.ts'
import { sandboxFlag } from '../../support/sandbox.ts'
import { failed, recordsOf } from '../../support/command-line.ts'
import { sandbox, social, useCommand } from '../command.ts'

/** What version 0.1.0 has written: a watch, an export, a search, another check, and an author who was forgotten. */
const old = readFileSync(join(import.meta.dirname, 'version-0.1.0.sql'), 'utf8')

function makeFile(sql: string): void {
  const file = new DatabaseSync('posts.db')
  file.exec(sql)
  file.close()
}

/** Files of version 0.1.0 say 0. */
const newest = 4
const version = () => rowsOf('posts.db', 'PRAGMA user_version')
const search = 'search tea --out posts.db --budget 20'
const commands = [
  ...[search, 'watch tea --once --out posts.db --budget 20', `mcp ${sandboxFlag} --out posts.db`],
  ...['find posts.db tea', 'describe posts.db', 'export posts.db new.csv', 'forget posts.db --id 1 --yes'],
]

describe('posts.db of version 0.1.0', () => {
  const content = [
    { id: '8', body: 'tea' },
    { id: '9', body: 'tea', author: 'bob' },
  ]
  useCommand({ content: { microblog: content } })

  it.each([...commands.filter((line) => !line.startsWith('mcp'))])(
    'is upgraded once, and loses nothing: %s',
    async (line) => {
      makeFile(old)
      const kept = [
        ...['microblog_posts', 'microblog_posts_counts', 'social_search_spent', 'social_search_missing'],
        ...['social_search_forgotten', 'social_search_searches'],
        "(SELECT search || ' ' || number FROM social_search_results)",
        '(SELECT query || id, first_seen, record FROM microblog_posts_found)',
      ]
      const tables = () =>
        Object.fromEntries(
          kept.map((name) => [name, allOf('posts.db', `SELECT * FROM ${name} ORDER BY 1 DESC`)]),
        )
      const before = tables()
      expect((await social('describe posts.db')).err).toBe(`posts.db has been upgraded to format ${newest}\n`)
      expect(tables()).toEqual(before)
      expect(version()).toEqual([newest])
      expect(rowsOf('posts.db', "SELECT name FROM sqlite_master WHERE name GLOB '*_fts*'")).toEqual([])
      expect((await social(line)).err).not.toContain('upgrading')
    },
  )

  it('is continued by a watch and a search, and an author who was forgotten stays so', async () => {
    makeFile(old)
    for (const line of ['watch tea --once --out posts.db --budget 20', search])
      expect([0, 5]).toContain((await social(line)).code)
    expect(rowsOf('posts.db', 'SELECT id FROM microblog_posts ORDER BY number')).toEqual([
      ...['1', '3', '4', '6', '5', '7', '8'],
    ])
  })

  it('goes on with `export --new` where it was: rows that a search had added come now, and no other row twice', async () => {
    makeFile(old)
    expect((await social('export posts.db new.jsonl --new')).code).toBe(0)
    const records = recordsOf(readFileSync('new.jsonl', 'utf8'))
    expect(records.map(({ id, query }) => [id, query])).toEqual([
      ...[
        ['6', ['coffee']],
        ['5', ['coffee']],
        ['7', ['tea']],
      ],
    ])
    expect((await social('export posts.db more.jsonl --new')).err).toContain('more.jsonl: 0 rows')
  })

  it('finds the words of every script once it is upgraded', async () => {
    makeFile(old)
    const idsOf = async (query: string) =>
      recordsOf((await social(`find posts.db ${query} --format jsonl`)).out).map(({ id }) => id)
    expect([await idsOf('दिल'), await idsOf('커피'), await idsOf('C++')]).toEqual([['4'], ['6'], ['3']])
  })
})

describe('posts.db', () => {
  useCommand()

  it('says its format, from the first run on', async () => {
    await social(search)
    expect(version()).toEqual([newest])
  })

  it.each(commands)('of a newer version is refused, and stays as it is: %s', async (line) => {
    await social(search)
    makeFile(`PRAGMA user_version = ${newest + 1}; PRAGMA journal_mode = DELETE`)
    const [bytes, sent] = [readFileSync('posts.db'), sandbox.requests.length]
    expect(await social(line)).toMatchObject(
      failed(2, `posts.db has format ${newest + 1}, of a newer social-search`),
    )
    expect([readFileSync('posts.db').equals(bytes), sandbox.requests.length]).toEqual([true, sent])
  })
})
