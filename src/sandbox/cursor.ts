import { hash } from './random.ts'

/** The position that a cursor stands for. */
interface Position {
  readonly offset: number
  /** Text that is the same for all pages of one search, and for no other. */
  readonly search: string
}

/** Makes a cursor that works for one search only. */
export function encodeCursor({ offset, search }: Position): string {
  const position = { o: offset, s: hash(search), c: hash(`${offset} of ${search}`) }
  return btoa(JSON.stringify(position)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Returns the offset, or null if the cursor is of another search or was changed. */
export function decodeCursor(cursor: string, search: string): number | null {
  try {
    const { o: offset } = JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))) as { o: unknown }
    // Accept only the spelling that encodeCursor() makes; base64 decoding tolerates others.
    return typeof offset === 'number' && cursor === encodeCursor({ offset, search }) ? offset : null
  } catch {
    return null
  }
}
