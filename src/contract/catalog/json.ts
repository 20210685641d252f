import { isInteger, isLosslessNumber, parse, stringify } from 'lossless-json'

/**
 * Reads a JSON text of the catalog. Ids become bigints, since they may be more than a number can hold; all other numbers
 * become what JSON makes of them.
 *
 * @throws {SyntaxError}
 */
export function parseCatalogJson(text: string): unknown {
  return parse(text, (name, value) => {
    if (!isLosslessNumber(value)) return value
    return name === 'id' && isInteger(value.value) ? BigInt(value.value) : Number(value.value)
  })
}

/** Writes JSON, bigints as the integers they are. */
export const stringifyCatalogJson: (value: unknown) => string | undefined = stringify
