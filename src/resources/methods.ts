import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenBody, OpenParams, OpenRecord } from '../api/undocumented.ts'
import type { Operation } from '../api/operation.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import { type PageFields, PagedCall } from '../core/pages/paged-call.ts'
import type { AnyCallOptions } from '../core/options/types.ts'
import { type Transport, clientTransport } from '../core/call/transport.ts'

/** The option `schema`, if a call has it. */
export type MaybeSchema = StandardSchemaV1 | undefined

/**
 * The type that the option `schema` gives a record; `Documented` without it, and where only the type of the method is
 * looked at: `ReturnType<Microblog['search']>`.
 */
export type Output<Schema extends MaybeSchema, Documented> = [MaybeSchema] extends [Schema]
  ? Documented
  : Schema extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Schema>
    : Documented

/**
 * One page of a list without a documented shape, with its items under the name of the list or of `paging.items`. You can
 * always await it. A walk needs its items and its next page, and looks for them as in documented endpoints: an array
 * under the resource's name, `meta.hasMore`, `meta.nextCursor`. The option `paging` overrides this.
 */
export type OpenPage<Name extends string = never, Item = OpenRecord> = OpenBody &
  PageFields<OpenRecord> & { [List in Name]: Item[] }

/** A list without a documented shape. */
export type OpenList<Name extends string, Schema extends MaybeSchema> = PagedCall<
  OpenPage<Name, Output<Schema, OpenRecord>>,
  Output<Schema, OpenRecord>
>

/** A call that walks pages. `withoutParams` stands for params that a caller may leave out. */
export function paged(transport: Transport, operation: Operation, withoutParams?: OpenParams) {
  const calls = clientTransport(transport)
  return (params = withoutParams, options?: AnyCallOptions): PagedCall<never, never> =>
    new PagedCall(calls, operation, params as object, options)
}

/** A call for one body. `withoutParams` stands for params that a caller may leave out. */
export function single(transport: Transport, operation: Operation, withoutParams?: OpenParams) {
  const calls = clientTransport(transport)
  return (params = withoutParams, options?: AnyCallOptions): ApiCall<never> =>
    new ApiCall(calls.request(operation, params as object, options))
}

/** A call for a record by its id. */
export function byId(transport: Transport, operation: Operation) {
  const calls = clientTransport(transport)
  return (id: string, options?: AnyCallOptions): ApiCall<never> =>
    new ApiCall(calls.request(operation, {}, options, id))
}
