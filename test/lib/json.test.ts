import { describe, expect, it } from 'vitest'
import fc from '../support/chance.ts'
import { parseJson, writeJson } from '../../src/lib/json.ts'

const long = '1588987262754234369'
const hole = 'a long number'

/** What a reviver sees of each number: its text. */
function expected(text: string): unknown {
  return JSON.parse(text, ((_: string, value: unknown, { source }: { source: string }) =>
    /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? source : value) as never)
}

describe('parseJson()', () => {
  it.each<[string, unknown]>([
    [`{"id":${long},"next":-${long} }`, { id: long, next: `-${long}` }],
    [` [${long}, 1,\n${long}\t]`, [long, 1, long]],
    [long, long],
    ['[9007199254740991,9007199254740992]', [9007199254740991, '9007199254740992']],
    ['[-9007199254740991,-9007199254740993]', [-9007199254740991, '-9007199254740993']],
    [`[${long}.5,${long}e3,0.${long},${long}E-2]`, JSON.parse(`[${long}.5,${long}e3,0.${long},${long}E-2]`)],
    [`["a, ${long}, b",${long}]`, [`a, ${long}, b`, long]],
    [`["\\\\",${long},"\\"",${long},"\\\\\\",${long},",1]`, ['\\', long, '"', long, `\\",${long},`, 1]],
    [`{"a":"[","${long}":${long}}`, { a: '[', [long]: long }],
    [`{"__proto__":${long}}`, JSON.parse(`{"__proto__":"${long}"}`)],
  ])(
    'keeps every digit of an integer that a number cannot hold, and changes nothing else: %s',
    (text, value) => {
      expect(parseJson(text)).toEqual(value)
    },
  )

  it.each([
    ...[`[${long}`, `[0${long}]`, `[1 ${long}]`, `{${long}:1}`],
    ...[`{"a":1, ${long} :2}`, `[${long} 1]`, `[+${long}]`],
  ])('refuses what is not JSON: %s', (text) => expect(() => parseJson(text)).toThrow(SyntaxError))

  it('reads any JSON as JSON.parse() does, but for long integers', () => {
    const part = fc.constantFrom(...[long, `-${long}`, '7', '"', '\\"', '\\\\', ' ', ',', ':', '[', ']', 'x'])
    const texts = fc.array(
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
      { maxLength: 4 },
    )
    const reads = fc.property(fc.jsonValue(), texts, fc.boolean(), (value, texts, isSpaced) => {
      const number = { [long]: hole, text: [hole, value, ...texts, hole] }
      const text = JSON.stringify(number, null, isSpaced ? 1 : 0).replaceAll(`"${hole}"`, long)
      expect(parseJson(text)).toEqual(expected(text))
    })
    fc.assert(reads, { numRuns: 500 })
  })

  it('takes one look at each character, whatever the text holds', () => {
    const million = 1_000_000
    const texts = [
      `["${'\\"'.repeat(million)}",${long}]`,
      `["${'\\\\'.repeat(million)}",${long}]`,
      `[${`${long},`.repeat(50_000)}1]`,
      `["${`, ${long},`.repeat(50_000)}",${long}]`,
      `[${'1'.repeat(million)}]`,
      `[${'1'.repeat(million)}.5]`,
      `[${long}${' '.repeat(million)},${long}${' '.repeat(million)}]`,
    ]
    for (const text of texts) {
      const { user } = process.cpuUsage()
      parseJson(text)
      // A second look at each character from each of them would take minutes.
      expect(process.cpuUsage().user - user, text.slice(0, 30)).toBeLessThan(2_000_000)
    }
  })
})

describe('writeJson()', () => {
  it('writes bigints as integers, at any depth, also if a program has given them a toJSON()', () => {
    const value = { id: 2n ** 63n, list: [-1n, 'a', { b: 0n }], text: '1n' }
    const text = `{"id":${2n ** 63n},"list":[-1,"a",{"b":0}],"text":"1n"}`
    expect(writeJson(value)).toBe(text)
    Object.defineProperty(BigInt.prototype, 'toJSON', { value: () => 'big', configurable: true })
    try {
      expect(writeJson(value)).toBe(text)
    } finally {
      delete (BigInt.prototype as { toJSON?: unknown }).toJSON
    }
  })

  it('writes everything else as JSON.stringify() does', () => {
    const value = { a: [undefined, NaN, new Date(0)], b: undefined, c: { toJSON: () => 'c' } }
    expect(writeJson(value)).toBe(JSON.stringify(value))
    expect(writeJson(undefined)).toBeUndefined()
  })
})
