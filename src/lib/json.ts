/** Parses JSON; undefined if it is invalid. The parser's own error would quote the text. */
export function parsed(text: string, { parse }: { parse: (text: string) => unknown } = JSON): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** JSON text of a value; undefined if it is not JSON, or nests more deeply than `JSON.stringify` can follow. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** Half of a character that its service has cut in two, as `JSON.stringify` escapes it, or any other escape. */
const escapes = /\\(?:u(d[89a-f][\da-f]{2})|[^])/g

/** JSON text that every reader takes: U+FFFD stands for half of a character. Undefined as for {@link jsonText}. */
export function wellFormedJson(value: unknown): string | undefined {
  const text = jsonText(value)
  if (!text?.includes('\\ud')) return text
  return text.replaceAll(escapes, (escape, half?: string) => (half === undefined ? escape : '\ufffd'))
}

/** Whether a value has a date that is invalid, in place of which JSON would have null. */
export function hasInvalidDate(value: unknown): boolean {
  let isFound = false
  const look = function (this: unknown, name: string, each: unknown): unknown {
    isFound ||= isInvalidDate((this as Readonly<Record<string, unknown>>)[name])
    return typeof each === 'bigint' ? '' : each
  }
  try {
    JSON.stringify(value, look)
  } catch {
    // It is no JSON for another reason.
  }
  return isFound
}

export function isInvalidDate(value: unknown): boolean {
  return value instanceof Date && Number.isNaN(value.getTime())
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
