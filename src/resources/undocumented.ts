import type { AnyCallOptions, OpenListOptions, SchemaOption } from '../core/options/types.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenBody, OpenParams, OpenRecord } from '../contract/undocumented.ts'
import type { Operation } from '../contract/operation.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import { type PageFields, PagedCall } from '../core/pages/paged-call.ts'
import type { Transport } from '../core/call/transport.ts'

/** What a caller's schema makes of a record. */
export type Output<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>

/**
 * One page of a list whose shape is not documented. Awaiting the list always gives it; walking the list needs the items
 * and the next page, which are looked for where the documented endpoints have them: an array under the resource's name,
 * `meta.hasMore`, `meta.nextCursor`. That is an inference; the option `paging` overrides it.
 */
export interface OpenPage extends OpenBody, PageFields<OpenRecord> {}

/** The same with the records that a schema makes, under the name of the list or that of `paging.items`. */
export type OpenPageOf<Schema extends StandardSchemaV1, Name extends string> = OpenPage & {
  [List in Name]: Output<Schema>[]
}

/** Options of such a list with a schema for its records. */
export type SchemaListOptions<Schema extends StandardSchemaV1, Name extends string> = OpenListOptions &
  SchemaOption<Schema> & { paging?: { items?: Name | undefined } | undefined }

/** A list whose params and answer pass through. */
export function openList(transport: Transport, operation: Operation) {
  return (params: OpenParams = {}, options?: AnyCallOptions): PagedCall<never, never> =>
    new PagedCall(transport, operation, params, options)
}

/** A call whose params and answer pass through. */
export function openCall(transport: Transport, operation: Operation) {
  return (params: OpenParams = {}, options?: AnyCallOptions): ApiCall<never> =>
    new ApiCall(transport.request(operation, params, options))
}

/** A record by its id. */
export function openGet(transport: Transport, operation: Operation) {
  return (id: string, options?: AnyCallOptions): ApiCall<never> =>
    new ApiCall(transport.request(operation, {}, options, id))
}
