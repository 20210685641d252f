import type { AnyCallOptions, OpenListOptions, SchemaOption } from '../core/options/types.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenBody, OpenParams, OpenRecord } from '../api/undocumented.ts'
import type { Operation } from '../api/operation.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import { type PageFields, PagedCall } from '../core/pages/paged-call.ts'
import type { Transport } from '../core/call/transport.ts'

/** The type that a caller's schema gives a record. */
export type Output<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>

/**
 * One page of a list without a documented shape. You can always await it. A walk needs its items and its next page, and
 * looks for them as in documented endpoints: an array under the resource's name, `meta.hasMore`, `meta.nextCursor`. The
 * option `paging` overrides this.
 */
export interface OpenPage extends OpenBody, PageFields<OpenRecord> {}

/** The same, with items of the schema's type, under the name of the list or of `paging.items`. */
export type OpenPageOf<Schema extends StandardSchemaV1, Name extends string> = OpenPage & {
  [List in Name]: Output<Schema>[]
}

/** Options of a list without a documented shape, with a schema for its records. */
export type SchemaListOptions<Schema extends StandardSchemaV1, Name extends string> = OpenListOptions &
  SchemaOption<Schema> & { paging?: { items?: Name | undefined } | undefined }

/** A list whose params and response pass through. */
export function openList(transport: Transport, operation: Operation) {
  return (params: OpenParams = {}, options?: AnyCallOptions): PagedCall<never, never> =>
    new PagedCall(transport, operation, params, options)
}

/** A call whose params and response pass through. */
export function openCall(transport: Transport, operation: Operation) {
  return (params: OpenParams = {}, options?: AnyCallOptions): ApiCall<never> =>
    new ApiCall(transport.request(operation, params, options))
}

/** A record by its id. */
export function openGet(transport: Transport, operation: Operation) {
  return (id: string, options?: AnyCallOptions): ApiCall<never> =>
    new ApiCall(transport.request(operation, {}, options, id))
}
