import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenBody, OpenParams, OpenRecord } from '../api/undocumented.ts'
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
 * One page of a list without a documented shape, with its items under the name of the list or of `paging.items`. You can
 * always await it. A walk needs its items and its next page, and looks for them as in documented endpoints: an array
 * under the resource's name, `meta.hasMore`, `meta.nextCursor`. The option `paging` overrides this.
 *
 * The option `schema` checks each item and gives it your type; `social-search infer mentions.list` writes such a schema.
 */
export type OpenPage<Name extends string = never, Item = OpenRecord> = OpenBody &
  PageFields<OpenRecord> & { [List in Name]: Item[] }

/** A list without a documented shape. */
export type OpenList<Name extends string, Schema extends SchemaOrType> = PagedCall<
  OpenPage<Name, Output<Schema, OpenRecord>>,
  Output<Schema, OpenRecord>
>

/** A list of pages. */
type ListOperation = Operation & { readonly list: string; readonly paging: Paging }

/** A call for one body, with params in the body or the query. */
type SingleOperation = Operation & { readonly paging?: never; readonly pathId?: never }

/** A record by its id. */
type RecordOperation = Operation & {
  readonly paging?: never
  readonly pathId: PathId
  readonly method: 'GET'
}

type ValueOf<Checked> = Checked extends Schema<infer Value> ? Value : never
type Params<Op extends Operation> = ValueOf<Op['request']>
type Body<Op extends Operation> = ValueOf<Op['response']>
type List<Op extends Operation> = Op extends { readonly list: infer Name extends string } ? Name : never
type Item<Op extends Operation> =
  Body<Op> extends { [Name in List<Op>]: readonly (infer Each)[] } ? Each : never

/** The body of a list whose records have the type that `schema` gives them. */
type ListBody<Op extends Operation, Schema extends SchemaOrType> = Omit<Body<Op>, List<Op>> & {
  [Name in List<Op>]: Output<Schema, Item<Op>>[]
}

/** What the method of a list must return, by its operation. Its interface has the same types by name, for the hover. */
type ListMethod<Op extends Operation> = Op extends { readonly documented: true }
  ? <Schema extends MaybeSchema = undefined>(
      params: Params<Op>,
      options?: AnyCallOptions,
    ) => PagedCall<ListBody<Op, Schema> & PageFields<Params<Op>>, Output<Schema, Item<Op>>>
  : <Schema extends SchemaOrType = undefined, Name extends string = string>(
      params?: OpenParams,
      options?: AnyCallOptions,
    ) => OpenList<Name, Schema>

/** What the method of a call for one body must return. A schema checks each record of a list, or the whole body. */
type SingleMethod<Op extends Operation> = <Schema extends SchemaOrType = undefined>(
  params: Params<Op>,
  options?: AnyCallOptions,
) => ApiCall<Op extends { readonly list: string } ? ListBody<Op, Schema> : Output<Schema, Body<Op>>>

type RecordMethod<Op extends Operation> = <Schema extends SchemaOrType = undefined>(
  id: string,
  options?: AnyCallOptions,
) => ApiCall<Output<Schema, Body<Op>>>

/** A method that walks pages. `withoutParams` stands for params that a caller may leave out. */
export function paged<const Op extends ListOperation>(
  transport: Transport,
  operation: Op,
  withoutParams?: OpenParams,
): ListMethod<Op> {
  const calls = clientTransport(transport)
  const method = (params = withoutParams, options?: AnyCallOptions): PagedCall<never, never> =>
    new PagedCall(calls, operation, params as object, options)
  // A conditional type stays open inside of its function.
  return method as never
}

/** A method for one body. `withoutParams` stands for params that a caller may leave out. */
export function single<const Op extends SingleOperation>(
  transport: Transport,
  operation: Op,
  withoutParams?: OpenParams,
): SingleMethod<Op> {
  const calls = clientTransport(transport)
  return (params, options) =>
    new ApiCall(calls.request(operation, (params === undefined ? withoutParams : params) as object, options))
}

/** A method for a record by its id. */
export function byId<const Op extends RecordOperation>(
  transport: Transport,
  operation: Op,
): RecordMethod<Op> {
  const calls = clientTransport(transport)
  return (id, options) => new ApiCall(calls.request(operation, {}, options, id))
}
