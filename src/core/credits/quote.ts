import { count } from '../../lib/count.ts'
import { organizationLimits } from '../../api/limits.ts'
import type { Operation } from '../../api/operation.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { assertOptions, wholeNumber } from '../../errors/check-options.ts'
import { rounded } from './budget.ts'
import { worstCase } from './price.ts'

/** Options of a quote. */
export interface QuoteOptions {
  /** How many pages. Default 1. An empty last page costs as much as the others. */
  pages?: number | undefined
}

/** What a call costs at most, and how long it takes at least. */
export interface Quote {
  /** Maximum credits for all pages; null if unknown. */
  atMost: number | null
  /** Maximum credits for one page; null if unknown. */
  perPage: number | null
  /**
   * Minimum time in milliseconds at your rate limit, if nothing else is sent; 0 if the service documents no limit.
   */
  duration: number
  /** How the numbers come about, in a sentence. */
  why: string
}

/**
 * @param params Of the call.
 * @param perMinute Requests that may be sent to a surface in a minute.
 */
export function quoteOf(
  operation: Operation,
  perMinute: number,
  params: object,
  options: QuoteOptions = {},
): Quote {
  const { id, price, paging, surface, list = 'items' } = operation
  assertOptions(options, { pages: true })
  const pages = wholeNumber('pages', options.pages ?? 1)
  if (pages > 1 && paging === undefined)
    throw new ConfigurationError(`has no pages; leave pages out, got ${pages}`, { operation: id })
  const perPage = worstCase(price, params)
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
  const most = worstCase({ ...price, credits: 1 }, params)
  const bound = price.ceiling?.param
  const items = bound ? `${most} ${list} (${bound})` : `the ${list}`
  const unbounded = price.ceiling ? '' : `; the service documents no bound`
  return quoted(bound ? perPage : null, `${each} for each of ${items}${forPages}${unbounded}`)
}
