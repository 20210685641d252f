import * as z from 'zod/mini'
import { got } from '../issues.ts'
import type { Paging } from '../operation.ts'
import { type Schema, described } from '../schema/schema.ts'

/** A record whose fields the service does not document. The option `schema` of a call checks and types it. */
export interface OpenRecord {
  [field: string]: unknown
}

/** A body whose only documented field is the id of the request. */
export interface OpenBody extends OpenRecord {
  /** The service's id of this request, for support. */
  requestId: string
}

export const openBody = z.looseObject({ requestId: z.string() })

/** Any plain object; the service checks it. */
const request: Schema<OpenRecord> = described(
  z.custom<OpenRecord>(isPlainObject, { error: ({ input }) => `must be an object, got ${got(input)}` }),
  { type: 'object' },
)
const response: Schema<OpenBody> = openBody

/** Whether a value is a plain object whose JSON text contains all its properties. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  const isBase = prototype === null || Object.getPrototypeOf(prototype) === null
  return isBase && Object.getOwnPropertySymbols(value).length === 0
}

/** Fields shared by the operations on an organization's own data (service description, parts 4.1 and 4.7). */
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

/** Fields shared by the paid searches whose shapes are not documented (service description, parts 4.1 and 4.7). */
export const undocumentedSearch = {
  method: 'POST',
  scopes: ['search:read'],
  documented: false,
  request,
  response,
  paging: inferredCursor,
} as const
