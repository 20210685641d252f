import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { linesOf } from '../support/command-line.ts'
import { localTime } from '../../src/cli/terminal.ts'
import { gapText } from '../../src/cli/watch-report.ts'
import { change, numbersOf, posts, range, rowsOf } from '../support/posts-database.ts'
import { bodies, inTurn, press, saidSoFar, sandbox, social, useCommand } from './command.ts'
import { sandboxFlag } from '../support/sandbox.ts'

const options = { content: { microblog: posts(0, 30) } }
const ids = 'SELECT id FROM microblog_posts'

describe('watch of several queries', () => {
  useCommand(options)
  const watch = 'watch coffee tea --once --budget 20 --out posts.db'
  const view = 'SELECT query || id FROM microblog_posts_found ORDER BY query, id + 0'

  it('continues after a budget, and stores nothing of the first page with --from now', async () => {
    const line = 'watch coffee --once --out posts.db --budget 4'
    await inTurn([`${line} --from now`, 0])
    expect(rowsOf('posts.db', ids)).toEqual([])
    sandbox.publish({ microblog: posts(30, 90) })
    await inTurn([line, 5])
    expect(rowsOf('posts.db', ids)).toHaveLength(40)
    await inTurn([line, 5], [line, 0])
    expect(numbersOf('posts.db', ids)).toEqual(range(30, 90))
  })

  it('stores a post once that two of them find, and which query has found it', async () => {
    sandbox.publish({ microblog: ['coffee or tea', 'tea'].map((body, i) => ({ id: `9${i}`, body })) })
    expect((await social(watch)).code).toBe(0)
    expect(numbersOf('posts.db', ids)).toEqual([...range(0, 19), 90, 91])
    const both = [...range(0, 19).map((id) => `coffee${id}`), 'coffee90', 'tea90', 'tea91']
    expect(rowsOf('posts.db', view)).toEqual(both)
    const recent = "WHERE first_seen > datetime('now', '-1 minute') ORDER"
    expect(rowsOf('posts.db', view.replace('ORDER', recent))).toEqual(both)
    // The next run continues each of them, also alone.
    const before = sandbox.requests.length
    sandbox.publish({ microblog: [{ id: '92', body: 'tea' }] })
    await social('watch tea --once --out posts.db')
    expect([sandbox.requests.length - before, rowsOf('posts.db', view).at(-1)]).toEqual([1, 'tea92'])
  })

  it.each([
    [sandboxFlag, '', `made-up records of ${sandboxFlag}`],
    ['', sandboxFlag, 'what the service returned'],
  ])('never mixes made-up posts with real ones: %s', async (first, second, said) => {
    const line = (flag: string) => `watch coffee --once ${flag} --out posts.db`
    for (const flag of [first, first]) await inTurn([line(flag), 0])
    const before = sandbox.requests.length
    for (const command of [line(second), `mcp --budget 20 ${second} --out posts.db`])
      await inTurn([command, 2, `posts.db has ${said}; pass another file`])
    expect(sandbox.requests).toHaveLength(before)
  })

  it('loses no row when `export --new` fails', async () => {
    await social(watch)
    change('posts.db', `UPDATE microblog_posts SET record = '{' || record WHERE id = '3'`)
    await inTurn(['export posts.db new.csv --new', 1])
    change('posts.db', `UPDATE microblog_posts SET record = substr(record, 2) WHERE id = '3'`)
    const fail = "BEGIN SELECT RAISE(ABORT, 'disk failure'); END"
    change('posts.db', `CREATE TRIGGER fail BEFORE DELETE ON social_search_added ${fail}`)
    await inTurn(['export posts.db new.csv --new', 1, 'disk failure'])
    change('posts.db', 'DROP TRIGGER fail')
    await inTurn(['export posts.db new.csv --new', 0, 'new.csv: 20 rows\n'])
  })

  it.each<[string, string | Buffer, string[]]>([
    ['has comments', '# Drinks\ncoffee\n\n  tea \r\n#latte\n#\ncoffee', ['coffee', 'tea', '#latte']],
    ['begins with a byte order mark', '\ufeffcafé\ntea', ['café', 'tea']],
    ['has other line ends', 'coffee\rtea\u2028#latte\r', ['coffee', 'tea', '#latte']],
    ['is in Latin-1', Buffer.from('café', 'latin1'), []],
    ['is in UTF-16 without a byte order mark', Buffer.from('tea', 'utf16le'), []],
    ['is in UTF-16 of PowerShell', Buffer.from('\ufeffcafé\r\ntea', 'utf16le'), []],
  ])('reads a file of queries in UTF-8, and pays for no other: one that %s', async (_, text, queries) => {
    writeFileSync('brands.txt', text)
    const line = 'watch --queries brands.txt --once --budget 20 --out posts.db'
    const refused = [line, 2, '--queries: the file is not UTF-8; save it as UTF-8'] as const
    await inTurn(queries.length === 0 ? refused : [line, 0])
    expect(bodies().map((body) => (body as { query: string }).query)).toEqual(queries)
  })

  it('looks at the others when one fails, and then ends with its code, or with 6 if another may have been charged', async () => {
    sandbox.inject({ status: 502, times: 3 })
    const rest = '; its last check failed\n {2}coffee: 20 new posts · 2 credits\n'
    const said = new RegExp(`social-search: tea: [^]* {2}tea: 0 new posts · 0 credits${rest}`)
    await inTurn(['watch tea coffee --once --budget 20 --out posts.db', 4, said])
    expect(numbersOf('posts.db', ids)).toEqual(range(0, 20))
    sandbox.inject({ status: 400 })
    sandbox.inject({ reset: 'after' })
    await inTurn(['watch rust coffee --once --budget 20 --out posts.db', 6])
    sandbox.inject({ status: 400 })
    await inTurn(['watch rust --once --budget 20', 4, 'social-search: the service refused'])
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
    const none = / {2}coffee: 0 new posts · 2 credits\nposts\.db: 0 new posts · 2 credits\n$/
    await inTurn(['watch coffee --once --out posts.db', 0, none])
    sandbox.publish({ microblog: [{ id: '90', body: 'coffee and tea' }] })
    const one =
      /^ {2}coffee: (1 new post · .*\n {2}tea: 0|0 new posts · .*\n {2}tea: 1)[^]*\nposts\.db: 1 new post · 4 credits\n$/
    await inTurn(['watch coffee tea --once --out posts.db', 0, one])
  })

  it('says what is missing, with times, and ends with 5 until the gap is filled', async () => {
    await social(watch)
    sandbox.publish({ microblog: posts(30, 80) })
    const ended = 'ended the check, and the next run continues; if this happens each time, raise --max-pages'
    const gap = `missing: coffee \\d\\d:\\d\\d–\\d\\d:\\d\\d: --max-pages 1 ${ended}`
    const short = new RegExp(`${gap}\n[^]*posts\\.db: 20 new posts · 4 credits\n$`)
    await inTurn([`${watch} --max-pages 1`, 5, short])
    sandbox.publish({ microblog: posts(80, 180) })
    await inTurn(
      ['watch coffee --once --budget 2 --out posts.db --max-pages 1', 5, `${ended} and the budget\n`],
      [watch, 0, /^(?![^]*missing)[^]*\nposts\.db: \d+ new posts · \d+ credits\n$/],
    )
  })
})

describe('watch on a terminal', () => {
  useCommand(options, ['stdin', 'stdout', 'stderr'])
  const watch = 'watch coffee tea --once --out posts.db --budget'

  it('says what it plans, what it has found for each query, and when the next check of one that is not due is', async () => {
    const plan = '2 queries × 2 credits = 4 credits a check; 1,000 a day pay for one every 15 min'
    const found =
      '  coffee: 20 new posts · 2 credits\n {2}tea: 0 new posts[^]*\nposts\\.db: 20 new posts · 4 credits\n$'
    await inTurn(
      [`${watch} 1000/day`, 0, new RegExp(`${plan}[^]*${found}`)],
      [`${watch} 1000/day`, 0, / {2}coffee: next check [\d :-]+ \(/],
    )
    // A month that ends sooner pays for the next check.
    const reason = /\((4 credits a month pay for 1 check|--min-interval is 15 min)\)/
    const { err: few } = await social(`${watch} 4/month`)
    for (const text of [/; 4 a month pay for 1 check\n/, reason]) expect(few).toMatch(text)
    const timestamp = new Date(Date.now() - 600_000).toISOString()
    sandbox.publish({ microblog: [{ id: '90', body: 'coffee', timestamp }] })
    await inTurn([`${watch} 2`, 5, '  coffee: 1 new post · 2 credits\n  tea: not checked\n'])
  })

  it('says how to pass several queries when a comma stands between words, and not between digits', async () => {
    await inTurn(
      ['watch coffee,tea --once', 0, 'coffee,tea is one query; for several: coffee tea\n'],
      ["watch 1,000 'coffee, tea' --once --out a.db", 0, /^(?![^]*one query)/],
    )
  })
})

describe('watch without --once', () => {
  useCommand(options)
  const everyHour = '1 query × 2 credits × 24 checks = 48 a day; 1,000 a day pay for a check every 1 h\n'

  it('prints new posts until Ctrl-C', async () => {
    const run = social('watch coffee --yes --min-interval 1h')
    await expect.poll(() => sandbox.requests).toHaveLength(1)
    press()
    const { code, out } = await run
    expect([code, linesOf(out).length]).toEqual([130, 20])
  })

  it.each([
    ['coffee --budget 1000/day', everyHour],
    ['coffee tea --budget 100', '2 queries × 2 credits × 24 checks = 96 a day without new posts\n'],
  ])('says once what it plans: %s', async (words, plan) => {
    const run = social(`watch ${words} --min-interval 1h --out posts.db`)
    await expect.poll(saidSoFar).toContain(plan)
    press()
    const { code, err } = await run
    expect([code, err.split(' × ').length]).toEqual([130, 3])
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
