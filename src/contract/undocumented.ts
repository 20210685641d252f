import * as z from 'zod/mini'
import { isRecord } from './is-record.ts'
import type { Paging } from './operation.ts'
import { type Check, check } from './schema.ts'

/** A value whose fields the service does not document. */
export interface OpenRecord {
  [field: string]: unknown
}

/** A body whose only documented field is the id of the request. */
export interface OpenBody extends OpenRecord {
  /** The service's id of this request, for its support. */
  requestId: string
}

/** Accepts every object: the params are not documented, so the service checks them. */
export const undocumentedParams: Check = check<OpenRecord>(
  () => z.record(z.string(), z.unknown()),
  (params) =>
    isRecord(params) &&
    // An instance of a class is left to the schema, which refuses it, and refuses symbols as keys.
    (params['constructor'] ?? Object) === Object &&
    Object.getOwnPropertySymbols(params).length === 0,
)

/** Checks the one documented field of every body. */
const undocumentedBody: Check = check<{ requestId: string }>(() => z.object({ requestId: z.string() }))

const acceptsResponse = (body: unknown) => isRecord(body) && typeof body['requestId'] === 'string'

/** Fields shared by the operations on an organization's own data. */
export const undocumentedRead = {
  method: 'GET',
  surface: null,
  price: { kind: 'free' },
  documented: false,
  request: undocumentedParams,
  response: undocumentedBody,
  acceptsResponse,
} as const

/** Paging by cursor, inferred from the documented searches; callers can override it. */
export const inferredCursor = { kind: 'cursor', param: 'cursor' } as const satisfies Paging

/** Fields shared by the paid searches whose shapes are not documented. */
export const undocumentedSearch = {
  method: 'POST',
  scopes: ['search:read'],
  documented: false,
  request: undocumentedParams,
  response: undocumentedBody,
  acceptsResponse,
  paging: inferredCursor,
} as const
