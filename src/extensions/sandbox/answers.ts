import { codeOfStatus } from '../../api/error-envelope.ts'
import { type Issue, firstIssues, issuesText } from '../../api/issues.ts'
import { parsed } from '../../lib/json.ts'
import { hash } from './random.ts'

/** What an error tells besides its status. `retryAfter` is also sent as a header. */
interface ErrorDetails {
  readonly code?: string | undefined
  readonly message: string
  readonly issues?: readonly Issue[]
  readonly retryAfter?: number | undefined
}

/** Refuses a request: with a 401, a 404, a 429 … */
export class SandboxError extends Error {
  readonly status: number
  readonly details: ErrorDetails

  constructor(status: number, details: ErrorDetails) {
    super(details.message)
    this.status = status
    this.details = details
  }
}

/** A 400 that names each invalid field. */
export function invalid(issues: readonly Issue[]): SandboxError {
  const listed = firstIssues(issues)
  return new SandboxError(400, { message: `Invalid request: ${issuesText(listed, 'body')}`, issues: listed })
}

/**
 * Codes of errors that the service description has no code for. They and the bodies of these errors are made up; the real
 * service may respond differently.
 */
const madeUpCodes: Record<number, string> = {
  403: 'forbidden',
  404: 'not_found',
  500: 'internal_error',
  504: 'upstream_timeout',
}

/** An error in the service's envelope, with the documented code of its status if there is one. */
export function errorResponse(requestId: string, { status, details }: SandboxError) {
  const { code = madeUpCodes[status] ?? codeOfStatus(status), ...rest } = details
  const body = JSON.stringify({ requestId, error: { code, ...rest } })
  return { status, retryAfter: rest.retryAfter, body }
}

/** The body of a request; undefined if it is not JSON. Rejects with the signal's reason if the caller aborts. */
export async function readBody(
  request: Request,
  parse: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  const text = await request.text().finally(() => request.signal.throwIfAborted())
  return parsed(text, { parse })
}

/** A request of one page. */
interface PageRequest {
  readonly cursor: string | undefined
  readonly count: number
  /** What is the same for all pages of one search, and for no other. */
  readonly search: readonly unknown[]
  /** In milliseconds since 1970; absent for a list that never changes. */
  readonly now?: number
}

/**
 * Returns a page of the items that pass the test, with the `meta` of the documented searches. Offsets count all items, so
 * that a walk neither skips nor repeats items if the test's result for one of them changes meanwhile.
 *
 * @throws {SandboxError} for a cursor of another search.
 */
export function pageOf<T>(
  { cursor, count, search, now = 0 }: PageRequest,
  list: (at: number) => Iterable<T>,
  test: (item: T) => boolean = () => true,
) {
  // What is made up after the first page is not part of the list.
  const [at = now, start = 0] = cursor?.split('-').map(Number) ?? []
  if (cursor !== undefined && cursor !== cursorOf(search, at, start))
    throw invalid([
      { path: 'cursor', message: 'not a cursor of this search, or changed since it was handed out' },
    ])
  const page: T[] = []
  let offset = -1
  for (const item of list(at)) {
    offset += 1
    if (offset < start || !test(item)) continue
    if (page.length === count) {
      const nextCursor = cursorOf(search, at, offset)
      return { page, meta: { returnedCount: count, hasMore: true, nextCursor } }
    }
    page.push(item)
  }
  return { page, meta: { returnedCount: page.length, hasMore: false } }
}

/** A cursor that works for one search only: the time of its first page, and how many items come before the next. */
function cursorOf(search: readonly unknown[], at: number, offset: number): string {
  return [at, offset, hash(JSON.stringify([search, at, offset]))].join('-')
}

/** The first items that pass: all, or so many. */
export function take<T>(list: Iterable<T>, passes: (item: T) => boolean, count = Infinity): T[] {
  const items: T[] = []
  for (const item of list) {
    if (passes(item)) items.push(item)
    if (items.length === count) break
  }
  return items
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
