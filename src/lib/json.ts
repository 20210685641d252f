import { randomId } from './hash.ts'

/** What may be an integer of more digits than a number holds, or a part of a string. */
const longInteger = /(?<=[\s:,[]|^)-?[1-9]\d{15,}(?=\s*(?:[,\]}]|$))/g
/** The fewest digits of one. */
const fewestDigits = 16

/**
 * Parses JSON. An integer that a number cannot hold exactly becomes the text of its digits, behind a mark.
 *
 * @throws {SyntaxError} if it is invalid.
 */
export function parseJson(text: string, mark = ''): unknown {
  if (!hasLongIntegers(text)) return JSON.parse(text)
  let quoted = ''
  let end = 0
  let afterString = 0
  let quote = placeOf('"', text, 0)
  for (const { 0: digits, index } of text.matchAll(longInteger)) {
    while (quote < index) {
      afterString = endOfString(text, quote)
      quote = placeOf('"', text, afterString)
    }
    if (index < afterString || Number.isSafeInteger(Number(digits))) continue
    quoted += `${text.slice(end, index)}"${mark}${digits}"`
    end = index + digits.length
  }
  return JSON.parse(quoted + text.slice(end))
}

function placeOf(part: string, text: string, start: number): number {
  const place = text.indexOf(part, start)
  return place === -1 ? Infinity : place
}

/** The place behind a string. @param start Of its first quote. */
function endOfString(text: string, start: number): number {
  for (let end = start; ;) {
    end = placeOf('"', text, end + 1)
    let backslashes = 0
    while (text[end - backslashes - 1] === '\\') backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
}

/**
 * Whether a text may have an integer that {@link parseJson} would not leave as it is. Of so many digits in a row, one stands at each
 * place that it looks at; nearly all texts have them in strings alone.
 */
export function hasLongIntegers(text: string): boolean {
  const isDigit = (place: number): boolean => (text.charCodeAt(place) ^ 0x30) < 10
  for (let place = fewestDigits - 1; place < text.length; place += fewestDigits) {
    if (!isDigit(place)) continue
    let start = place
    while (isDigit(start - 1)) start--
    while (isDigit(place)) place++
    if (place - start >= fewestDigits && ' \t\r\n:,[-'.includes(text.charAt(start - 1))) return true
  }
  return false
}

/** Whether an integer in a text is rounded in the value that `JSON.parse` has made of it: it would name something else. */
export function isRounded(value: unknown, text: string): boolean {
  return hasLongIntegers(text) && JSON.stringify(parseJson(text)) !== JSON.stringify(value)
}

type Replacer = (this: unknown, name: string, value: unknown) => unknown

/**
 * Writes JSON; a bigint becomes an integer.
 *
 * @throws {TypeError} or a RangeError if the value is circular or too deep.
 */
export function writeJson(value: unknown, replacer: Replacer = (_, each) => each): string | undefined {
  let mark: string | undefined
  const text = JSON.stringify(
    value,
    function (this: Readonly<Record<string, unknown>>, name, given: unknown) {
      // A program may have given bigints a `toJSON()`.
      const own = this[name]
      const written = replacer.call(this, name, typeof own === 'bigint' ? own : given)
      return typeof written === 'bigint' ? (mark ??= randomId(12)) + String(written) : written
    },
  ) as string | undefined
  return mark === undefined ? text : text?.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1')
}

/** Parses JSON; undefined if it is invalid. The parser's own error would quote the text. */
export function parsed(text: string, { parse }: { parse: (text: string) => unknown } = JSON): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** JSON text of a value; undefined if it is not JSON, or nests more deeply than `JSON.stringify` can follow. */
export function jsonText(
  value: unknown,
  { stringify }: { stringify: (value: unknown) => string | undefined } = JSON,
): string | undefined {
  try {
    return stringify(value)
  } catch {
    return undefined
  }
}

/** How deep JSON may nest for its readers: SQLite takes 1,000 levels, and `JSON.stringify` itself a few thousand. */
const mostLevels = 500

/** JSON text of a value, with `"…"` for what nests more deeply than 500 levels. Undefined if the value is not JSON. */
export function shallowJson(value: unknown): string | undefined {
  const levels = new WeakMap<object, number>()
  return jsonText(value, { stringify: (value) => JSON.stringify(value, cut) })

  function cut(this: object, _name: string, each: unknown): unknown {
    if (typeof each !== 'object' || each === null) return each
    const level = 1 + (levels.get(this) ?? 0)
    levels.set(each, level)
    return level > mostLevels ? '…' : each
  }
}

/** A copy of a value, as {@link shallowJson} writes it. @throws {SyntaxError} if it is not JSON. */
export function shallow(value: unknown): unknown {
  return JSON.parse(String(shallowJson(value)))
}

/** Half of a character that its service has cut in two, as `JSON.stringify` escapes it, or any other escape. */
const escapes = /\\(?:u(d[89a-f][\da-f]{2})|[^])/g

/** {@link shallowJson} for every reader: U+FFFD stands for half of a character. */
export function wellFormedJson(value: unknown): string | undefined {
  const text = shallowJson(value)
  if (!text?.includes('\\ud')) return text
  return text.replaceAll(escapes, (escape, half?: string) => (half === undefined ? escape : '\ufffd'))
}

/** JSON with sorted fields, for comparison: a database may reorder the fields of what it stores. */
export function canonicalJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

/** Whether a value is an object with named fields, not an array or null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The names of an object's fields, or the places of an array, one by one: as texts, those of a million zeros take 60 MB. */
export function namesOf(value: object): Iterable<string | number> {
  return Array.isArray(value) ? value.keys() : Object.keys(value)
}

/** The value at a path. Through a list, it is the list of the values in its items, but not through a list of lists. */
export function valueAt(value: unknown, names: readonly string[]): unknown {
  const [name, ...rest] = names
  if (name === undefined) return value
  if (Array.isArray(value))
    return value.map((item: unknown) => (Array.isArray(item) ? undefined : valueAt(item, names)))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return valueAt((value as Record<string, unknown>)[name], rest)
}

type Fields = Readonly<Record<string, unknown>>

/**
 * What differs first between the params of a saved state and those of a call, in words; undefined if nothing does.
 *
 * @param except A param that may differ.
 */
export function differenceOf(state: object, call: object, except?: string): string | undefined {
  const name = Object.keys({ ...call, ...state }).find(
    (name) =>
      name !== except && canonicalJson((call as Fields)[name]) !== canonicalJson((state as Fields)[name]),
  )
  if (name === undefined) return undefined
  // Long values are cut.
  const [saved, asked] = [state, call].map((params) =>
    (canonicalJson((params as Fields)[name]) ?? 'missing').slice(0, 99),
  )
  return `${name} is ${saved} in the state and ${asked} in the call; pass the old value, or no state`
}
