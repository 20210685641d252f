import { hash } from './random.ts'

/** The position that a cursor stands for. */
export interface Position {
  readonly offset: number
  /** Time of the walk's first request, in milliseconds: later items are not part of it. */
  readonly at: number
  /** Items from a test that had arrived by then. */
  readonly arrived: number
  /** When the sandbox was made: later items have come by growth. */
  readonly since: number
}

/** Makes a cursor that works for one search only; `search` is the same for all its pages, and for no other. */
export function encodeCursor({ offset, at, arrived, since }: Position, search: string): string {
  const check = hash(`${offset} of ${search} at ${at}/${arrived}/${since}`)
  const position = { o: offset, t: at, n: arrived, b: since, s: hash(search), c: check }
  return btoa(JSON.stringify(position)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Returns the position, or null if the cursor is of another search or was changed. */
export function decodeCursor(cursor: string, search: string): Position | null {
  try {
    const { o, t, n, b } = JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))) as {
      [name: string]: number
    }
    const position = { offset: Number(o), at: Number(t), arrived: Number(n), since: Number(b) }
    // Accept only the spelling that encodeCursor() makes; base64 decoding tolerates others.
    return cursor === encodeCursor(position, search) ? position : null
  } catch {
    return null
  }
}
