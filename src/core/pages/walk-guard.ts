import { wholeNumber } from '../lib/assert.ts'
import type { PagedOptions } from '../options/types.ts'

/** Empty pages in a row after which a walk ends, although the service says that there is more. */
const maxEmptyPages = 3

/** Watches over one walk: it must not buy the same page twice, nor buy empty pages for ever. */
export class WalkGuard {
  readonly #visited = new Set<string | undefined>()
  #empty = 0
  #latest = ''

  /** Notes that a page has been fetched. */
  markFetched(page: string | undefined): void {
    this.#visited.add(page)
  }

  /** Whether this walk has fetched a page before. */
  hasFetched(page: string | undefined): boolean {
    return this.#visited.has(page)
  }

  /** Whether a page has the very items of the one before. */
  repeatsLatest(items: readonly unknown[]): boolean {
    const text = JSON.stringify(items)
    const repeats = items.length > 0 && text === this.#latest
    this.#latest = text
    return repeats
  }

  /** Notes whether a page was empty; false if the walk should end here. */
  mayContinue(isEmpty: boolean): boolean {
    this.#empty = isEmpty ? this.#empty + 1 : 0
    return this.#empty < maxEmptyPages
  }
}

/** Most that a walk may yield and buy. */
export interface WalkLimits {
  readonly items: number
  readonly pages: number
}

/** @throws {ConfigurationError} */
export function resolveWalk({ limit, maxPages }: PagedOptions): WalkLimits {
  return {
    items: limit === undefined ? Infinity : wholeNumber('limit', limit),
    pages: maxPages === undefined ? Infinity : wholeNumber('maxPages', maxPages),
  }
}
