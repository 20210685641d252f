import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenBody, OpenRecord } from '../contract/open.ts'
import type { Operation } from '../contract/operation.ts'
import { ApiCall } from '../core/api-call.ts'
import { type PageFields, PagedCall } from '../core/paged-call.ts'
import type { Transport } from '../core/transport.ts'
import type { AnyCallOptions, CallOptions, OpenListOptions, SchemaOption } from '../options.ts'

/** One page of a list whose shape is not documented. */
export interface OpenPage extends OpenBody, PageFields<OpenRecord> {}

/**
 * A list whose params and answer the service does not document. Params pass through. Awaiting it always gives the body;
 * walking it needs the items and the next page, which are looked for where the documented endpoints have them: an array
 * under the resource's name, `meta.hasMore`, `meta.nextCursor`. That is an inference; `paging` overrides it.
 */
export interface OpenList<Options = unknown> {
  <Schema extends StandardSchemaV1>(
    params: OpenRecord,
    options: OpenListOptions & Options & SchemaOption<Schema>,
  ): PagedCall<OpenPage, StandardSchemaV1.InferOutput<Schema>>
  (params?: OpenRecord, options?: OpenListOptions & Options): PagedCall<OpenPage, OpenRecord>
}

/** A call whose params and answer the service does not document. Both pass through. */
export interface OpenCall {
  <Schema extends StandardSchemaV1>(
    params: OpenRecord,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<StandardSchemaV1.InferOutput<Schema>>
  (params?: OpenRecord, options?: CallOptions): ApiCall<OpenBody>
}

/** A record by its id, whose fields the service does not document. */
export interface OpenGet {
  <Schema extends StandardSchemaV1>(
    id: string,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<StandardSchemaV1.InferOutput<Schema>>
  (id: string, options?: CallOptions): ApiCall<OpenBody>
}

export function openList<Options>(transport: Transport, operation: Operation): OpenList<Options> {
  return (params: OpenRecord = {}, options?: AnyCallOptions) =>
    new PagedCall<never, never>(transport, operation, params, options)
}

export function openCall(transport: Transport, operation: Operation): OpenCall {
  return (params: OpenRecord = {}, options?: AnyCallOptions) =>
    new ApiCall<never>(transport.request(operation, params, options))
}

export function openGet(transport: Transport, operation: Operation): OpenGet {
  return (id: string, options?: AnyCallOptions) =>
    new ApiCall<never>(transport.request(operation, {}, options, id))
}
