import type { Paging } from './operation.ts'
import type { Schema } from './schema/schema.ts'
import { anyObject, openBody } from './schema/open.ts'

/** A value whose fields the service does not document. */
export interface OpenRecord {
  [field: string]: unknown
}

/** Params or a body that the service does not document: your own interface, or any fields. No list, map or `URLSearchParams`. */
export type OpenParams = OpenRecord | (object & { [Symbol.iterator]?: never })

/** A body whose only documented field is the id of the request. */
export interface OpenBody extends OpenRecord {
  /** The service's id of this request, for its support. */
  requestId: string
}

const request: Schema<OpenRecord> = anyObject
const response: Schema<OpenBody> = openBody

/** Fields shared by the operations on an organization's own data. */
export const undocumentedRead = {
  method: 'GET',
  surface: null,
  price: { kind: 'free' },
  documented: false,
  request,
  response,
} as const

/** Paging by cursor, inferred from the documented searches; callers can override it. */
export const inferredCursor = { kind: 'cursor', param: 'cursor' } as const satisfies Paging

/** Fields shared by the paid searches whose shapes are not documented. */
export const undocumentedSearch = {
  method: 'POST',
  scopes: ['search:read'],
  documented: false,
  request,
  response,
  paging: inferredCursor,
} as const
