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
