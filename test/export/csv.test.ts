import { parse } from 'csv-parse/sync'
import fc from '../support/chance.ts'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { fieldsOf, streamOf, toCsv } from '../../src/extensions/export/index.ts'
import { ConfigurationError, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'

const client = new SocialSearch(createSandbox({ limits: { perMinute: false } }).clientOptions())
const walk = () => client.microblog.search({ query: 'coffee' }, { maxPages: 3 })

// eslint-disable-next-line @typescript-eslint/require-await
async function* listed(...items: unknown[]) {
  yield* items
}

const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream as ReadableStream).text()
const csvOf = (items: unknown[], ...fields: string[]) =>
  textOf(streamOf(listed(...items)).pipeThrough(toCsv({ fields })))

/** What two readers of CSV, from different hands, make of a text. */
function readBack(text: string): string[][][] {
  return [parse(text), Papa.parse<string[]>(text.replace(/\n$/, '')).data]
}

/** The cells that a spreadsheet finds: quotes hold a text together only if it begins with them. */
function cellsOf(text: string, separators: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  let isStart = true
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at)
    if (letter === '"' && (isStart || isQuoted)) {
      if (isQuoted && text[at + 1] === '"') cell += text.charAt(++at)
      else isQuoted = !isQuoted
      isStart = false
    } else if (!isQuoted && `${separators}\n\r`.includes(letter)) {
      cells.push(cell)
      cell = ''
      isStart = true
    } else {
      cell += letter
      isStart = false
    }
  }
  return [...cells, cell]
}

describe('toCsv()', () => {
  it('begins with a byte order mark when bom is true, and has none otherwise', async () => {
    const bytes = async (bom?: boolean) => {
      const stream = streamOf(listed({ id: 'é' })).pipeThrough(toCsv({ fields: ['id'], bom }))
      return Buffer.from(await new Response(stream as ReadableStream).arrayBuffer())
    }
    expect(await bytes(true)).toEqual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), await bytes()]))
    expect((await bytes(false)).toString()).toBe('id\né\n')
    expect(() => toCsv({ fields: ['id'], bom: 'yes' as never })).toThrow('bom must be true or false')
  })

  it('writes a file that two other readers read back unchanged', async () => {
    const fields = fieldsOf('microblog.search')
    const text = await textOf(streamOf(walk()).pipeThrough(toCsv({ fields })))
    const posts = await walk().toArray({ limit: 1000 })
    const rows = posts.map(({ images, video, engagements: { ...counts }, ...post }) => [
      ...[post.id, post.body, post.author, post.name, post.timestamp, post.url],
      ...[images.join('|'), video ?? ''],
      ...[counts.bookmarkCount, counts.favoriteCount, counts.quoteCount, counts.replyCount].map(String),
      ...[counts.retweetCount, counts.viewsCount].map(String),
    ])
    // A handle at the start of a post or of a line gets a sign in front, in case a spreadsheet reads the file.
    const shown = rows.map((row) => row.map((cell) => cell.replaceAll(/(?<=^|[;\t\r\n])(?=[=+\-@])/g, "'")))
    for (const read of readBack(text)) expect(read).toEqual([fields, ...shown])
  })

  it('keeps quotes, separators, line ends, and cells that are empty or look like rows', async () => {
    const lines = ['a\nb', 'a\r\nb', 'a\rb', '\u2028']
    const odd = ['a"b', 'a,b', ' a ', '', '"', 'é\u{1F600}', 'null', '; a', '\uFEFFa', ...lines]
    const text = await csvOf([...odd.map((a) => ({ a, b: 'x' }))], 'a', 'b')
    for (const read of readBack(text)) expect(read.slice(1)).toEqual(odd.map((a) => [a, 'x']))
    const single = await csvOf([{ a: '' }, { a: 'x' }, {}], 'a')
    for (const read of readBack(single)) expect(read).toEqual([['a'], [''], ['x'], ['']])
  })

  it.each([
    ['=HYPERLINK("http://a.example","b")', '\'=HYPERLINK("http://a.example","b")'],
    ['-1', "'-1"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['a;=1+1', "a;'=1+1"],
    ['a\t@b', "a\t'@b"],
    ['a\n- b\r\n+c', "a\n'- b\r\n'+c"],
    ['a;;"=1+1;', 'a;;\'"=1+1;'],
    ['\uff1d1;\uff0b1', "'\uff1d1;'\uff0b1"],
  ])('writes %j as %j, since a spreadsheet may split it', async (a, shown) => {
    for (const read of readBack(await csvOf([{ a, b: [a, 'x'] }], 'a', 'b')))
      expect(read[1]).toEqual([shown, `${shown}|x`])
  })

  it.each(['a; b - c', 'a=b;c@d.example', '1-2\t3+4', 'a|=b', 'a\nb: -1', '"-'])(
    'keeps %j, in which no formula can begin',
    async (a) => {
      for (const read of readBack(await csvOf([{ a, b: 'x' }], 'a', 'b'))) expect(read[1]).toEqual([a, 'x'])
    },
  )

  it('writes no text that begins a formula, at whatever a spreadsheet splits the lines', async () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from(';\t\n\r",=+-@\uff1d\'a ')) })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 3 }), async (rows) => {
        const records = rows.map(([a, b, c]) => ({ a, b, c }))
        const csv = await csvOf(records, 'a', 'b', 'c')
        for (const separators of [',', ';', '\t', ',;\t'])
          for (const cell of cellsOf(csv, separators)) expect(cell).not.toMatch(/^[=+\-@\uff1d]/)
      }),
      { numRuns: 500 },
    )
  })

  it('finds nested fields, joins lists, and writes other objects as JSON', async () => {
    const record = { a: { b: [1, 'x', null] }, c: [{ d: 1 }, { d: 2 }], e: { f: 1 }, g: true, h: null }
    const text = await csvOf([record], 'a.b', 'c.d', 'c', 'e', 'g', 'h', 'i.j', 'toString')
    expect(parse(text)[1]).toEqual(['1|x|', '1|2', '[{"d":1},{"d":2}]', '{"f":1}', 'true', '', '', ''])
  })

  it('leaves numbers below zero alone, and writes the header when the walk has no items', async () => {
    expect(await csvOf([{ a: -1 }], 'a')).toBe('a\n-1\n')
    expect(await csvOf([], 'a', 'b.c')).toBe('a,b.c\n')
  })

  const invalid = [[], ['a', 'a'], [''], ['a..b']].map((fields) => ({ fields }))
  it.each([...invalid, {}, { fields: ['a'], columns: 1 }])('refuses %j', (options) =>
    expect(() => toCsv(options as never)).toThrow(ConfigurationError),
  )
})
