import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCard } from '../../src/cli/formats.ts'
import { createTable } from '../../src/cli/table.ts'

const posts = ['メモ：決済まわりでTypeScriptを使う話をしました', 'A text that is longer than its column'].map(
  (body, index) => ({ id: `178670364300078${index}`, body, author: 'a', url: 'https://a.example' }),
)
const options = { fields: undefined }
/** The lines of a table: without names, its records are not documented. */
const linesOf = (records: readonly object[], width: number, names?: readonly string[], fields?: string[]) =>
  createTable(names, { fields, width }).page(records).trimEnd().split('\n')
/** Columns that a line takes in a terminal. */
const widthOf = (line: string) =>
  Array.from(line, (letter) => (letter > '\u3000' ? 2 : 1)).reduce((a, b) => a + b, 0)

describe('createTable()', () => {
  it.each([120, 80, 40, 20])('fits every line into %i columns, with East Asian letters as two', (width) => {
    const lines = linesOf(posts, width, Object.keys(posts[0] ?? {}))
    expect(lines).toHaveLength(width < 50 ? 5 : 3)
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
  })

  it('shows as many fields as fit, without addresses and empty ones', () => {
    const names = ['id', 'body', 'video', 'url', 'author']
    const head = (width: number) => linesOf(posts, width, names)[0]?.replaceAll(/ +/g, ' ')
    expect([head(80), head(40)]).toEqual(['id body author', 'id body'])
  })

  it('shows every field that the user names', () => {
    expect(linesOf(posts, 20, undefined, ['url', 'id', 'author'])[0]).toMatch(/^url +id +author$/)
  })

  // 14:37 in the zone of any machine.
  const afternoon = new Date(2026, 10, 20, 14, 37, 14).toISOString()
  const mention = {
    id: 'men_764dbb8c410af7ff',
    listenerId: 'lis_4f9f49b87aff8939',
    text: 'Interview question I like: tell me how read replicas hurt you, and what you measured first.',
    publishedAt: afternoon,
    stats: { fitScore: 10, viewsCount: 1_234_567 },
  }
  const names = ['id', 'listenerId', 'text', 'publishedAt', 'stats.fitScore', 'stats.viewsCount']

  it.each([80, 160])('keeps ids, dates and numbers whole and gives texts the rest at %i columns', (width) => {
    const [title, row = '', more] = linesOf([mention, { ...mention, stats: {} }], width, names)
    expect(row).toMatch(/^men_764dbb8c410af7ff {2}.*Interview question I like/)
    // The second line stands below the first one.
    const end = width === 80 ? '…' : 'first\\.'
    expect(more).toMatch(new RegExp(`^ {${row.indexOf('Interview')}}\\S.*${end}$`))
    expect(row).toContain('  2026-11-20 14:37')
    expect(widthOf(row)).toBeLessThanOrEqual(width)
    if (width === 80) return
    expect(title).toMatch(/^id +listenerId +text +publishedAt +fitScore +views$/)
    expect(row).toMatch(/ {2}lis_4f9f49b87aff8939 {2}.* {2}2026-11-20 14:37 {8}10 {2}1,234,567$/)
    expect(widthOf(row)).toBe(width)
  })

  it('keeps the ids of a later page whole if they are longer than those of the first', () => {
    const table = createTable(['id', 'text'], { ...options, width: 60 })
    table.page([{ id: '1', text: mention.text }])
    expect(table.page([mention])).toContain('men_764dbb8c410af7ff')
  })

  it.each([
    ['its date', [{ when: afternoon, text: 'a' }], '2026-11-20 14:37'],
    ['its first column without a date', [{ text: 'a' }], 'a'],
  ])('leads from %s to the address of a record, on terminals that have links', (_, records, linked) => {
    const url = `https://professionalnet.example/posts/${'x'.repeat(90)}`
    const page = (address: string) =>
      createTable(['when', 'text', 'url'], { ...options, width: 80 })
        .page(records.map((record) => ({ ...record, url: address })))
        .replaceAll(/\u001b\[\d+m/g, '')
    const { isTTY } = process.stdout
    onTestFinished(() => {
      process.stdout.isTTY = isTTY
      vi.unstubAllEnvs()
    })
    process.stdout.isTTY = true
    vi.stubEnv('TERM', 'xterm')
    expect(page(url)).toContain(`\n\u001b]8;;${url}\u001b\\${linked}\u001b]8;;\u001b\\`)
    expect(page('https://a.example/\u001b]8;;\u0007x')).toContain('8;;https://a.example/%1B]8;;%07x\u001b\\')
    expect(page('javascript:alert(1)')).not.toContain('8;;')
    vi.stubEnv('TERM', 'dumb')
    expect(page(url)).not.toContain('8;;')
    process.stdout.isTTY = false
    expect(page(url)).not.toContain('https:')
  })

  it('gives a text two lines, and cuts the second at the last letter that fits, also in the middle of a word', () => {
    const text = '今日も TypeScript に助けられた。決済まわりの型を直した'
    const lines = (width: number) => linesOf([{ text }], width, ['text']).slice(1)
    expect([lines(26), lines(20), lines(60)]).toEqual([
      ['今日も TypeScript', 'に助けられた。決済まわり…'],
      ['今日も TypeScript', 'に助けられた。決済…'],
      [text],
    ])
  })

  it('cuts a text beside the main one, so that other columns fit', () => {
    const records = [{ text: 'long '.repeat(20), note: 'short '.repeat(12), end: '|' }]
    expect(linesOf(records, 80, ['text', 'note', 'end'])[0]).toMatch(/^text +note +end$/)
  })

  it('takes a moment for a text of 5,000 escape sequences without a terminal', () => {
    const start = performance.now()
    const text = `${'\u001b[31m'.repeat(5000)}${'long '.repeat(50)}`
    expect(createTable(['text'], { ...options, width: undefined }).page([{ text }])).toContain('…\n')
    expect(performance.now() - start).toBeLessThan(500)
  })

  it('shows date, author, text and state of undocumented records first', () => {
    const records = [
      { id: 'men_1', author: 'a', state: 'new', publishedAt: afternoon, text: 'a comment' },
      { id: 'men_2', author: 'b', state: 'done', publishedAt: afternoon, title: 'a story' },
    ]
    const [head, , second] = linesOf(records, 80)
    expect(head).toMatch(/^publishedAt +author +text +title +state +id$/)
    expect(second).toMatch(/14:37 +b +a story +done +men_2$/)
  })

  it('keeps the id of a mention at 80 columns, before others', () => {
    const whole = { ...mention, author: 'mira_peppercornvale', state: 'new', network: 'microblog' }
    const [, row] = linesOf([whole], 80)
    expect(row).toMatch(/^2026-11-20 14:37 .*Interview.* {2}men_764dbb8c410af7ff$/)
  })

  it('measures emoji, flags and joined letters as a terminal shows them', () => {
    const texts = ['👩‍👩‍👧', '🇩🇪', '❤️', '한국', 'á']
    const records = texts.map((text) => ({ text, end: '|' }))
    const [, ...lines] = linesOf(records, 40, ['text', 'end'])
    expect(lines).toEqual(['👩‍👩‍👧    |', '🇩🇪    |', '❤️    |', '한국  |', 'á     |'])
  })
})

describe('createCard()', () => {
  const company = {
    name: 'TidyQuery',
    universalName: null,
    employeeCountRange: { start: 11, end: 50 },
    description: 'Makes tools for people who ask questions of their data every day',
    locations: [{ country: 'DE', city: 'Leipzig', headquarter: true }, { country: 'US' }],
    specialities: [],
    logoUrl: `https://media.professionalnet.example/${'x'.repeat(40)}.png`,
  }

  it('has a label and a value on each line, without empty fields, and an address in one piece', () => {
    expect(createCard({ ...options, width: 50 }).page([{ requestId: 'req_1', company }])).toBe(
      `Name                  TidyQuery
Employee count range  start 11, end 50
Description           Makes tools for people who
                      ask questions of their data
                      every day
Locations             DE, Leipzig; US
Logo URL              ${company.logoUrl}
`,
    )
  })

  it('keeps the names of figures, also where they nest', () => {
    const usage = { creditsSpent: 6, byOperation: { 'microblog.search': 2, posts: { day: 4 } } }
    expect(createCard({ ...options, width: 80 }).page([{ requestId: 'req_1', usage }])).toBe(
      'Credits spent  6\nBy operation   microblog.search 2, posts day 4\n',
    )
  })

  it('ends without an error for a field that nests 100,000 levels deep', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
    expect(createCard({ ...options, width: 80 }).page([{ deep, creditsSpent: 6 }])).toBe(
      'Deep           …\nCredits spent  6\n',
    )
  })
})
