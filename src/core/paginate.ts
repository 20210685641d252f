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

  /** Notes that a page has been fetched. */
  enter(params: object): void {
    this.#visited.add(JSON.stringify(params))
  }

  /** Whether this walk has fetched a page before. */
  knows(params: object): boolean {
    return this.#visited.has(JSON.stringify(params))
  }

  /** Notes whether a page was empty; false if the walk should end here. */
  goesOn(isEmpty: boolean): boolean {
    this.#empty = isEmpty ? this.#empty + 1 : 0
    return this.#empty < maxEmptyPages
  }
}
