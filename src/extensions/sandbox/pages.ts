import { take } from './lists.ts'
import { hash } from './random.ts'
import { invalid } from './responses.ts'

/** What the requests of one walk see, although time passes and items arrive between them. */
export interface Moment {
  /** Time of the walk's first request, in milliseconds: later items are not part of it. */
  readonly at: number
  /** Items from a test that had arrived by then. */
  readonly arrived: number
  /** When growth began. */
  readonly since: number
}

interface Position extends Moment {
  readonly offset: number
}

/** A request of one page. */
interface PageRequest {
  readonly cursor: string | undefined
  readonly count: number
  /** What is the same for all pages of one search, and for no other. */
  readonly search: readonly unknown[]
  /** Absent for a list that never changes. */
  readonly now?: Moment
}

/**
 * Returns a page of the items that pass the test, with the `meta` of the documented searches. Offsets count all items, so
 * that a walk neither skips nor repeats items if the test's result for one of them changes meanwhile.
 *
 * @throws {SandboxError} for a cursor of another search.
 */
export function pageOf<T>(
  { cursor, count, search, now = { at: 0, arrived: 0, since: 0 } }: PageRequest,
  list: (moment: Moment) => Iterable<T>,
  test: (item: T) => boolean = () => true,
) {
  const key = JSON.stringify(search)
  const start = cursor === undefined ? { ...now, offset: 0 } : decodeCursor(cursor, key)
  if (start === null)
    throw invalid([
      { path: 'cursor', message: 'not a cursor of this search, or changed since it was handed out' },
    ])

  const { items: page, next } = take(list(start), { from: start.offset, count }, test)
  const nextCursor = next !== null && { nextCursor: encodeCursor({ ...start, offset: next }, key) }
  return { page, meta: { returnedCount: page.length, hasMore: next !== null, ...nextCursor } }
}

/** Makes a cursor that works for one search only. */
function encodeCursor({ offset, at, arrived, since }: Position, search: string): string {
  const position = { offset, at, arrived, since }
  const check = hash(JSON.stringify([search, position]))
  return btoa(JSON.stringify({ ...position, check })).replaceAll('=', '')
}

/** Returns the position, or null if the cursor is of another search or was changed. */
function decodeCursor(cursor: string, search: string): Position | null {
  try {
    const position = JSON.parse(atob(cursor)) as Position
    // Accept only the spelling that encodeCursor() makes; base64 decoding tolerates others.
    return cursor === encodeCursor(position, search) ? position : null
  } catch {
    return null
  }
}
