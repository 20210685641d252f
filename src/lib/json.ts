/** Parses JSON; undefined if it is invalid. The parser's own error would quote the text. */
export function parsed(text: string, { parse }: { parse: (text: string) => unknown } = JSON): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/**
 * JSON text of parsed JSON. A response may nest deeper than `JSON.stringify` can follow, which then throws a RangeError.
 *
 * @param indent Spaces for each level; none for one line, and none where the nesting is that deep.
 */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return deepJsonText(value)
  }
}

/** Writes JSON with an explicit stack instead of recursion: pieces of text and values left to write, the next one last. */
function deepJsonText(root: unknown): string {
  const left: (string | { readonly value: unknown })[] = [{ value: root }]
  const written: string[] = []
  for (let piece = left.pop(); piece !== undefined; piece = left.pop()) {
    if (typeof piece === 'string') written.push(piece)
    else if (typeof piece.value !== 'object' || piece.value === null)
      written.push(JSON.stringify(piece.value))
    else {
      const isList = Array.isArray(piece.value)
      const entries = Object.entries(piece.value).filter(([, value]) => isList || value !== undefined)
      written.push(isList ? '[' : '{')
      left.push(isList ? ']' : '}')
      for (const [index, [name, value]] of [...entries.entries()].reverse())
        left.push(
          { value: value ?? null },
          (index > 0 ? ',' : '') + (isList ? '' : `${JSON.stringify(name)}:`),
        )
    }
  }
  return written.join('')
}
