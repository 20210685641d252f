import type { Issue } from '../api/issues.ts'
import { type Position, decodeCursor, encodeCursor } from './cursor.ts'

/** The `meta` of a page, as in the documented searches. */
export interface PageMeta {
  returnedCount: number
  hasMore: boolean
  nextCursor?: string
}

/** What the requests of one walk see, although time passes and items arrive between them. */
export type Moment = Omit<Position, 'offset'>

/** For lists that never change. */
const always: Moment = { at: 0, arrived: 0, since: 0 }

/** Where a page starts: now, or where the cursor says. Adds an issue if the cursor belongs to another search than `search`. */
export function startOf(
  cursor: string | undefined,
  search: string,
  issues: Issue[],
  now: Moment = always,
): Position {
  const start = cursor === undefined ? { ...now, offset: 0 } : decodeCursor(cursor, search)
  if (start === null) {
    issues.push({
      path: 'cursor',
      message: 'not a cursor of this search, or changed since it was handed out',
    })
  }
  return start ?? { ...now, offset: 0 }
}

/**
 * Returns a page of the items that pass the test. Offsets count all items, so that a walk neither skips nor repeats items
 * if the test's result for one of them changes meanwhile.
 */
export function pageFrom<T>(
  items: readonly T[],
  { start, count, search, test = () => true }: PageRequest<T>,
): { page: T[]; meta: PageMeta } {
  const page: T[] = []
  let offset = start.offset
  for (let index = offset; index < items.length; index++) {
    const item = items[index] as T
    if (!test(item)) continue
    if (page.length === count) {
      const nextCursor = encodeCursor({ ...start, offset }, search)
      return { page, meta: { returnedCount: page.length, hasMore: true, nextCursor } }
    }
    page.push(item)
    offset = index + 1
  }
  return { page, meta: { returnedCount: page.length, hasMore: false } }
}

interface PageRequest<T> {
  readonly start: Position
  readonly count: number
  /** Text that is the same for all pages of one search, and for no other. */
  readonly search: string
  readonly test?: (item: T) => boolean
}
