import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { samplesOf } from '../docs/samples.ts'
import { failed, linesOf, recordsOf } from '../support/command-line.ts'
import { page } from '../support/pages.ts'
import { change, networkPosts, numbersOf, posts, range, rowsOf } from '../support/posts-database.ts'
import type { Fault } from '../support/sandbox.ts'
import { exportRecords } from '../../src/cli/export-records.ts'
import { feedsList } from '../../src/api/endpoints/feeds.ts'
import { mentionsList } from '../../src/api/endpoints/mentions.ts'
import { createTables } from '../../src/cli/database/schema.ts'
import { tableOf } from '../../src/cli/database/tables.ts'
import { between, inTurn, sandbox, social, useCommand } from './command.ts'

useCommand({ content: { microblog: posts(0, 30), professionalnet: networkPosts(0, 30) } })

const labels = samplesOf('docs/export.md', 'sql').find((sample) => sample.includes('CREATE TABLE')) ?? ''
const ids = 'SELECT id FROM microblog_posts'

/** The text of a file that `export` makes. */
async function exported(file: string, flags = ''): Promise<string> {
  expect(await social(`export a.db ${file} ${flags}`)).toMatchObject({ code: 0 })
  return readFileSync(file, 'utf8')
}
const exportedRecords = async (flags: string) => recordsOf(await exported('a.jsonl', `--overwrite ${flags}`))

describe('export', () => {
  it('makes what a search would have printed', async () => {
    const line = 'search coffee --all --yes'
    await social(`${line} --out a.db`)
    for (const format of ['csv', 'jsonl']) {
      const made = { code: 0, out: '', err: `made.${format}: 30 rows\n` }
      expect(await social(`export a.db made.${format}`)).toEqual(made)
      const query = /(?<=^\{?)("query":\["coffee"\]|coffee|query),/gm
      const found = readFileSync(`made.${format}`, 'utf8').replaceAll(query, '')
      expect(found).toBe((await social(`${line} --format ${format}`)).out)
    }
  })

  it('lists the queries that have found a record, whatever field `query` it has of its own', async () => {
    sandbox.publish({ microblog: [{ id: '99', body: 'coffee and tea' }] })
    await social('search coffee --all --yes --out a.db')
    await social('watch tea --once --out a.db')
    await social('mentions list --limit 1 --out a.db')
    change('a.db', `UPDATE microblog_posts SET record = json_set(record, '$.query', 'own') WHERE id = '99'`)
    const records = await exportedRecords('--table microblog_posts')
    expect(records.find(({ id }) => id === '99')).toMatchObject({ query: ['coffee', 'tea'] })
    expect(records.find(({ id }) => id !== '99')).toMatchObject({ query: ['coffee'] })
    expect(await exported('a.csv', '--table microblog_posts')).toMatch(/^query,id,[^]*\ncoffee\|tea,99,/)
    expect(await exported('mentions.jsonl', '--table mentions')).not.toContain('"query"')
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
    expect(linesOf(await exported('a.jsonl', '--table mentions'))).toEqual(records)
    expect((await exported('a.csv', '--table mentions')).slice(0, 7)).toBe('id\n0\n1\n')
    await inTurn(
      ['export a.db b.jsonl', 2, '--table with one of mentions, feeds'],
      ['export a.db b.jsonl --table none', 2, '--table with one of mentions, feeds'],
      ['export a.db b.csv --table feeds', 2, 'feeds has no columns'],
    )
    expect(existsSync('b.csv')).toBe(false)
  })

  it('takes what runs write beside records by its name, and none of it without one', async () => {
    await social('search coffee --out a.db --cost-label acme --yes')
    const [paid] = await exportedRecords('--table social_search_purchases')
    expect(paid).toMatchObject({ search: 1, label: 'acme', credits: 2, uncertain: 0 })
    for (const name of ['searches', 'results', 'gaps', 'spent'])
      await exported(`${name}.jsonl`, `--table social_search_${name}`)
    await inTurn(
      ['export a.db counts.csv --table microblog_posts_counts', 0, '20 rows'],
      ['export a.db a.xlsx', 0, /^a\.xlsx: 20 rows\n$/],
      ['export a.db x.csv --table social_search_salt', 2, 'pass --table'],
      ['export a.db x.csv --table social_search_seen', 2, 'pass --table'],
      ['export a.db x.csv --new --table social_search_spent', 2, '--new is for tables of records'],
    )
  })

  it('makes columns of what undocumented records have', async () => {
    sandbox.publish({ mentions: [{ id: 'men_1', stats: { fit: 7, tags: ['a', 'b'] }, odd: { 'x.y': 1 } }] })
    await social('mentions list --limit 1 --out a.db')
    const [header, row] = linesOf(await exported('m.csv'))
    expect(header).toMatch(/^id,.*stats.fit,stats.tags,odd/)
    expect(row).toMatch(/^men_1,.*7,a\|b,"\{""x.y"":1\}"/)
  })

  it('takes tables and views of the user as they are, also beside the columns of records', async () => {
    await social('search coffee --all --yes --out a.db')
    const values =
      "VALUES ('2', 'weight', 9007199254740993), ('2', 'topic', 'tea'), ('2', 'vector', x'00ff');"
    change('a.db', labels.replace(/VALUES .*;/, values))
    const [header, first, second] = linesOf(await exported('tagged.csv', '--table tagged'))
    expect(header).toMatch(/^id,body,.*engagements.viewsCount,tag,value$/)
    expect(first).toMatch(/,weight,9007199254740993$/)
    expect(second).toMatch(/^2,coffee,.*,topic,tea$/)
    const [, topic, vector] = await exportedRecords('--table tags')
    expect([topic, vector?.['value']]).toEqual([{ record: '2', tag: 'topic', value: 'tea' }, '00ff'])
    const [, tagged] = await exportedRecords('--table tagged')
    expect(tagged).toMatchObject({ id: '2', tag: 'topic', 'engagements.viewsCount': 0 })
    change('a.db', 'CREATE VIEW list AS SELECT id AS "No.", body FROM microblog_posts WHERE id = 2')
    expect(await exported('list.csv', '--table list')).toBe('No.,body\n2,coffee\n')
    expect(await exported('list.jsonl', '--table list')).toBe('{"No.":"2","body":"coffee"}\n')
    const found = async (query: string) =>
      (await social(`find a.db '${query}' --format jsonl`)).out.match(/(?<="id":")\d+/g) ?? []
    expect(await found('tag:topic=tea coffee')).toEqual(['2'])
    expect(await found('tag:weight')).toEqual(['2'])
    for (const query of ['tag:topic=milk', 'tag:other', 'tag:topic tea'])
      expect(await found(query)).toEqual([])
    change('a.db', "CREATE TABLE mine (post REFERENCES microblog_posts (id)); INSERT INTO mine VALUES ('2')")
    const refused = 'a trigger, index or reference that you added refuses the change'
    await inTurn(['forget a.db --id 2 --yes', 1, refused])
    change('a.db', 'DROP TABLE mine')
    await inTurn(['forget a.db --id 2 --yes', 0])
    expect(rowsOf('a.db', 'SELECT count(*) FROM tags')).toEqual([0])
    change('a.db', 'CREATE VIEW older AS SELECT label FROM tags')
    await inTurn(
      ['export a.db posts.xlsx', 2, 'older cannot be read: no such column: label; drop it'],
      ['export a.db posts.csv', 0],
      ['export a.db new.csv --new --table tagged', 2, '--new is for'],
    )
  })

  it('reads each column of a view by its name when other names begin with it, or are those of prototypes', async () => {
    await social('search coffee --out a.db')
    const names = ['engagements', 'engagements.viewsCount', '__proto__.line', '__proto__', 'a.b.c', 'a.b']
    change('a.db', `CREATE VIEW mine AS SELECT ${names.map((name, index) => `${index} AS "${name}"`).join()}`)
    expect(await exported('mine.csv', '--table mine')).toBe(`${names.join()}\n0,1,2,3,4,5\n`)
    const [row = {}] = await exportedRecords('--table mine')
    expect(Object.entries(row)).toEqual(names.map((name, index) => [name, index]))
    expect('line' in {}).toBe(false)
  })

  it('replaces a file with --overwrite, and leaves nothing else', async () => {
    await social('search coffee --out a.db')
    const fresh = await exported('fresh.csv')
    writeFileSync('a.csv', 'old')
    // Another export was killed, whose process had the id of this one.
    writeFileSync(`a.csv.${process.pid}.part`, 'half')
    expect(await social('export a.db a.csv --overwrite')).toMatchObject({ code: 0, err: 'a.csv: 20 rows\n' })
    expect(readFileSync('a.csv', 'utf8')).toBe(fresh)
    change('a.db', "UPDATE microblog_posts SET record = '{' WHERE number = 20")
    await inTurn(['export a.db fresh.csv --overwrite', 1])
    expect(readFileSync('fresh.csv', 'utf8')).toBe(fresh)
    rmSync(`a.csv.${process.pid}.part`)
    expect(readdirSync('.').sort()).toEqual(['a.csv', 'a.db', 'fresh.csv'])
  })

  it('with --new has what was added since, or found by another query, also in the place of a row that was deleted', async () => {
    const added = async () => {
      const [head, ...rows] = linesOf(await exported('new.csv', '--new --overwrite --table microblog_posts'))
      expect(head).toMatch(/^query,id,/)
      return rows.map((row) => row.replace(/^([\w|]*),(\w+),.*/, '$1 $2')).sort()
    }
    await social('watch coffee --once --budget 20 --out a.db')
    expect(await added()).toEqual(
      range(0, 20)
        .map((id) => `coffee ${id}`)
        .sort(),
    )
    await social('search coffee --count 20 --out a.db')
    await social('mentions list --out a.db')
    expect(await added()).toEqual([])
    sandbox.publish({ microblog: [...posts(30, 32), { id: '32', body: 'tea' }] })
    await social('search coffee --count 3 --out a.db')
    change('a.db', "DELETE FROM microblog_posts WHERE id = '31'")
    await social('search tea --out a.db')
    change('a.db', 'INSERT INTO microblog_posts (id, record) VALUES (\'own\', \'{"id":"own"}\')')
    // A file that exists stays, and its rows are still new afterwards.
    await inTurn(['export a.db new.csv --new --table microblog_posts', 2])
    expect(await added()).toEqual([' own', 'coffee 30', 'tea 32'])
    change('a.db', "DELETE FROM microblog_posts WHERE id = 'own'")
    change('a.db', 'INSERT INTO microblog_posts (id, record) VALUES (\'other\', \'{"id":"other"}\')')
    expect(await added()).toEqual([' other'])
    sandbox.publish({ microblog: [{ id: '33', body: 'coffee or tea or milk' }] })
    for (const [line, ...found] of [
      ['search tea', 'tea 33'],
      ['search coffee', 'tea|coffee 33'],
      // The same query of another command makes no row new.
      ['watch tea --once'],
      ['search milk', 'tea|coffee|milk 33'],
    ]) {
      await social(`${line} --budget 20 --out a.db`)
      expect([line, ...(await added())]).toEqual([line, ...found])
    }
    expect(await exported('mentions.jsonl', '--new --table mentions')).toContain('men_')
  })

  it('with --new is refused while another one is under way, and has no row twice', async () => {
    await social('search coffee --all --yes --out a.db')
    const both = ['one.jsonl', 'two.jsonl'].map((file) => exportRecords('a.db', file, { new: true }))
    const results = await Promise.allSettled(both)
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const message: unknown = expect.stringContaining('a.db is in use by another run')
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { message } })
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

  it('says how many records are new', async () => {
    expect((await social(search)).err).toBe('posts.db: 30 records (30 new) · 20 credits\n')
    sandbox.publish({ microblog: posts(30, 32) })
    expect((await social(search)).err).toContain('posts.db: 32 records (2 new) · 22 credits\n')
    expect(numbersOf('posts.db', ids)).toEqual(range(0, 32))
  })

  it.each([
    ['search tea --all --yes', 5],
    ['search tea --limit 20', 5],
    ['search tea --max-pages 9 --out posts.db', 5],
    ['search tea --max-pages 3', 0],
  ])('ends with 5 when empty pages end the job before its flags do: %s', async (line, code) => {
    let cursor = 0
    between(() => Response.json(page([], String(++cursor))))
    const { err, ...ended } = await social(line)
    const how = line.includes('--out') ? '--resume' : '--cursor 3'
    const said = `sent three empty pages in a row\nTo continue: the same command with ${how}`
    expect([ended.code, err]).toEqual([code, code === 5 ? expect.stringContaining(said) : ''])
  })

  it('never says that a job is complete whose next page the service has lost', async () => {
    const answer = { ...page(['1']), meta: { returnedCount: 1, hasMore: true } }
    between(() => Response.json(answer))
    const lost = 'there is more, but the service did not say where; run the command without --resume'
    await inTurn(
      [search, 4, 'posts.db: 1 record (1 new) · 2 credits\n'],
      [`${search} --resume`, 5, new RegExp(`${lost}[^]*: 1 record \\(0 new\\) · 2 credits\n$`)],
      [search, 4, /^(?![^]*whole job)[^]*: 1 record \(0 new\)/],
    )
  })

  it.each<[why: string, fault: Fault | null, flags: string, code: number, end: string]>([
    ['a budget ends it', null, '--budget 5', 5, '6 records (6 new) · 4 credits'],
    ['page two fails', { status: 403, skip: 1 }, '', 3, '3 records (3 new) · 2 credits'],
    ['page one fails', { status: 403 }, '', 3, '0 records (0 new) · 0 credits'],
  ])('says what the file has, what it cost, how to continue when %s', async (_, fault, flags, code, end) => {
    if (fault !== null) sandbox.inject(fault)
    const more = code === 5 ? ' and a higher --budget, which counts all runs' : ''
    const { err, ...ended } = await social(`${search} ${flags}`)
    const said = [`To continue: the same command with --resume${more}`, `posts.db: ${end}`]
    expect([ended.code, linesOf(err).slice(-2)]).toEqual([code, said])
  })

  it('says before it pays that it has the whole job, unless --resume is there', async () => {
    const hint = 'posts.db already has this whole job. This run pays for it again'
    expect((await social(search)).err).not.toContain(hint)
    expect((await social(search)).err).toMatch(new RegExp(`^${hint}`))
    expect((await social(`${search} --resume`)).err).not.toContain(hint)
    expect((await social(search.replace('coffee', 'tea'))).err).not.toContain(hint)
    const asked = await social(search.replace('--yes', ''))
    expect(asked).toMatchObject(failed(2, hint))
  })

  it.each([
    ...['search coffee', 'mentions list'].map((line) => `${line} --max-pages 1 --out posts.db --resume`),
    'search coffee --cursor x',
  ])('says how to start over when the cursor has expired: %s', async (line) => {
    if (line.includes('--out')) await social(line)
    const issues = [{ path: 'cursor', message: 'has expired' }]
    sandbox.inject({ status: 400, body: { requestId: 'r', error: { code: 'validation_error', issues } } })
    const { code, err } = await social(line)
    expect([code, err]).toEqual([4, expect.stringContaining('run the command without --resume or --cursor')])
    expect(err).not.toContain('Correct')
  })

  it('keeps what --resume continues when a run that begins anew fails for free', async () => {
    await social('search coffee --max-pages 1 --out posts.db')
    const state = () => rowsOf('posts.db', 'SELECT state FROM social_search_searches')
    const before = state()
    sandbox.inject({ status: 401 })
    await inTurn(['search coffee --max-pages 1 --out posts.db', 3])
    expect(state()).toEqual(before)
    await social('search coffee --max-pages 1 --out posts.db --resume')
    expect(rowsOf('posts.db', 'SELECT count(*) FROM microblog_posts')).toEqual([30])
  })

  it('has what a page has cost that is charged and invalid, and no check before the first answer', async () => {
    sandbox.inject({ status: 200, body: { requestId: 'r', posts: [{ id: 'paid' }], meta: {} } })
    await inTurn([search, 4, 'You were charged 2 credits'])
    const { searches } = JSON.parse((await social('describe posts.db')).out)
    expect(searches).toMatchObject([{ credits: 2, uncertain: 0, lastCheck: null }])
    await inTurn(
      [`${search} --resume`, 0, /^posts\.db: 30 records \(30 new\) · 22 credits\n$/],
      [`${search} --resume`, 0, ': 30 records (0 new) · 22 credits · complete: nothing was sent\n'],
    )
  })

  it('keeps all records that share an id, each of them once', async () => {
    const reactions = ['LIKE', 'PRAISE'].map((type) => ({ urn: 'urn:post', type }))
    between(() => Response.json({ requestId: 'r', reactions, meta: { hasMore: false } }))
    for (let run = 0; run < 2; run++) await social('reactions --budget 1000 --out posts.db')
    expect(rowsOf('posts.db', 'SELECT record FROM professionalnet_reactions')).toEqual(
      reactions.map((each) => JSON.stringify(each)),
    )
  })

  it.each([
    ...['{', '', 'null', '[]'].map((state) => [state, `${search} --resume`]),
    ...['{', 'null', '[]'].map((state) => [state, 'watch coffee --once --out posts.db']),
  ])('refuses the progress %j, sends nothing, and still reads its records: %s', async (state, line = '') => {
    await social(line)
    const before = sandbox.requests.length
    change('posts.db', `UPDATE social_search_searches SET state = '${state}'`)
    await inTurn([line, 2, 'the state of a job cannot be read'])
    await inTurn(['find posts.db coffee', 0], ['describe posts.db', 0])
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
