import { count } from '../../lib/count.ts'
import type { Operation } from '../../api/operation.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { wholeNumber } from '../../errors/check-options.ts'
import { rounded } from './budget.ts'
import { worstCase } from './ledger.ts'

/** Options of a quote. */
export interface QuoteOptions {
  /** Pages to buy. Default 1. A walk also pays for its last page if that is empty. */
  pages?: number | undefined
  /** Items to expect on a page if the service documents no bound, like `ceiling` of the call. */
  ceiling?: number | undefined
}

/** The highest cost of a call, in credits. */
export interface Quote {
  /** For all pages; null if the service documents no bound. */
  atMost: number | null
  /** For one page, or for a call without pages; null if the service documents no bound. */
  perPage: number | null
  /** How the numbers are computed, in a sentence. */
  why: string
}

/** @param maxItems Requested items, if the operation has a documented bound. */
export function quoteOf(operation: Operation, maxItems: unknown, options: QuoteOptions = {}): Quote {
  const { id, price, paging, list = 'items' } = operation
  const pages = wholeNumber('pages', options.pages ?? 1)
  const ceiling = options.ceiling === undefined ? undefined : wholeNumber('ceiling', options.ceiling)
  if (pages > 1 && paging === undefined)
    throw new ConfigurationError(`${id} has no pages; leave pages out, got ${pages}`, { operation: id })
  const perPage = worstCase(price, maxItems, ceiling)
  if (price.kind === 'free' || perPage === null) return { atMost: 0, perPage: 0, why: `${id} is free` }

  const each = count(price.credits, 'credit')
  const forPages = paging === undefined ? '' : ` for ${count(pages, 'page')}`
  const total = { atMost: rounded(perPage * pages), perPage }
  if (price.kind === 'perRequest')
    return { ...total, why: `${each} a ${paging === undefined ? 'call' : 'page'}${forPages}` }
  const items = perPage / (price.credits || 1)
  if (price.ceiling !== null)
    return { ...total, why: `${each} for each of at most ${items} ${list} (${price.ceiling.param})` }
  const unbounded = `the service documents no bound on the ${list} of a page`
  if (ceiling === undefined)
    return { atMost: null, perPage: null, why: `${each} for each of the ${list}; ${unbounded}` }
  return { ...total, why: `${each} for each of ${items} ${list} (ceiling)${forPages}; ${unbounded}` }
}
