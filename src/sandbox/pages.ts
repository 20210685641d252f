import type { Issue } from '../api/issues.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

/** The `meta` of a page, as in the documented searches. */
export interface PageMeta {
  returnedCount: number
  hasMore: boolean
  nextCursor?: string
}

/** The offset where a cursor's page starts. Adds an issue if the cursor belongs to another search than `search`. */
export function startOf(cursor: string | undefined, search: string, issues: Issue[]): number {
  const offset = cursor === undefined ? 0 : decodeCursor(cursor, search)
  if (offset === null) {
    issues.push({
      path: 'cursor',
      message: 'not a cursor of this search, or changed since it was handed out',
    })
  }
  return offset ?? 0
}

/**
 * Returns a page of the items that pass the test. Offsets count all items, so that a walk neither skips nor repeats items
 * if the test's result for one of them changes meanwhile.
 */
export function pageFrom<T>(
  items: readonly T[],
  { offset, count, search, test = () => true }: PageRequest<T>,
): { page: T[]; meta: PageMeta } {
  const page: T[] = []
  let next = offset
  for (let index = offset; index < items.length; index++) {
    const item = items[index] as T
    if (!test(item)) continue
    if (page.length === count) {
      const nextCursor = encodeCursor({ offset: next, search })
      return { page, meta: { returnedCount: page.length, hasMore: true, nextCursor } }
    }
    page.push(item)
    next = index + 1
  }
  return { page, meta: { returnedCount: page.length, hasMore: false } }
}

interface PageRequest<T> {
  readonly offset: number
  readonly count: number
  /** Text that is the same for all pages of one search, and for no other. */
  readonly search: string
  readonly test?: (item: T) => boolean
}
