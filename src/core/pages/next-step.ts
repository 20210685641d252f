import { itemsOf, namesOf } from '../lib/items.ts'
import type { PagedOptions } from '../options/types.ts'
import type { PagingOverride } from '../lib/items.ts'
import type { OpenBody, OpenRecord } from '../../contract/undocumented.ts'
import type { Operation } from '../../contract/operation.ts'
import { wholeNumber } from '../lib/assert.ts'
import type { WalkLimits } from '../options/settings.ts'

/** Where a walk goes after a page. */
export type Step =
  | { readonly kind: 'next'; readonly params: object }
  | { readonly kind: 'end' }
  /** The page says that there is more, and not where. */
  | { readonly kind: 'lost'; readonly why: string }
  /** The page is not the one that was asked for. */
  | { readonly kind: 'wrong'; readonly why: string }

const end: Step = { kind: 'end' }

/**
 * Reads from a page where the next one is.
 *
 * @param setApart Items of the page that are not in the body any more: a page that had nothing else is not empty.
 */
export function nextStep(
  operation: Operation,
  params: object,
  body: unknown,
  override: PagingOverride = {},
  setApart = 0,
): Step {
  const { paging } = operation
  if (paging === undefined) return end
  if (override.next !== undefined) return overriddenStep(override.next, params, body)
  const meta = (body as { meta?: Record<string, unknown> | null } | null)?.meta ?? {}
  if (paging.kind === 'cursor') return cursorStep(operation, paging.param, params, meta)

  const page = (params as Record<string, unknown>)[paging.param] ?? 1
  if (typeof page !== 'number') return end
  if (meta['page'] !== undefined && meta['page'] !== page) {
    return {
      kind: 'wrong',
      why: `page ${page} was asked for, the answer says that it is page ${JSON.stringify(meta['page'])}`,
    }
  }
  const hasMore =
    paging.kind === 'counted'
      ? Number(meta['pageCount']) > page
      : setApart > 0 || itemsOf(operation, body)?.length !== 0
  return hasMore ? { kind: 'next', params: { ...params, [paging.param]: page + 1 } } : end
}

/** The page is paid for and awaits its reader, whatever the caller's function does. */
function overriddenStep(next: NonNullable<PagingOverride['next']>, params: object, body: unknown): Step {
  try {
    const following = next(body as OpenBody, structuredClone(params) as OpenRecord) as
      OpenRecord | null | undefined
    return following == null ? end : { kind: 'next', params: structuredClone(following) }
  } catch {
    return { kind: 'lost', why: 'paging.next threw an error, or returned what is not plain data' }
  }
}

/** A cursor beside `hasMore: false` is no reason to go on. */
function cursorStep(
  operation: Operation,
  param: string,
  params: object,
  meta: Record<string, unknown>,
): Step {
  const { hasMore, nextCursor } = meta
  if (!operation.documented && typeof hasMore !== 'boolean') {
    return {
      kind: 'lost',
      why: `looked for meta.hasMore, there is ${namesOf(meta, 'meta.')}; pass paging.next`,
    }
  }
  if (hasMore !== true) return end
  if (typeof nextCursor === 'string' && nextCursor !== '')
    return { kind: 'next', params: { ...params, [param]: nextCursor } }
  return { kind: 'lost', why: 'the page says that there is more, but has no cursor' }
}

/** Empty pages in a row after which a walk ends, although the service says that there is more. */
const maxEmptyPages = 3

/** Watches over one walk: it must not buy the same page twice, nor buy empty pages for ever. */
export class WalkGuard {
  readonly #visited = new Set<string>()
  #empty = 0
  #latest = ''

  /** Notes that a page has been fetched. */
  enter(params: object): void {
    this.#visited.add(JSON.stringify(params))
  }

  /** Whether this walk has fetched a page before. */
  knows(params: object): boolean {
    return this.#visited.has(JSON.stringify(params))
  }

  /** Whether a page has the very items of the one before. */
  repeats(items: readonly unknown[]): boolean {
    const text = JSON.stringify(items)
    const repeats = items.length > 0 && text === this.#latest
    this.#latest = text
    return repeats
  }

  /** Notes whether a page was empty; false if the walk should end here. */
  goesOn(isEmpty: boolean): boolean {
    this.#empty = isEmpty ? this.#empty + 1 : 0
    return this.#empty < maxEmptyPages
  }
}

/** The bounds of one walk. */
export function resolveWalk({ limit, maxPages }: PagedOptions): WalkLimits {
  return {
    items: limit === undefined ? Infinity : wholeNumber('limit', limit),
    pages: maxPages === undefined ? Infinity : wholeNumber('maxPages', maxPages),
  }
}
