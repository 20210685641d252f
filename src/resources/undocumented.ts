import type { AnyCallOptions } from '../core/options/types.ts'
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
