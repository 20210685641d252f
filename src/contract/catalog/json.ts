import { isInteger, isLosslessNumber, parse, stringify } from 'lossless-json'

/**
 * Reads a JSON text of the catalog. Ids become bigints, since they may be more than a number can hold, and so do other ids
 * by their name where they are; all other numbers become what JSON makes of them.
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

/** Writes JSON, bigints as the integers they are. */
export const stringifyCatalogJson: (value: unknown) => string | undefined = stringify
