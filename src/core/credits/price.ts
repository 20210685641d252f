import { type PagingOverride, itemsOf } from '../../api/list-items.ts'
import type { Operation, Price } from '../../api/operation.ts'
import { count } from '../../lib/count.ts'
import { organizationLimits } from '../../api/limits.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { assertOptions, wholeNumber } from '../../errors/check-options.ts'
import { rounded } from './budget.ts'

/** What one call cost in all its attempts, in credits. */
export interface CallCredits {
  spent: number
  /** Credits that may have been charged. */
  uncertain: number
}

/**
 * Items to expect if neither the service nor the user names a bound. An assumption of this package: the documented
 * maximum of post comments.
 */
export const assumedItems = 1000

/**
 * The highest cost of one success in credits; null for a free operation.
 *
 * @param params Of the request, which may bound the items.
 * @param expectedItems The most items to expect, as the user says; a documented bound below it counts.
 */
export function worstCase(price: Price, params: object, expectedItems?: number): number | null {
  if (price.kind === 'free') return null
  if (price.kind === 'perRequest') return price.credits
  const expected = price.bound === null ? (expectedItems ?? assumedItems) : price.bound.default
  const maxItems = price.bound && (params as Record<string, unknown>)[price.bound.param]
  const bound = price.bound !== null && typeof maxItems === 'number' ? maxItems : expected
  return price.credits * Math.min(bound, expectedItems ?? bound)
}

/** The cost of a success in credits; null if the body does not show it. */
export function costOf(operation: Operation, body: unknown, paging?: PagingOverride): number | null {
  const { price } = operation
  if (price.kind === 'free') return 0
  if (price.kind === 'perRequest') return price.credits
  if (typeof body !== 'object' || body === null) return null
  const charged = (body as { meta?: { creditsCharged?: unknown } | null }).meta?.creditsCharged
  if (charged !== undefined)
    return Number.isSafeInteger(charged) && Number(charged) >= 0 ? Number(charged) : null
  const items = itemsOf(operation, body, paging)
  return items === null ? null : items.length * price.credits
}

/** Options of a quote: those of the call that bound its cost. */
export interface QuoteOptions {
  /** How many pages. Default 1, or as many as `limit` takes. An empty last page costs as much as the others. */
  maxPages?: number | undefined
  /** How many items, on full pages. */
  limit?: number | undefined
  /** How many comments or reactions you expect. */
  expectedItems?: number | undefined
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
  assertOptions(options, { maxPages: true, limit: true, expectedItems: true })
  const expectedItems =
    options.expectedItems === undefined ? undefined : wholeNumber('expectedItems', options.expectedItems)
  const { pages, ifFull } = pagesOf(operation, params, options)
  const perPage = worstCase(price, params, expectedItems)
  const quoted = (perPage: number | null, why: string): Quote => ({
    // Items are counted on all pages together.
    atMost: price.kind === 'perItem' ? perPage : perPage && pages && rounded(perPage * pages),
    perPage,
    duration: surface === null ? 0 : Math.floor(((pages ?? 1) - 1) / perMinute) * organizationLimits.windowMs,
    why,
  })
  if (price.kind === 'free' || perPage === null) return quoted(0, `${id} is free`)

  const each = count(price.credits, 'credit')
  const forPages = !paging
    ? ''
    : pages === null
      ? '; the number of pages is unknown'
      : ` for ${count(pages, 'page')}${ifFull}`
  if (price.kind === 'perRequest') return quoted(perPage, `${each} a ${paging ? 'page' : 'call'}${forPages}`)
  const bound = price.bound?.param
  if (!bound && expectedItems === undefined)
    return quoted(
      null,
      `${each} for each of the ${list}; the service documents no bound, so the most is unknown`,
    )
  const most = worstCase({ ...price, credits: 1 }, params, expectedItems)
  const why = most === expectedItems ? ', as expected' : ` (${bound})`
  return quoted(perPage, `${each} for each of ${most} ${list}${why}`)
}

/** How many pages the options ask for; null if nobody knows how many items a page has. */
function pagesOf({ id, paging }: Operation, params: object, { maxPages, limit }: QuoteOptions) {
  const most = wholeNumber('maxPages', maxPages ?? 1)
  if (most > 1 && paging === undefined)
    throw new ConfigurationError(`has no pages; leave maxPages out, got ${most}`, { operation: id })
  if (limit === undefined || paging === undefined) return { pages: most, ifFull: '' }
  const items = wholeNumber('limit', limit)
  const { size } = paging
  if (size === undefined) return { pages: maxPages === undefined ? null : most, ifFull: '' }
  const given = (params as Readonly<Record<string, unknown>>)[size.param]
  const needed = Math.ceil(items / (typeof given === 'number' ? given : size.default))
  return needed < (maxPages ?? Infinity)
    ? { pages: needed, ifFull: ', if they are full' }
    : { pages: most, ifFull: '' }
}
