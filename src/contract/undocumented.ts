import * as z from 'zod/mini'
import { isRecord } from './is-record.ts'
import type { Paging } from './operation.ts'
import { type Check, check } from './schema.ts'

/** A value whose fields the service does not document. */
export interface OpenRecord {
  [field: string]: unknown
}

/** A body of which no more is documented than the id of the request. */
export interface OpenBody extends OpenRecord {
  /** The service's id of this request, for its support. */
  requestId: string
}

/** Accepts every object: what the service takes here is not documented, so it is the judge. */
export const openParams: Check = check<OpenRecord>(() => z.record(z.string(), z.unknown()))

/** Checks what every body of the data endpoints has. */
const openBody: Check = check<{ requestId: string }>(() => z.object({ requestId: z.string() }))

const accepts = (body: unknown) => isRecord(body) && typeof body['requestId'] === 'string'

/** What the operations on an organization's own data have in common. */
export const openRead = {
  method: 'GET',
  surface: null,
  price: { kind: 'free' },
  documented: false,
  request: openParams,
  response: openBody,
  accepts,
} as const

/** Paging as the documented searches have it: an inference, which callers can override. */
export const openCursor = { kind: 'cursor', param: 'cursor' } as const satisfies Paging

/** What the paid searches have in common whose shapes are not documented. */
export const openSearch = {
  method: 'POST',
  scopes: ['search:read'],
  documented: false,
  request: openParams,
  response: openBody,
  accepts,
  paging: openCursor,
} as const
