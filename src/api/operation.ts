import type { CreditRateName } from './credit-rates.ts'
import type { PathId } from './path-id.ts'
import type { Schema } from './schema/schema.ts'
import type { Scope } from './scopes.ts'

/** What a success costs, in credits. */
export type Price =
  | { readonly kind: 'free' }
  | {
      readonly kind: 'perRequest'
      readonly credits: number
      /** Name under which the service publishes the rate; null if that is not documented. */
      readonly rate: CreditRateName | null
    }
  | {
      readonly kind: 'perItem'
      /** For each item returned. */
      readonly credits: number
      readonly rate: CreditRateName | null
      /** The request field that bounds the items, and its default; null if no bound is documented. */
      readonly ceiling: { readonly param: string; readonly default: number } | null
    }

/**
 * How to request the next page. `cursor`: send `meta.nextCursor`, until `meta.hasMore` is false. `untilEmpty`: count up
 * a number until a page is empty. `counted`: count up to `meta.pageCount`.
 */
export interface Paging {
  readonly kind: 'cursor' | 'untilEmpty' | 'counted'
  /** Request field for the cursor or the number. */
  readonly param: string
  /** The request field that says how many items a full page has, and its default, if the service documents one. */
  readonly size?: { readonly param: string; readonly default: number }
}

/** One endpoint of the service, as data. Code that depends on an endpoint reads it from here. */
export interface Operation<Params = unknown, Body = unknown> {
  /** Stable name, also in errors and in the ledger: `microblog.search`. */
  readonly id: string
  /** What it does, in a few words. */
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the base URL, with a leading slash; `{id}`, or another name in braces, is replaced by the id. */
  readonly path: string
  /** The ids that the path accepts; absent if the path has no id. */
  readonly pathId?: PathId
  /** Scopes that a credential needs; all are required. */
  readonly scopes: readonly Scope[]
  /**
   * The group of search operations whose limit of requests a minute it shares, by default its network; null if the service
   * documents no limit. The service does not define the term.
   */
  readonly surface: string | null
  readonly price: Price
  /** Timeout of one attempt that the service recommends, in milliseconds; absent if it recommends none. */
  readonly timeoutMs?: number
  /** Whether the service documents the request and the response. If not, both pass through unchanged. */
  readonly documented: boolean
  /** Statuses of the documented errors; absent if none is documented. */
  readonly errors?: readonly number[]
  readonly request: Schema<Params>
  readonly response: Schema<Body>
  /** Name of the array in the response, if it is a list. */
  readonly list?: string
  /** The field of its items that no other item has, if the service documents one. */
  readonly unique?: string
  /** What each value of that field starts with, where the items themselves are not documented. */
  readonly uniquePrefix?: string
  /** How to request the next page; inferred from the documented searches if the operation is not documented. */
  readonly paging?: Paging
}
