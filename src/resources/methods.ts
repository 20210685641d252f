import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenBody, OpenRecord } from '../api/undocumented.ts'
import type { Operation, Paging } from '../api/operation.ts'
import type { PathId } from '../api/path-id.ts'
import type { Schema } from '../api/schema/schema.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import { type PageFields, PagedCall } from '../core/pages/paged-call.ts'
import type { AnyCallOptions } from '../core/options/types.ts'
import { type Transport, clientTransport } from '../core/call/transport.ts'

/** The option `schema`, if a call has it. */
export type MaybeSchema = StandardSchemaV1 | undefined

/** What gives a record of an undocumented shape its type: the option `schema`, or a type alone, `list<Mention>()`. */
export type SchemaOrType = object | undefined

/**
 * The type of a record, by the option `schema` or as the caller states it; `Documented` without either, and where only the
 * type of the method is looked at: `ReturnType<Microblog['search']>`.
 */
export type Output<Given extends SchemaOrType, Documented> = [MaybeSchema] extends [Given]
  ? Documented
  : Given extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Given>
    : Given extends object
      ? Given
      : Documented

/**
 * One page of a list whose shape is not documented. To read several pages, the client guesses where its items and the next
 * page are: an array under the resource's name, `meta.hasMore` and `meta.nextCursor`. The option `paging` says otherwise.
 *
 * The option `schema` checks each item and gives it your type.
 */
export type OpenPage<Name extends string = never, Item = OpenRecord> = OpenBody &
  PageFields<OpenRecord> & { [List in Name]: Item[] }

/** A list whose shape is not documented. */
export type OpenList<Name extends string, Schema extends SchemaOrType> = PagedCall<
  OpenPage<Name, Output<Schema, OpenRecord>>,
  Output<Schema, OpenRecord>
>

/** The params that an operation takes. The interfaces of the resources have their types by name, for the hover. */
type Params<Op extends Operation> = Op['request'] extends Schema<infer Value> ? Value : never

/** A method that walks pages. `withoutParams` stands for params that a caller may leave out. */
export function paged<const Op extends Operation & { list: string; paging: Paging }>(
  transport: Transport,
  operation: Op,
  withoutParams?: Params<Op>,
) {
  const calls = clientTransport(transport)
  return (params = withoutParams, options?: AnyCallOptions): PagedCall<never, never> =>
    new PagedCall(calls, operation, params as object, options)
}

/** A method for one body. `withoutParams` stands for params that a caller may leave out. */
export function single<const Op extends Operation & { paging?: never; pathId?: never }>(
  transport: Transport,
  operation: Op,
  withoutParams?: Params<Op>,
) {
  const calls = clientTransport(transport)
  return (params = withoutParams, options?: AnyCallOptions): ApiCall<never> =>
    new ApiCall(calls.request(operation, params as object, options))
}

/** A method for a record by its id. */
export function byId(transport: Transport, operation: Operation & { pathId: PathId; method: 'GET' }) {
  const calls = clientTransport(transport)
  return (id: string, options?: AnyCallOptions): ApiCall<never> =>
    new ApiCall(calls.request(operation, {}, options, id))
}
