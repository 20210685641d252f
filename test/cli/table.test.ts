import { describe, expect, it } from 'vitest'
import { createTable } from '../../src/cli/table.ts'
import { escapedForTerminal, wrapped } from '../../src/cli/terminal.ts'

const posts = [
  {
    id: '1786703643000780',
    body: 'メモ：決済まわりでTypeScriptを使う話をしました',
    author: 'a',
    url: 'https://a.example',
  },
  {
    id: '1788945705001624',
    body: 'A text that is longer than its column',
    author: 'b',
    url: 'https://b.example',
  },
]
const options = { fields: undefined }
/** Columns that a line takes in a terminal. */
const widthOf = (line: string) =>
  Array.from(line, (letter) => (letter > '\u3000' ? 2 : 1)).reduce((a, b) => a + b, 0)

describe('createTable()', () => {
  it.each([120, 80, 40, 20])('fits every line into %i columns, with East Asian letters as two', (width) => {
    const lines = createTable(Object.keys(posts[0] ?? {}), { ...options, width })
      .page(posts)
      .trimEnd()
      .split('\n')
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
  })

  it('shows as many fields as fit, without addresses and empty ones', () => {
    const head = (width: number) =>
      createTable(['id', 'body', 'video', 'url', 'author'], { ...options, width })
        .page(posts)
        .split('\n')[0]
    expect([head(80)?.split(/ +/), head(40)?.split(/ +/)]).toEqual([
      ['id', 'body', 'author'],
      ['id', 'body'],
    ])
  })

  it('shows every field that the user names', () => {
    const table = createTable(undefined, { ...options, fields: ['url', 'id', 'author'], width: 20 })
    expect(table.page(posts).split('\n')[0]).toMatch(/^url +id +author$/)
  })
})

/** Clears the screen, also by C1, turns the direction of text, and begins a new line. */
const hostile = 'a\u001b[2J\u009b2Jb\u202ec\r\n\u2028d\u200be\u007ff'
const escapes = 'a\\u001b[2J\\u009b2Jb\\u202ec\r\n\\u2028d\u200be\\u007ff'
const oneLine = (text: string) => text.replace(/\r\n(\u2028|\\u2028)/, ' ')

describe('createTable()', () => {
  const page = [{ [hostile]: 'y', tags: [hostile, 'x'] }]

  it('escapes for a terminal what steers it, also in the names of fields, before it cuts cells', () => {
    const table = createTable(undefined, { ...options, width: 80 })
    expect(table.page(page).split(/\n| {2,}/)).toEqual([
      ...[oneLine(escapes), 'tags'],
      ...['y', `${oneLine(escapes)}, x`, ''],
    ])
    expect(createTable(['body'], { ...options, width: 9 }).page([{ body: hostile }])).toBe(
      'body\na\\u001b[…\n',
    )
  })

  it('keeps it in a pipe, and each record in one line', () => {
    const text = createTable(undefined, { ...options, width: undefined }).page(page)
    expect(text.split(/\n| {2,}/)).toEqual([oneLine(hostile), 'tags', 'y', `${oneLine(hostile)}, x`, ''])
  })
})

describe('escapedForTerminal()', () => {
  it('keeps line breaks, tabs and joined emoji, and escapes what steers a terminal', () => {
    const kept = 'a\tb\r\nc\n👩‍👩‍👧 می‌خواهم'
    expect(escapedForTerminal(kept)).toBe(kept)
    expect(escapedForTerminal(hostile)).toBe(escapes)
    expect(escapedForTerminal('over\rwritten')).toBe('over\\u000dwritten')
  })

  it('leaves JSON the same value', () => {
    const value = { [hostile]: `\\${hostile}\\` }
    expect(JSON.parse(escapedForTerminal(JSON.stringify(value)))).toEqual(value)
  })
})

describe('wrapped()', () => {
  it('breaks a text between words on a terminal, and nowhere else', () => {
    expect(wrapped('one two three four', { isTTY: true, columns: 12 })).toBe('one two\nthree four')
    expect(wrapped('one two three four', { isTTY: false, columns: 12 })).toBe('one two three four')
  })
})
