import { isInteger, isLosslessNumber, parse, stringify } from 'lossless-json'

/**
 * Parses JSON of the catalog. Fields that hold ids become bigints, since a number cannot hold 64 bits. Other numbers
 * are parsed as usual.
 *
 * @throws {SyntaxError}
 */
export function parseCatalogJson(text: string): unknown {
  return parse(text, (name, value) => {
    if (!isLosslessNumber(value)) return value
    const number = Number(value.value)
    const isExact = Number.isSafeInteger(number)
    if (
      name === 'id'
        ? isExact || isInteger(value.value)
        : /Id$/.test(name) && !isExact && isInteger(value.value)
    )
      return BigInt(isExact ? number : value.value)
    return number
  })
}

/** Writes JSON; bigints become integers. */
export const stringifyCatalogJson: (value: unknown) => string | undefined = stringify
