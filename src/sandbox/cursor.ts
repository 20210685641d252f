import { hash } from './random.ts'

/** Where a walk goes on: behind how many posts, and of which search. */
interface Position {
  readonly offset: number
  /** Text that is the same for all pages of one search, and for no other. */
  readonly search: string
}

/** Makes a cursor that is of use for one search only. */
export function encodeCursor({ offset, search }: Position): string {
  return btoa(JSON.stringify({ o: offset, s: hash(search), c: checksum(offset, search) }))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Returns the offset, or null where the cursor was made for another search or changed on the way. */
export function decodeCursor(cursor: string, search: string): number | null {
  try {
    const { o: offset } = JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))) as { o: unknown }
    if (typeof offset !== 'number') return null
    // Only the one spelling that encodeCursor() gives counts; base64 would tolerate others.
    return cursor === encodeCursor({ offset, search }) ? offset : null
  } catch {
    return null
  }
}

function checksum(offset: number, search: string): number {
  return hash(`${offset} of ${search}`)
}
