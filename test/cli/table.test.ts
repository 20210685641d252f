import { describe, expect, it, vi } from 'vitest'
import { type Format, createFormatter } from '../../src/cli/formats.ts'
import { createTable } from '../../src/cli/table.ts'
import { complain, wrapped } from '../../src/cli/terminal.ts'
import { microblogSearch } from '../../src/api/microblog.ts'

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

/** Clears the screen, also by C1, turns the direction of text, and begins a new line. */
const hostile = 'a\u001b[2J\u009b2Jb\u202ec\r\n\u2028d\u200be\u007ff'
const shown = 'a [2J 2Jb c d e f'

const steering = /(?!\n)[\u0000-\u001f\u007f-\u009f\u2028\u202e]/

it('createTable() shows characters that steer a terminal as spaces, also in the names of fields', () => {
  const table = createTable(undefined, { ...options, width: 80 })
  const text = table.page([{ [hostile]: 'y', tags: [hostile, 'x'] }])
  expect(text).not.toMatch(steering)
  expect(text.split(/\n| {2,}/)).toEqual([shown, 'tags', 'y', `${shown}, x`, ''])
})

describe('createFormatter()', () => {
  const textOf = (format: Format, width: number | undefined): string =>
    createFormatter(format, microblogSearch, { fields: ['body'], width, bold: false }).page([
      { body: hostile },
    ])

  it.each(['jsonl', 'json'] as const)('escapes characters that steer a terminal in %s for one', (format) => {
    const text = textOf(format, 80)
    expect(text).not.toMatch(steering)
    expect(JSON.parse(text)).toEqual({ body: hostile })
  })

  it('replaces them in CSV for a terminal', () => {
    const text = textOf('csv', 80)
    expect(text).not.toMatch(steering)
    expect(text.replaceAll(/\s+/g, ' ')).toBe(`"${shown}" `)
  })

  it('keeps them in JSON Lines and CSV that no terminal shows', () => {
    expect(textOf('jsonl', undefined)).toBe(`${JSON.stringify({ body: hostile })}\n`)
    expect(textOf('csv', undefined)).toBe(`"${hostile}"\n`)
  })
})

it.each([true, false])('complain() escapes them in paid data if json is %s', (json) => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  complain({ json }, new Error('disk full'), undefined, { body: hostile })
  const text = write.mock.calls.map(([text]) => String(text)).join('')
  write.mockRestore()
  expect(text).not.toMatch(steering)
  const { body } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as { body: unknown }
  expect(body).toEqual(json ? { body: hostile } : hostile)
})

describe('wrapped()', () => {
  it('breaks a text between words on a terminal, and nowhere else', () => {
    expect(wrapped('one two three four', { isTTY: true, columns: 12 })).toBe('one two\nthree four')
    expect(wrapped('one two three four', { isTTY: false, columns: 12 })).toBe('one two three four')
  })
})
