import { describe, expect, it } from 'vitest'
import { createTable } from '../../src/command/table.ts'
import { wrapped } from '../../src/command/terminal.ts'

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
const options = { fields: undefined, bold: false }
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

describe('wrapped()', () => {
  it('breaks a text between words on a terminal, and nowhere else', () => {
    expect(wrapped('one two three four', { isTTY: true, columns: 12 })).toBe('one two\nthree four')
    expect(wrapped('one two three four', { isTTY: false, columns: 12 })).toBe('one two three four')
  })
})
