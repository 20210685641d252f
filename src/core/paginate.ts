import type { Operation } from '../contract/operation.ts'

/** Where a walk goes after a page. */
export type Step =
  | { readonly kind: 'next'; readonly params: object }
  | { readonly kind: 'end' }
  /** The page says that there is more, and not where. */
  | { readonly kind: 'lost' }

/** Reads from a page where the next one is. A cursor beside `hasMore: false` is no reason to go on. */
export function nextStep(operation: Operation, params: object, body: unknown): Step {
  const { paging } = operation
  const meta = (body as { meta?: { hasMore?: unknown; nextCursor?: unknown } } | null)?.meta
  if (paging === undefined || meta?.hasMore !== true) return { kind: 'end' }
  const { nextCursor } = meta
  if (typeof nextCursor !== 'string' || nextCursor === '') return { kind: 'lost' }
  return { kind: 'next', params: { ...params, [paging.param]: nextCursor } }
}

/** The items of a page. */
export function itemsOf(operation: Operation, body: unknown): readonly unknown[] {
  const items = (body as Record<string, unknown> | null)?.[operation.list?.property ?? '']
  return Array.isArray(items) ? items : []
}

/** Empty pages in a row after which a walk ends, although the service says that there is more. */
const maxEmptyPages = 3

/** Watches over one walk: it must not buy the same page twice, nor buy empty pages for ever. */
export class WalkGuard {
  readonly #visited = new Set<string>()
  #empty = 0

  /** Notes that a page is about to be fetched; false if this walk has fetched it before. */
  enter(params: object): boolean {
    const key = JSON.stringify(params)
    if (this.#visited.has(key)) return false
    this.#visited.add(key)
    return true
  }

  /** Notes how many items a page had; false if the walk should end here. */
  found(items: number): boolean {
    this.#empty = items === 0 ? this.#empty + 1 : 0
    return this.#empty < maxEmptyPages
  }
}
