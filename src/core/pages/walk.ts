import { got } from '../../api/issues.ts'
import type { Operation } from '../../api/operation.ts'
import type { OpenBody } from '../../api/endpoints/undocumented.ts'
import { copyOf } from '../call/compose-request.ts'
import { type PagingOverride, fieldNames, itemsOf } from '../../api/list-items.ts'
import { ConfigurationError, SocialSearchError } from '../../errors/index.ts'
import * as words from '../../errors/words.ts'
import { assertObject } from '../../errors/check-options.ts'
import { differenceOf } from '../../lib/json.ts'
import type { PagedOptions } from '../options/options.ts'

/** What follows a page of a walk. */
export type Step =
  /** The params of the next page, as plain JSON. */
  | { readonly kind: 'next'; readonly params: object }
  | { readonly kind: 'end' }
  /** There is a next page, but its params are unknown. */
  | { readonly kind: 'lost'; readonly why: string }
  /** The service returned a page other than the requested one. */
  | { readonly kind: 'wrong'; readonly why: string }

const end: Step = { kind: 'end' }

type Params = Readonly<Record<string, unknown>>

/**
 * Finds the next page.
 *
 * @param params Those of the page.
 * @param invalidItems Items that validation took out of the body: a page of such items is not empty.
 */
export function nextStep(
  operation: Operation,
  params: Params,
  body: unknown,
  override: PagingOverride = {},
  invalidItems = 0,
): Step {
  const { paging } = operation
  if (paging === undefined) return end
  if (override.next !== undefined) return stepByOverride(override.next, params, body)
  const meta = (body as { meta?: Record<string, unknown> | null } | null)?.meta ?? {}
  if (paging.kind === 'cursor') return cursorStep(operation, params, paging.param, meta)

  const number = params[paging.param] ?? 1
  if (typeof number !== 'number') return end
  if (meta['page'] !== undefined && meta['page'] !== number) {
    return { kind: 'wrong', why: words.wrongPage(number, got(meta['page'])) }
  }
  const { pageCount } = meta
  const hasMore =
    paging.kind === 'counted'
      ? // An object that nests deeply cannot become a number.
        typeof pageCount !== 'object' && Number(pageCount) > number
      : invalidItems > 0 || itemsOf(operation, body)?.length !== 0
  return hasMore ? { kind: 'next', params: { ...copyOf(params), [paging.param]: number + 1 } } : end
}

/** An error of the user's function must not lose the page, which is paid for. */
function stepByOverride(next: NonNullable<PagingOverride['next']>, params: Params, body: unknown): Step {
  try {
    const following: unknown = next(body as OpenBody, copyOf(params))
    if (following === null || following === undefined) return end
    if (typeof following === 'object')
      return { kind: 'next', params: JSON.parse(JSON.stringify(following)) as object }
  } catch {
    // Reported below.
  }
  return { kind: 'lost', why: words.wrongNext }
}

/** Stops when `hasMore` is false, even if a cursor is present. */
function cursorStep(
  operation: Operation,
  params: Params,
  param: string,
  meta: Record<string, unknown>,
): Step {
  const { hasMore, nextCursor } = meta
  if (!operation.documented && typeof hasMore !== 'boolean') {
    return { kind: 'lost', why: words.noHasMore(fieldNames(meta, 'meta.')) }
  }
  if (hasMore !== true) return end
  if (typeof nextCursor === 'string' && nextCursor !== '')
    return { kind: 'next', params: { ...copyOf(params), [param]: nextCursor } }
  return { kind: 'lost', why: words.noCursor }
}

/** A walk ends after so many empty pages in a row. */
const maxEmptyPages = 3

/** How far a walk has come. */
export interface Progress {
  readonly pages: number
  readonly items: number
  /** In a row, up to the latest page. */
  readonly emptyPages: number
}

/** Whether a walk ends with its latest page. @param step What follows that. @param progress With that. */
export function isOver(
  { kind }: Step,
  { pages, items, emptyPages }: Progress,
  { limit = Infinity, maxPages = Infinity }: Pick<PagedOptions, 'limit' | 'maxPages'>,
): boolean {
  return kind === 'end' || pages >= maxPages || items >= limit || emptyPages === maxEmptyPages
}

/** Where to continue, as plain JSON to save. */
export interface WalkState<Params = object> {
  /** `next` of the last page that you saved; null after the very last one. */
  readonly next: Params | null
}

/**
 * The params at which a walk resumes; null if it has ended.
 *
 * @param params The params of the walk. Those of the state must be the same, except for the page.
 * @param state A {@link WalkState}, an error, or the params of a page themselves.
 * @throws {ConfigurationError}
 */
export function nextOfState(
  { id, paging }: Operation,
  params: object,
  state: unknown,
  override: PagingOverride = {},
): object | null {
  const refuse = (message: string) =>
    new ConfigurationError(message, { operation: id, next: params, attempts: [] })
  assertObject('the state', state)
  const isError = state instanceof SocialSearchError
  // An error may also have the page that was paid for.
  const isPage = !isError && paging !== undefined && Object.hasOwn(state, paging.param)
  const next = isPage ? state : (state as { next?: unknown }).next
  if (next === null && !isError) return null
  if (typeof next !== 'object' || next === null) {
    const given = isError ? `the ${state.name}` : 'the state'
    throw refuse(`resume() needs next, the params of a page; ${given} lacks it`)
  }
  // With `paging.next`, the params of the next page may be anything.
  if (override.next !== undefined) return next
  const difference = differenceOf(next, params, paging?.param)
  if (difference === undefined) return next
  throw refuse(`the state belongs to another call: ${difference}`)
}
