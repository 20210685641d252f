import * as z from 'zod/mini'
import type { Price } from './price.ts'
import type { Schema } from './schema/schema.ts'
import { type FoundIssue, got } from './issues.ts'

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
  /** What is wrong with params that are within the documented bounds, and would cost credits for nothing. */
  contradictions?(params: Params): FoundIssue[]
  readonly response: Schema<Body>
  /** Whether a success may come without a body: the service does not document the response of a change. */
  readonly mayBeEmpty?: true
  /** Name of the array in the response, if it is a list. */
  readonly list?: string
  /** The field of its items that no other item has, if the service documents one. */
  readonly unique?: string
  /** What each value of that field starts with, where the items themselves are not documented. */
  readonly uniquePrefix?: string
  /** How to request the next page; inferred from the documented searches if the operation is not documented. */
  readonly paging?: Paging
}

/** The effect of a request, which a retry may repeat: none, a charge, or a change of data. */
export type Effect = 'read' | 'metered' | 'write'

export function effectOf({ method, price }: Pick<Operation, 'method' | 'price'>): Effect {
  if (!['GET', 'POST'].includes(method)) return 'write'
  if (price.kind !== 'free') return 'metered'
  return method === 'GET' ? 'read' : 'write'
}

/** The ids that an operation accepts in its path. */
export interface PathId {
  /** Each id starts with it. The characters after it are not documented. Absent if ids are integers. */
  readonly prefix?: string
  readonly schema: Schema
}

export function prefixedId(prefix: string): PathId {
  const schema = z.custom<string>((id) => problemOf(id, prefix) === undefined, {
    error: ({ input }) => problemOf(input, prefix),
  })
  return { prefix, schema }
}

/** Characters that could change the path. Ids that contain one are refused, not escaped. */
const unsafe = /[/\\%?#\s\p{Cc}]|\.\./u

function problemOf(id: unknown, prefix: string): string | undefined {
  if (typeof id !== 'string') return `must be a string, got ${id === null ? 'null' : typeof id}`
  if (!id.startsWith(prefix) || id.length === prefix.length)
    return `must start with ${prefix}, with more after it, got ${got(id)}`
  if (!id.isWellFormed()) return 'must be well-formed Unicode'
  return unsafe.test(id) ? `must not contain / \\ % ? # .. or white space, got ${got(id)}` : undefined
}

/** A permission that a credential carries. */
export type Scope =
  'mentions:read' | 'mentions:write' | 'listeners:read' | 'feeds:read' | 'org:read' | 'search:read'

/** Scopes that an OAuth client may request (service description, part 5). `offline_access` brings a refresh token. */
export type OAuthScope = Scope | 'offline_access'

/** Path of this API in a token's audience, below the API's origin. */
export const audiencePath = '/v1'
