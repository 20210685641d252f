import { isInteger, isLosslessNumber, parse } from 'lossless-json'

/** Writes JSON; bigints become integers. */
export { stringify as stringifyCatalogJson } from 'lossless-json'

/**
 * Parses JSON of the catalog. Fields that hold ids become bigints, since a number cannot hold 64 bits. All else is
 * parsed as by `JSON.parse`.
 *
 * @throws {SyntaxError} or a RangeError if the JSON nests thousands of levels.
 */
export function parseCatalogJson(text: string): unknown {
  return parse(text, readNumber, { onDuplicateKey: ({ newValue }) => newValue })
}

function readNumber(name: string, value: unknown): unknown {
  if (!isLosslessNumber(value)) return value
  const number = Number(value.value)
  const isExact = Number.isSafeInteger(number)
  if (
    name === 'id' ? isExact || isInteger(value.value) : /Id$/.test(name) && !isExact && isInteger(value.value)
  )
    return BigInt(isExact ? number : value.value)
  return number
}
