import type { CreditRateName } from './credits.ts'
import type { PathId } from './path-id.ts'
import type { JsonSchema } from './validate.ts'

/** A permission that a credential carries. */
export type Scope =
  'mentions:read' | 'mentions:write' | 'listeners:read' | 'feeds:read' | 'org:read' | 'search:read'

/**
 * A group of search operations that share one budget of requests a minute. The service does not define
 * the term; one surface for each network is this SDK's reading, and `limits.surfaces` overrides it.
 */
export type Surface = 'microblog' | 'professionalnet' | 'technews'

/** What a success costs, in credits. */
export type Price =
  | { readonly kind: 'free' }
  | {
      readonly kind: 'perRequest'
      readonly credits: number
      /** Name under which the service publishes the rate; null where that is not documented. */
      readonly rate: CreditRateName | null
    }
  | {
      readonly kind: 'perItem'
      /** For each item returned. */
      readonly credits: number
      readonly rate: CreditRateName | null
      /** The request field that bounds the items, and its default; null where no bound is documented. */
      readonly ceiling: { readonly param: string; readonly default: number } | null
    }

/**
 * How the next page is asked for. `cursor`: `meta.nextCursor` goes into a field of the request, until `meta.hasMore` is
 * false. `untilEmpty`: a number is counted up until a page is empty. `counted`: the same, up to `meta.pageCount`.
 */
export interface Paging {
  readonly kind: 'cursor' | 'untilEmpty' | 'counted'
  /** Request field that takes the cursor or the number. */
  readonly param: string
}

/** One endpoint of the service, as data. All code that depends on an endpoint reads it from here. */
export interface Operation {
  /** Stable name, also shown in errors and in the ledger: `microblog.search`. */
  readonly id: string
  /** What it does, in a few words. */
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Path below the base URL, with a leading slash; `{id}`, or another name in braces, stands for the id. */
  readonly path: string
  /** The ids that the path accepts; absent if it has none. */
  readonly pathId?: PathId
  /** Scopes that a credential needs, all of them. */
  readonly scopes: readonly Scope[]
  /** The search surface whose pace the call counts towards; null where the service states no limit. */
  readonly surface: Surface | null
  readonly price: Price
  /** Timeout of one attempt that the service recommends, in milliseconds; absent where it recommends none. */
  readonly timeoutMs?: number
  /** Whether the service documents what is sent and what comes back; where it does not, all of it passes through. */
  readonly documented: boolean
  /** Statuses of the errors that the service documents for it; absent where it documents none. */
  readonly errors?: readonly number[]
  /** What may be sent. */
  readonly request: JsonSchema
  /** What comes back. */
  readonly response: JsonSchema
  /** Name of the array in the answer, if it is a list. */
  readonly list?: string
  /** Where the operation is not documented, the paging is inferred from those that are. */
  readonly paging?: Paging
}
