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
