import { count } from '../../lib/count.ts'
import { organizationLimits } from '../../api/limits.ts'
import type { Operation } from '../../api/operation.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { assertOptions, wholeNumber } from '../../errors/check-options.ts'
import { rounded } from './budget.ts'
import { worstCase } from './ledger.ts'

/** Options of a quote. */
export interface QuoteOptions {
  /** Pages to buy. Default 1. A walk also pays for its last page if that is empty. */
  pages?: number | undefined
}

/** The highest cost of a call, in credits. */
export interface Quote {
  /** For all pages; null if the service documents no bound. */
  atMost: number | null
  /** For one page, or for a call without pages; null if the service documents no bound. */
  perPage: number | null
  /**
   * Milliseconds that all pages take at least at the limit of requests a minute, if nothing else is sent: 20 requests go at
   * once, and 20 more after each minute. 0 if the service documents no limit.
   */
  duration: number
  /** How the numbers are computed, in a sentence. */
  why: string
}

/**
 * @param maxItems Requested items, if the operation has a documented bound.
 * @param perMinute Requests that may be sent to a surface in a minute.
 */
export function quoteOf(
  operation: Operation,
  perMinute: number,
  maxItems?: unknown,
  options: QuoteOptions = {},
): Quote {
  const { id, price, paging, surface, list = 'items' } = operation
  assertOptions(options, { pages: true })
  const pages = wholeNumber('pages', options.pages ?? 1)
  if (pages > 1 && paging === undefined)
    throw new ConfigurationError(`has no pages; leave pages out, got ${pages}`, { operation: id })
  const perPage = worstCase(price, maxItems)
  const quoted = (perPage: number | null, why: string): Quote => ({
    atMost: perPage && rounded(perPage * pages),
    perPage,
    duration: surface === null ? 0 : Math.floor((pages - 1) / perMinute) * organizationLimits.windowMs,
    why,
  })
  if (price.kind === 'free' || perPage === null) return quoted(0, `${id} is free`)

  const each = count(price.credits, 'credit')
  const forPages = paging ? ` for ${count(pages, 'page')}` : ''
  if (price.kind === 'perRequest') return quoted(perPage, `${each} a ${paging ? 'page' : 'call'}${forPages}`)
  const most = worstCase({ ...price, credits: 1 }, maxItems)
  const bound = price.ceiling?.param
  const items = bound ? `${most} ${list} (${bound})` : `the ${list}`
  const unbounded = price.ceiling ? '' : `; the service documents no bound`
  return quoted(bound ? perPage : null, `${each} for each of ${items}${forPages}${unbounded}`)
}
