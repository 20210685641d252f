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

/** Of a list, no request looks at more items, so that a rare one in an endless list takes no time. */
const mostLookedAt = 10_000

interface Timed {
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Both lists as one, newest first. Of items with the same time, those of the first one come first. */
export function* merged<T extends Timed>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  const others = second[Symbol.iterator]()
  let other = others.next()
  for (const item of first) {
    for (; !other.done && other.value.at > item.at; other = others.next()) yield other.value
    yield item
  }
  for (; !other.done; other = others.next()) yield other.value
}

export function* filtered<T>(list: Iterable<T>, passes: (item: T) => boolean): Generator<T> {
  for (const item of list) if (passes(item)) yield item
}

/** Takes so many items that pass, from a place on, and tells the place of the next one; null if there is none. */
export function take<T>(
  list: Iterable<T>,
  { from = 0, count = Infinity }: { readonly from?: number; readonly count?: number },
  passes: (item: T) => boolean = () => true,
) {
  const items: T[] = []
  let place = -1
  for (const item of list) {
    place += 1
    if (place < from) continue
    if (place === from + mostLookedAt) return { items, next: place }
    if (!passes(item)) continue
    if (items.length === count) return { items, next: place }
    items.push(item)
  }
  return { items, next: null }
}

/** Items that pass, the highest score first. */
export function ranked<T>(
  list: Iterable<T>,
  passes: (item: T) => boolean,
  scoreOf: (item: T) => number,
): T[] {
  return take(list, {}, passes).items.sort((a, b) => scoreOf(b) - scoreOf(a))
}

/*
 * Params of requests whose shape the service does not document, from a body or a query. What is made up for them ignores a
 * value that does not fit.
 */

export function textIn(input: unknown, name: string): string | undefined {
  const value = (input as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : undefined
}

/** @throws {SandboxError} if it is missing. */
export function requiredText(input: unknown, name: string): string {
  const text = textIn(input, name)
  if (text) return text
  throw invalid([{ path: name, message: 'is required' }])
}

/** The cursor and the size of a page. From a query, `count` comes as digits. */
export function pageIn(input: unknown, max: number, usual = max) {
  const count = Number((input as { readonly count?: unknown }).count ?? usual)
  return {
    cursor: textIn(input, 'cursor'),
    count: Number.isInteger(count) && count >= 1 ? Math.min(count, max) : usual,
  }
}
