import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { samplesOf } from '../docs/samples.ts'
import { failed, linesOf, recordsOf } from '../support/command-line.ts'
import { change, networkPosts, numbersOf, posts, range, rowsOf } from '../support/posts-database.ts'
import { exportRecords } from '../../src/cli/export-records.ts'
import { feedsList } from '../../src/api/endpoints/feeds.ts'
import { mentionsList } from '../../src/api/endpoints/mentions.ts'
import { createTables } from '../../src/cli/database/schema.ts'
import { tableOf } from '../../src/cli/database/tables.ts'
import { sandbox, social, useCommand } from './command.ts'

useCommand({ content: { microblog: posts(0, 30), professionalnet: networkPosts(0, 30) } })

const labels = samplesOf('docs/export.md', 'sql').find((sample) => sample.includes('CREATE TABLE')) ?? ''
const ids = 'SELECT id FROM microblog_posts'

describe('export', () => {
  it('makes what a search would have printed', async () => {
    const line = 'search coffee --all --yes'
    await social(`${line} --out a.db`)
    for (const format of ['csv', 'jsonl']) {
      const made = { code: 0, out: '', err: `made.${format}: 30 rows\n` }
      expect(await social(`export a.db made.${format}`)).toEqual(made)
      const found = readFileSync(`made.${format}`, 'utf8').replaceAll(
        /^(\{?)("query":\["coffee"\]|coffee|query),/gm,
        '$1',
      )
      expect(found).toBe((await social(`${line} --format ${format}`)).out)
    }
  })

  it('lists the queries that have found a record, whatever field `query` it has of its own', async () => {
    sandbox.publish({ microblog: [{ id: '99', body: 'coffee and tea' }] })
    await social('search coffee --all --yes --out a.db')
    await social('watch tea --once --out a.db')
    await social('mentions list --limit 1 --out a.db')
    change('a.db', `UPDATE microblog_posts SET record = json_set(record, '$.query', 'own') WHERE id = '99'`)
    await social('export a.db a.jsonl --table microblog_posts')
    const records = recordsOf(readFileSync('a.jsonl', 'utf8'))
    expect(records.find(({ id }) => id === '99')).toMatchObject({ query: ['coffee', 'tea'] })
    expect(records.find(({ id }) => id !== '99')).toMatchObject({ query: ['coffee'] })
    await social('export a.db a.csv --table microblog_posts')
    expect(readFileSync('a.csv', 'utf8')).toMatch(/^query,id,[^]*\ncoffee\|tea,99,/)
    await social('export a.db mentions.jsonl --table mentions')
    expect(readFileSync('mentions.jsonl', 'utf8')).not.toContain('"query"')
  })

  it('takes 3,000 records, of the table that --table names', async () => {
    const file = new DatabaseSync('a.db')
    for (const operation of [mentionsList, feedsList]) createTables(file, tableOf(operation))
    file.exec('CREATE TABLE own (a)')
    const records = range(0, 3000).map((each) => `{"id":"${each}"}`)
    file.exec('BEGIN')
    for (const [index, record] of records.entries())
      file.prepare('INSERT INTO mentions (key, record) VALUES (?, ?)').run(String(index), record)
    file.exec('COMMIT')
    file.close()
    await social('export a.db a.jsonl --table mentions')
    expect(linesOf(readFileSync('a.jsonl', 'utf8'))).toEqual(records)
    await social('export a.db a.csv --table mentions')
    expect(readFileSync('a.csv', 'utf8').slice(0, 7)).toBe('id\n0\n1\n')
    for (const flag of ['', '--table none'])
      expect(await social(`export a.db b.jsonl ${flag}`)).toMatchObject(
        failed(2, '--table with one of mentions, feeds'),
      )
    expect(await social('export a.db b.csv --table feeds')).toMatchObject(failed(2, 'feeds has no columns'))
    expect(existsSync('b.csv')).toBe(false)
  })

  it('takes what runs write beside records by its name, and none of it without one', async () => {
    await social('search coffee --out a.db --cost-label acme --yes')
    await social('export a.db paid.jsonl --table social_search_purchases')
    const [paid] = recordsOf(readFileSync('paid.jsonl', 'utf8'))
    expect(paid).toMatchObject({ search: 1, label: 'acme', credits: 2, uncertain: 0 })
    for (const name of ['searches', 'results', 'gaps', 'spent'])
      expect((await social(`export a.db ${name}.jsonl --table social_search_${name}`)).code).toBe(0)
    expect((await social('export a.db counts.csv --table microblog_posts_counts')).err).toContain('20 rows')
    expect((await social('export a.db a.xlsx')).err).toBe('a.xlsx: 20 rows\n')
    for (const name of ['social_search_salt', 'social_search_seen'])
      expect(await social(`export a.db x.csv --table ${name}`)).toMatchObject(failed(2, 'pass --table'))
    expect(await social('export a.db x.csv --new --table social_search_spent')).toMatchObject(
      failed(2, '--new is for tables of records'),
    )
  })

  it('makes columns of what undocumented records have', async () => {
    sandbox.publish({ mentions: [{ id: 'men_1', stats: { fit: 7, tags: ['a', 'b'] }, odd: { 'x.y': 1 } }] })
    await social('mentions list --limit 1 --out m.db')
    await social('export m.db m.csv')
    const [header, row] = linesOf(readFileSync('m.csv', 'utf8'))
    expect(header).toMatch(/^id,.*stats.fit,stats.tags,odd/)
    expect(row).toMatch(/^men_1,.*7,a\|b,"\{""x.y"":1\}"/)
  })

  it('takes tables and views of the user as they are, also beside the columns of records', async () => {
    await social('search coffee --all --yes --out a.db')
    change(
      'a.db',
      labels.replace(
        /VALUES .*;/,
        "VALUES ('2', 'weight', 9007199254740993), ('2', 'topic', 'tea'), ('2', 'vector', x'00ff');",
      ),
    )
    expect(await social('export a.db tagged.csv --table tagged')).toMatchObject({ code: 0 })
    const [header, first, second] = linesOf(readFileSync('tagged.csv', 'utf8'))
    expect(header).toMatch(/^id,body,.*engagements.viewsCount,tag,value$/)
    expect(first).toMatch(/,weight,9007199254740993$/)
    expect(second).toMatch(/^2,coffee,.*,topic,tea$/)
    await social('export a.db tags.jsonl --table tags')
    expect(recordsOf(readFileSync('tags.jsonl', 'utf8'))[1]).toEqual({
      record: '2',
      tag: 'topic',
      value: 'tea',
    })
    expect(recordsOf(readFileSync('tags.jsonl', 'utf8'))[2]).toMatchObject({ value: '00ff' })
    await social('export a.db tagged.jsonl --table tagged')
    expect(recordsOf(readFileSync('tagged.jsonl', 'utf8'))[1]).toMatchObject({
      ...{ id: '2', tag: 'topic', 'engagements.viewsCount': 0 },
    })
    change('a.db', 'CREATE VIEW list AS SELECT id AS "No.", body FROM microblog_posts WHERE id = 2')
    await social('export a.db list.csv --table list')
    await social('export a.db list.jsonl --table list')
    expect(readFileSync('list.csv', 'utf8')).toBe('No.,body\n2,coffee\n')
    expect(readFileSync('list.jsonl', 'utf8')).toBe('{"No.":"2","body":"coffee"}\n')
    const found = async (query: string) =>
      (await social(`find a.db '${query}' --format jsonl`)).out.match(/(?<="id":")\d+/g) ?? []
    expect(await found('tag:topic=tea coffee')).toEqual(['2'])
    expect(await found('tag:weight')).toEqual(['2'])
    for (const query of ['tag:topic=milk', 'tag:other', 'tag:topic tea'])
      expect(await found(query)).toEqual([])
    change('a.db', "CREATE TABLE mine (post REFERENCES microblog_posts (id)); INSERT INTO mine VALUES ('2')")
    const refused = failed(1, 'a trigger, index or reference that you added refuses the change')
    expect(await social('forget a.db --id 2 --yes')).toMatchObject(refused)
    change('a.db', 'DROP TABLE mine')
    await social('forget a.db --id 2 --yes')
    expect(rowsOf('a.db', 'SELECT count(*) FROM tags')).toEqual([0])
    change('a.db', 'CREATE VIEW older AS SELECT label FROM tags')
    const broken = failed(2, 'older cannot be read: no such column: label; drop it')
    expect(await social('export a.db posts.xlsx')).toMatchObject(broken)
    await social('export a.db posts.csv')
    expect(await social('export a.db new.csv --new --table tagged')).toMatchObject(failed(2, '--new is for'))
  })

  it('reads each column of a view by its name when other names begin with it, or are those of prototypes', async () => {
    await social('search coffee --out a.db')
    const names = ['engagements', 'engagements.viewsCount', '__proto__.line', '__proto__', 'a.b.c', 'a.b']
    change('a.db', `CREATE VIEW mine AS SELECT ${names.map((name, index) => `${index} AS "${name}"`).join()}`)
    for (const format of ['csv', 'jsonl']) await social(`export a.db mine.${format} --table mine`)
    expect(readFileSync('mine.csv', 'utf8')).toBe(`${names.join()}\n0,1,2,3,4,5\n`)
    const [row = {}] = recordsOf(readFileSync('mine.jsonl', 'utf8'))
    expect(Object.entries(row)).toEqual(names.map((name, index) => [name, index]))
    expect('line' in {}).toBe(false)
  })

  it('replaces a file with --overwrite, and leaves nothing else', async () => {
    await social('search coffee --out a.db')
    await social('export a.db fresh.csv')
    writeFileSync('a.csv', 'old')
    // Another export was killed, whose process had the id of this one.
    writeFileSync(`a.csv.${process.pid}.part`, 'half')
    expect(await social('export a.db a.csv --overwrite')).toMatchObject({ code: 0, err: 'a.csv: 20 rows\n' })
    expect(readFileSync('a.csv', 'utf8')).toBe(readFileSync('fresh.csv', 'utf8'))
    change('a.db', "UPDATE microblog_posts SET record = '{' WHERE number = 20")
    expect((await social('export a.db fresh.csv --overwrite')).code).toBe(1)
    expect(readFileSync('fresh.csv', 'utf8')).toBe(readFileSync('a.csv', 'utf8'))
    rmSync(`a.csv.${process.pid}.part`)
    expect(readdirSync('.').sort()).toEqual(['a.csv', 'a.db', 'fresh.csv'])
  })

  it('with --new has what was added since, whoever added it, also in the place of a row that was deleted', async () => {
    const added = async () => {
      await social('export a.db new.jsonl --new --overwrite --table microblog_posts')
      const lines = readFileSync('new.jsonl', 'utf8').split('\n').filter(Boolean)
      return lines.map((line) => (JSON.parse(line) as { id: string }).id).sort()
    }
    await social('watch coffee --once --budget 20 --out a.db')
    expect(await added()).toEqual(range(0, 20).map(String).sort())
    await social('search coffee --count 20 --out a.db')
    await social('mentions list --out a.db')
    expect(await added()).toEqual([])
    sandbox.publish({ microblog: [...posts(30, 32), { id: '32', body: 'tea' }] })
    await social('search coffee --count 3 --out a.db')
    change('a.db', "DELETE FROM microblog_posts WHERE id = '31'")
    await social('search tea --out a.db')
    change('a.db', 'INSERT INTO microblog_posts (id, record) VALUES (\'own\', \'{"id":"own"}\')')
    expect(await added()).toEqual(['30', '32', 'own'])
    change('a.db', "DELETE FROM microblog_posts WHERE id = 'own'")
    change('a.db', 'INSERT INTO microblog_posts (id, record) VALUES (\'other\', \'{"id":"other"}\')')
    expect(await added()).toEqual(['other'])
    expect(await social('export a.db mentions.jsonl --new --table mentions')).toMatchObject({ code: 0 })
    expect(readFileSync('mentions.jsonl', 'utf8')).toContain('men_')
  })

  it('with --new is refused while another one is under way, and has no row twice', async () => {
    await social('search coffee --all --yes --out a.db')
    const both = ['one.jsonl', 'two.jsonl'].map((file) => exportRecords('a.db', file, { new: true }))
    const results = await Promise.allSettled(both)
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringContaining('a.db is in use by another run') as unknown },
    })
    const files = readdirSync('.').filter((name) => name.endsWith('.jsonl'))
    expect(files.map((name) => linesOf(readFileSync(name, 'utf8')).length)).toEqual([30])
  })

  it.each([
    ['a.db a.txt', 'ends in .csv, .xlsx or .jsonl, got a.txt'],
    ['a.db /none/a.csv', 'the folder /none does not exist'],
    ['a.db own.csv', 'own.csv exists; pass --overwrite, or another file'],
    ['a.db own.csv --overwrite --table none', 'pass --table with one of'],
    ['own.csv a.csv', 'own.csv is not an SQLite database'],
    ['none.db a.csv', 'none.db does not exist'],
  ])('refuses %s', async (files, message) => {
    await social('search coffee --out a.db')
    writeFileSync('own.csv', 'own')
    expect(await social(`export ${files}`)).toMatchObject(failed(2, message))
    expect([readdirSync('.').sort(), readFileSync('own.csv', 'utf8')]).toEqual([['a.db', 'own.csv'], 'own'])
  })
})

describe('--out posts.db', () => {
  const search = 'search coffee --per-minute off --count 3 --all --yes --out posts.db'

  it('says how many records are new, and that empty pages ended --all although there is more', async () => {
    expect((await social(search)).err).toBe('posts.db: 30 records (30 new) · 20 credits\n')
    sandbox.publish({ microblog: posts(30, 32) })
    expect((await social(search)).err).toContain('posts.db: 32 records (2 new) · 22 credits\n')
    expect(numbersOf('posts.db', ids)).toEqual(range(0, 32))
    const body = '{"requestId":"r","posts":[],"meta":{"returnedCount":0,"hasMore":true,"nextCursor":"'
    let page = 0
    vi.stubGlobal(
      'fetch',
      () => new Response(`${body}${++page}"}}`, { headers: { 'content-type': 'application/json' } }),
    )
    const { err } = await social(search.replace('coffee', 'tea'))
    expect(err).toContain(
      'The service says that there is more, but sent empty pages. To continue: the same command with --resume',
    )
  })

  it.each<[why: string, prepare: () => unknown, line: string, code: number, end: string]>([
    ['a budget ends it', () => {}, `${search} --budget 5`, 5, '6 records (6 new) · 4 credits'],
    [
      'page two fails',
      () => sandbox.inject({ status: 403, skip: 1 }),
      search,
      3,
      '3 records (3 new) · 2 credits',
    ],
    ['page one fails', () => sandbox.inject({ status: 403 }), search, 3, '0 records (0 new) · 0 credits'],
  ])(
    'says what the file has, what it cost and how to continue when %s',
    async (_, prepare, line, code, end) => {
      prepare()
      const ran = await social(line)
      const lines = linesOf(ran.err)
      expect([ran.code, lines.at(-1)]).toEqual([code, `posts.db: ${end}`])
      const more = code === 5 ? ' and a higher --budget, which counts all runs' : ''
      expect(lines.at(-2)).toBe(`To continue: the same command with --resume${more}`)
    },
  )

  it('says before it pays that it has the whole job, unless --resume is there', async () => {
    const hint = 'posts.db already has this whole job. This run pays for it again'
    expect((await social(search)).err).not.toContain(hint)
    expect((await social(search)).err).toMatch(new RegExp(`^${hint}`))
    expect((await social(`${search} --resume`)).err).not.toContain(hint)
    expect((await social(search.replace('coffee', 'tea'))).err).not.toContain(hint)
    const asked = await social(search.replace('--yes', ''))
    expect(asked).toMatchObject(failed(2, hint))
  })

  it('keeps what --resume continues when a run that begins anew fails for free', async () => {
    await social('search coffee --max-pages 1 --out posts.db')
    const state = () => rowsOf('posts.db', 'SELECT state FROM social_search_searches')
    const before = state()
    sandbox.inject({ status: 401 })
    expect((await social('search coffee --max-pages 1 --out posts.db')).code).not.toBe(0)
    expect(state()).toEqual(before)
    await social('search coffee --max-pages 1 --out posts.db --resume')
    expect(rowsOf('posts.db', 'SELECT count(*) FROM microblog_posts')).toEqual([30])
  })

  it('has what a page has cost that is charged and invalid, and no check before the first answer', async () => {
    sandbox.inject({ status: 200, body: { requestId: 'r', posts: [{ id: 'paid' }], meta: {} } })
    expect(await social(search)).toMatchObject(failed(4, 'You were charged 2 credits'))
    const { searches } = JSON.parse((await social('describe posts.db')).out)
    expect(searches).toMatchObject([{ credits: 2, uncertain: 0, lastCheck: null }])
    expect((await social(`${search} --resume`)).err).toBe('posts.db: 30 records (30 new) · 22 credits\n')
    expect((await social(`${search} --resume`)).err).toBe(
      'posts.db: 30 records (0 new) · 22 credits · complete: nothing was sent\n',
    )
  })

  it('keeps all records that share an id, each of them once', async () => {
    const reactions = ['LIKE', 'PRAISE'].map((type) => `{"urn":"urn:post","type":"${type}"}`)
    const body = `{"requestId":"r","reactions":[${reactions.join(',')}],"meta":{"hasMore":false}}`
    vi.stubGlobal('fetch', () => new Response(body, { headers: { 'content-type': 'application/json' } }))
    for (let run = 0; run < 2; run++) await social('reactions --budget 1000 --out posts.db')
    expect(rowsOf('posts.db', 'SELECT record FROM professionalnet_reactions')).toEqual(reactions)
  })

  it.each([
    ...['{', '', 'null', '[]', '{"records":30,"credits":20}'].map((state) => [state, `${search} --resume`]),
    ...['{', 'null', '[]'].map((state) => [state, 'watch coffee --once --out posts.db']),
  ])('refuses the progress %j, and sends nothing: %s', async (state, line = '') => {
    await social(line)
    const before = sandbox.requests.length
    change('posts.db', `UPDATE social_search_searches SET state = '${state}'`)
    expect(await social(line)).toMatchObject(failed(2, 'the state of a job cannot be read'))
    expect(sandbox.requests).toHaveLength(before)
  })

  it('refuses a file that is not a database, or that of another program, and sends nothing', async () => {
    writeFileSync('posts.db', 'text '.repeat(400))
    expect(await social(search)).toMatchObject(failed(2, 'is not an SQLite database'))
    expect(readFileSync('posts.db', 'utf8')).toMatch(/^text/)
    rmSync('posts.db')
    change('posts.db', 'CREATE TABLE microblog_posts (id TEXT PRIMARY KEY, record TEXT)')
    const before = readFileSync('posts.db')
    expect(await social(search)).toMatchObject(failed(2, 'posts.db is the database of another program'))
    expect(readFileSync('posts.db')).toEqual(before)
    expect(sandbox.requests).toEqual([])
  })

  it.each([search, 'find posts.db a', 'describe posts.db', 'export posts.db a.csv'])(
    'names a damaged file, and sends nothing: %s',
    async (command) => {
      await social(search)
      const [sent, bytes] = [sandbox.requests.length, readFileSync('posts.db')]
      writeFileSync('posts.db', bytes.subarray(0, bytes.length / 2))
      expect(await social(command)).toMatchObject(failed(1, 'posts.db cannot be used: '))
      expect(sandbox.requests).toHaveLength(sent)
    },
  )
})
