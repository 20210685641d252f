import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { failed, linesOf, recordsOf } from '../support/command-line.ts'
import { localTime } from '../../src/cli/terminal.ts'
import { gapText } from '../../src/cli/watch-report.ts'
import { change, numbersOf, posts, range, rowsOf } from '../support/posts-database.ts'
import { bodies, saidSoFar, sandbox, social, useCommand } from './command.ts'

const options = { content: { microblog: posts(0, 30) } }
const ids = 'SELECT id FROM microblog_posts'

describe('watch --out posts.db', () => {
  useCommand(options)
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
})

describe('watch of several queries', () => {
  useCommand(options)
  const watch = 'watch coffee tea --once --budget 20 --out posts.db'
  const view = 'SELECT query || id FROM microblog_posts_found ORDER BY query, id + 0'

  it('stores a post once that two of them find, and which query has found it', async () => {
    sandbox.publish({
      microblog: [
        { id: '90', body: 'coffee or tea' },
        { id: '91', body: 'tea' },
      ],
    })
    expect((await social(watch)).code).toBe(0)
    expect(numbersOf('posts.db', ids)).toEqual([...range(0, 19), 90, 91])
    const both = [...range(0, 19).map((id) => `coffee${id}`), 'coffee90', 'tea90', 'tea91']
    expect(rowsOf('posts.db', view)).toEqual(both)
    const recent = view.replace('ORDER', "WHERE first_seen > datetime('now', '-1 minute') ORDER")
    expect(rowsOf('posts.db', recent)).toEqual(both)
    // The next run continues each of them, also alone.
    const before = sandbox.requests.length
    sandbox.publish({ microblog: [{ id: '92', body: 'tea' }] })
    await social('watch tea --once --out posts.db')
    expect([sandbox.requests.length - before, rowsOf('posts.db', view).at(-1)]).toEqual([1, 'tea92'])
  })

  it('tells `export` which queries have found a post, and `export --new` exports it again when another one does', async () => {
    const name = (run: number) => `new-${run}.csv`
    const exported = async (run: number) => {
      const { code, err } = await social(`export posts.db ${name(run)} --new`)
      const [head = '', ...rows] = linesOf(readFileSync(name(run), 'utf8'))
      if (code === 0) expect([head.slice(0, 9), err]).toEqual(['query,id,', said(name(run), rows)])
      return [code, ...rows.map((row) => row.replace(/^([\w|]+),(\d+),.*/, '$1 $2'))]
    }
    const said = (file: string, { length }: string[]) =>
      `${file}: ${length} ${length === 1 ? 'row' : 'rows'}\n`
    await social(watch)
    expect(await exported(0)).toEqual([0, ...range(0, 20).map((id) => `coffee ${19 - id}`)])
    sandbox.publish({ microblog: [{ id: '90', body: 'coffee or tea or milk' }] })
    await social(watch)
    // A file that exists stays, and its rows are still new afterwards.
    expect((await exported(0))[0]).toBe(2)
    expect(await exported(1)).toEqual([0, 'coffee|tea 90'])
    // A search for what a watch has found makes no row new.
    await social('search tea --out posts.db')
    expect(await exported(2)).toEqual([0])
    sandbox.publish({ microblog: [{ id: '91', body: 'tea' }] })
    await social(watch)
    await social('search milk --out posts.db')
    expect(await exported(3)).toEqual([0, 'tea 91', 'coffee|tea|milk 90'])
    await social('export posts.db all.jsonl --table microblog_posts_found')
    const all = recordsOf(readFileSync('all.jsonl', 'utf8'))
    expect([all.length, all[0]?.['query']]).toEqual([23, 'coffee'])
    await social('export posts.db posts.jsonl')
    expect(recordsOf(readFileSync('posts.jsonl', 'utf8'))).toHaveLength(22)
  })

  it('loses no row when `export --new` fails', async () => {
    await social(watch)
    change('posts.db', `UPDATE microblog_posts SET record = '{' || record WHERE id = '3'`)
    expect(await social('export posts.db new.csv --new')).toMatchObject({ code: 1 })
    change(
      'posts.db',
      `UPDATE microblog_posts SET record = substr(record, 2) WHERE id = '3';
      CREATE TRIGGER fail BEFORE DELETE ON social_search_added BEGIN SELECT RAISE(ABORT, 'disk failure'); END`,
    )
    expect(await social('export posts.db new.csv --new')).toMatchObject(failed(1, 'disk failure'))
    change('posts.db', 'DROP TRIGGER fail')
    expect((await social('export posts.db new.csv --new')).err).toBe('new.csv: 20 rows\n')
  })

  it.each<[string, string | Buffer, string[]]>([
    [
      'has queries, each once, and comments',
      '# Drinks\ncoffee\n\n  tea \r\n#latte\n#\ncoffee',
      ['coffee', 'tea', '#latte'],
    ],
    ['begins with a byte order mark', '\ufeffcafé\ntea', ['café', 'tea']],
    ['is in Latin-1', Buffer.from('café', 'latin1'), []],
    ['is in UTF-16 without a byte order mark', Buffer.from('tea', 'utf16le'), []],
    ['is in UTF-16 of PowerShell', Buffer.from('\ufeffcafé\r\ntea', 'utf16le'), []],
  ])(
    'reads a file of queries in UTF-8, and refuses any other before it pays: one that %s',
    async (_, text, queries) => {
      writeFileSync('brands.txt', text)
      const ran = await social('watch --queries brands.txt --once --budget 20 --out posts.db')
      const refused = failed(2, '--queries: the file is not UTF-8; save it as UTF-8')
      expect(ran).toMatchObject(queries.length === 0 ? refused : { code: 0 })
      expect(bodies().map((body) => (body as { query: string }).query)).toEqual(queries)
    },
  )

  it('continues a file that a version without these tables has written', async () => {
    await social('watch coffee --once --out posts.db')
    const file = new DatabaseSync('posts.db')
    const row = file.prepare('SELECT job, state FROM social_search_searches').get() as Record<string, string>
    const { search, spans } = JSON.parse(row['state'] ?? '') as { search: string; spans: { ids: string[] }[] }
    const old = { search, spans: spans.map(({ ids }) => ({ ids, next: null })) }
    file.prepare('UPDATE social_search_searches SET state = ?').run(JSON.stringify(old))
    file.exec('DELETE FROM social_search_results')
    file.close()
    sandbox.publish({ microblog: posts(30, 31) })
    const before = sandbox.requests.length
    expect((await social(watch)).code).toBe(0)
    expect([sandbox.requests.length - before, rowsOf('posts.db', view)]).toEqual([2, ['coffee30']])
  })

  it('looks at the others when one fails, and then ends with its code, or with 6 if another may have been charged', async () => {
    sandbox.inject({ status: 502, times: 3 })
    const run = await social('watch tea coffee --once --budget 20 --out posts.db')
    expect(run).toMatchObject(failed(4, 'social-search: tea: '))
    const lines =
      '  tea: 0 new posts · 0 credits; its last check failed\n  coffee: 20 new posts · 2 credits\n'
    expect(run.err).toContain(lines)
    expect(numbersOf('posts.db', ids)).toEqual(range(0, 20))
    sandbox.inject({ status: 400 })
    sandbox.inject({ reset: 'after' })
    expect((await social('watch rust coffee --once --budget 20 --out posts.db')).code).toBe(6)
  })

  it('stores the posts of the network that --network names', async () => {
    sandbox.publish({ professionalnet: [{ commentary: 'coffee', urn: 'urn:new' }] })
    await social(`${watch.replace('coffee tea', 'coffee')} --network professionalnet`)
    expect(rowsOf('posts.db', 'SELECT urn FROM professionalnet_posts')).toContain('urn:new')
  })

  it('says nothing to a log that has no file', async () => {
    expect(await social('watch coffee --once --budget 20')).toMatchObject({ code: 0, err: '' })
  })

  it('counts as new, in all and for each query, what the file did not have', async () => {
    await social('search coffee --out posts.db')
    expect((await social('watch coffee --once --out posts.db')).err).toBe(
      '  coffee: 0 new posts · 2 credits\nposts.db: 0 new posts · 2 credits\n',
    )
    sandbox.publish({ microblog: [{ id: '90', body: 'coffee and tea' }] })
    expect((await social('watch coffee tea --once --out posts.db')).err).toMatch(
      /^ {2}coffee: (1 new post · [^\n]*\n {2}tea: 0|0 new posts · [^\n]*\n {2}tea: 1)[^]*\nposts\.db: 1 new post · 4 credits\n$/,
    )
  })

  it('says what is missing, with times, and ends with 5 until the gap is filled', async () => {
    await social(watch)
    sandbox.publish({ microblog: posts(30, 80) })
    const short = await social(`${watch} --max-pages 1`)
    const ended = 'ended the check, and the next run continues; if this happens each time, raise --max-pages'
    expect(short).toMatchObject(failed(5, `: --max-pages 1 ${ended}\n`))
    expect(short.err).toMatch(/\nposts\.db: 20 new posts · 4 credits\n$/)
    expect(short.err).toMatch(/missing: coffee \d\d:\d\d–\d\d:\d\d: /)
    sandbox.publish({ microblog: posts(80, 180) })
    const both = await social('watch coffee --once --budget 2 --out posts.db --max-pages 1')
    expect(both.err).toContain(`: --max-pages 1 ${ended} and the budget\n`)
    const { code, err } = await social(watch)
    expect(code).toBe(0)
    expect(err).toMatch(/\nposts\.db: \d+ new posts · \d+ credits\n$/)
    expect(err).not.toContain('missing')
  })
})

describe('watch on a terminal', () => {
  useCommand(options, ['stdin', 'stdout', 'stderr'])
  const watch = 'watch coffee tea --once --out posts.db --budget'

  it('says what it plans, what it has found for each query, and when the next check of one that is not due is', async () => {
    const { err } = await social(`${watch} 1000/day`)
    expect(err).toMatch(/2 queries × 2 credits = 4 credits a check; 1,000 a day pay for one every 15 min/)
    expect(err).toMatch(
      / {2}coffee: 20 new posts · 2 credits\n {2}tea: 0 new posts[^]*\nposts\.db: 20 new posts · 4 credits\n$/,
    )
    const idle = await social(`${watch} 1000/day`)
    expect([idle.code, idle.err]).toEqual([0, expect.stringMatching(/ {2}coffee: next check [\d :-]+ \(/)])
    const few = await social(`${watch} 4/month`)
    // A month that ends sooner pays for the next check.
    const reason = /\((4 credits a month pay for 1 check|--min-interval is 15 min)\)/
    expect([few.err, few.err.match(reason)]).toEqual([
      expect.stringContaining('; 4 a month pay for 1 check\n'),
      expect.anything(),
    ])
    const timestamp = new Date(Date.now() - 600_000).toISOString()
    sandbox.publish({ microblog: [{ id: '90', body: 'coffee', timestamp }] })
    expect((await social(`${watch} 2`)).err).toContain(
      '  coffee: 1 new post · 2 credits\n  tea: not checked\n',
    )
  })

  it('says how to pass several queries when a comma stands between words, and not between digits', async () => {
    const hint = 'coffee,tea is one query; for several: coffee tea\n'
    expect((await social('watch coffee,tea --once')).err).toContain(hint)
    const none = await social(['watch', '1,000', 'coffee, tea', '--once', '--out', 'a.db'])
    expect(none.err).not.toContain('one query')
  })
})

describe('watch without --once', () => {
  useCommand(options)
  const foreign = new Set(process.listeners('SIGINT'))

  it.each([
    [
      'watch coffee --min-interval 1h --budget 1000/day --out posts.db',
      '1 query × 2 credits × 24 checks = 48 a day; 1,000 a day pay for a check every 1 h\n',
    ],
    [
      'watch coffee tea --min-interval 1h --budget 100 --out posts.db',
      '2 queries × 2 credits × 24 checks = 96 a day without new posts\n',
    ],
  ])('says once what it plans: %s', async (line, plan) => {
    const run = social(line)
    await expect.poll(saidSoFar).toContain(plan)
    for (const listener of process.listeners('SIGINT')) if (!foreign.has(listener)) listener('SIGINT')
    expect((await run).err.split(' × ')).toHaveLength(3)
  })
})

describe('gapText()', () => {
  const [noon, later, nextDay] = ['2020-01-15T12:00:00Z', '2020-01-15T12:30:00Z', '2020-01-16T12:30:00Z']
  const textOf = (time: string) => localTime(time) ?? ''

  it.each([
    [noon, later, `${textOf(noon)}–${textOf(later).slice(11)}`],
    [noon, nextDay, `${textOf(noon)}–${textOf(nextDay)}`],
    [null, later, `until ${textOf(later)}`],
    [noon, null, `after ${textOf(noon)}`],
    [null, null, 'at unknown times'],
  ])('says when a gap is: from %s to %s', (from, to, text) => {
    expect(gapText({ from, to })).toBe(text)
  })
})
