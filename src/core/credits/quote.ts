import type { Operation } from '../../api/operation.ts'
import { mostItems } from '../../api/price.ts'
import { count } from '../../lib/count.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { assertOptions, wholeNumber } from '../../errors/check-options.ts'
import { rounded } from './budget.ts'

/** Options of a quote: those of the call that bound its cost. */
export interface QuoteOptions {
  /** How many pages. Default: all. An empty last page costs as much as the others. */
  maxPages?: number | undefined
  /** How many items. It bounds no cost, since pages may have fewer items than they have room for. */
  limit?: number | undefined
  /** How many comments or reactions you expect. It bounds no cost, since more may come. */
  expectedItems?: number | undefined
}

/** What a call costs, and how long it takes at least. */
export interface Quote {
  /**
   * Maximum credits for all pages; null if nothing bounds them, as `why` says. Does not count what `retry: { unknown: true }`
   * may repeat.
   */
  atMost: number | null
  /** Credits if pages are full and as many items come as you expect; null if that is unknown. */
  expected: number | null
  /** Maximum credits for one page; null if nothing bounds them. */
  perPage: number | null
  /**
   * Minimum time in milliseconds at your rate limit, if nothing else is sent and pages are full; null if the number of pages is
   * unknown, or if the service documents no limit.
   */
  duration: number | null
  /** How the numbers come about, in a sentence. */
  why: string
}

/**
 * @param params Of the call.
 * @param limits Of the calls, which may be those of a process.
 */
export function quoteOf(
  operation: Operation,
  { perMinute, windowMs }: { readonly perMinute: number; readonly windowMs: number },
  params: object,
  options: QuoteOptions = {},
): Quote {
  assertOptions(options, { maxPages: true, limit: true, expectedItems: true })
  const { most, full } = pagesOf(operation, params, options)
  const isTimed = operation.surface !== null && full !== null
  return {
    ...costsOf(operation, params, options, most, full),
    duration: isTimed ? Math.floor((full - 1) / perMinute) * windowMs : null,
  }
}

function costsOf(
  { id, price, paging, list = 'items' }: Operation,
  params: object,
  { expectedItems }: QuoteOptions,
  most: number | null,
  full: number | null,
): Omit<Quote, 'duration'> {
  const items = expectedItems === undefined ? null : wholeNumber('expectedItems', expectedItems)
  if (price.kind === 'free') return { atMost: 0, expected: 0, perPage: 0, why: `${id} is free` }
  const { credits } = price
  const each = count(credits, 'credit')
  const forPages = (pages: number | null): number | null => pages && rounded(credits * pages)
  if (price.kind === 'perRequest') {
    const why = paging === undefined ? `${each} a call` : `${each} a page${pagesText(most, full)}`
    return { atMost: forPages(most), expected: forPages(full), perPage: credits, why }
  }
  const expectation = items === null ? '' : `; ${items} expected`
  if (price.bound === null) {
    const why = `${each} for each of the ${list}; the service documents no bound, so the most is unknown`
    return { atMost: null, expected: forPages(items), perPage: null, why: why + expectation }
  }
  const bound = mostItems(price.bound, params)
  const why = `${each} for each of ${bound} ${list} (${price.bound.param})${expectation}`
  const perPage = rounded(credits * bound)
  return {
    ...{ atMost: most && perPage * most, perPage, why },
    expected: items && forPages(Math.min(items, bound)),
  }
}

/** How many pages a price is for. */
function pagesText(most: number | null, full: number | null): string {
  if (full === null) return '; the number of pages is unknown'
  if (most === full) return ` for ${count(most, 'page')}`
  const ifFull = `for ${count(full, 'page')} if they are full`
  return most === null
    ? ` ${ifFull}; pages may have less, so the most is unknown`
    : ` ${ifFull}, at most ${most}`
}

/** How many pages the options ask for at most, and if they are full; null if nobody knows. */
function pagesOf({ id, paging }: Operation, params: object, { maxPages, limit }: QuoteOptions) {
  if (maxPages !== undefined) wholeNumber('maxPages', maxPages)
  const items = limit === undefined ? undefined : wholeNumber('limit', limit)
  if (paging === undefined) {
    if (maxPages === undefined || maxPages === 1) return { most: 1, full: 1 }
    throw new ConfigurationError(`has no pages; leave maxPages out, got ${maxPages}`, { operation: id })
  }
  const most = maxPages ?? null
  const { size } = paging
  if (items === undefined || size === undefined) return { most, full: most }
  const { [size.param]: asked = size.default } = params as Readonly<Record<string, unknown>>
  const full = Math.ceil(items / (typeof asked === 'number' ? asked : size.default))
  return { most, full: Math.min(full, most ?? full) }
}
