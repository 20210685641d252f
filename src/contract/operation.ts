import type { Check } from './schema.ts'

/** A permission that a credential carries. */
export type Scope =
  'mentions:read' | 'mentions:write' | 'listeners:read' | 'feeds:read' | 'org:read' | 'search:read'

/**
 * A group of search operations that share one budget of requests a minute. The service does not define
 * the term; one surface for each network is this SDK's reading, and `limits.surfaces` overrides it.
 */
export type Surface = 'microblog' | 'professionalnet' | 'technews'

/** What one successful call costs, in credits. */
export type Price = { readonly kind: 'free' } | { readonly kind: 'fixed'; readonly credits: number }

/** A list response: which property holds the items, and what is checked apart from them. */
export interface ListShape {
  /** Name of the array in the body. */
  readonly property: string
  /** Checks one item. */
  readonly item: Check
}

/** How the next page is asked for: a cursor from the last answer goes into a field of the request. */
export interface CursorPaging {
  readonly kind: 'cursor'
  /** Request field that takes the cursor. */
  readonly param: string
}

/** One endpoint of the service, as data. Everything that depends on an endpoint reads it from here. */
export interface Operation {
  /** Stable name, also shown in errors and in the ledger: `microblog.search`. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Path below the base URL, with a leading slash. */
  readonly path: string
  /** Scopes that a credential needs, all of them. */
  readonly scopes: readonly Scope[]
  /** The search surface whose pace the call counts towards; null where the service states no limit. */
  readonly surface: Surface | null
  readonly price: Price
  /** Timeout of one attempt that the service recommends, in milliseconds; absent where it recommends none. */
  readonly timeoutMs?: number
  /** Checks what is sent, before it is sent. */
  readonly request: Check
  /** Checks what came back; the items of a list are left to `list.item`. */
  readonly response: Check
  readonly list?: ListShape
  readonly paging?: CursorPaging
}
