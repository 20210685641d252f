import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenBody, OpenRecord } from '../api/endpoints/undocumented.ts'
import type { Operation, Paging, PathId } from '../api/operation.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import { type PageFields, PagedCall } from '../core/pages/paged-call.ts'
import type { AnyCallOptions, OpenListOptions, SchemaOption } from '../core/options/options.ts'
import { type Transport, clientTransport } from '../core/call/transport.ts'

/**
 * Params or a body that the service does not document: your own interface, or any fields. No list, map or `URLSearchParams`, and no
 * option, which comes after the params.
 */
export type OpenParams<Options = OpenListOptions & SchemaOption> = (
  OpenRecord | (object & { [Symbol.iterator]?: never })
) & { readonly [Name in keyof Options]?: never }

/** The option `schema`, if a call has it. */
export type MaybeSchema = StandardSchemaV1 | undefined

/** What gives a record of an undocumented shape its type: the option `schema`, or a type alone, `list<Mention>()`. */
export type SchemaOrType = object | undefined

/**
 * The type of a record, by the option `schema` or as you state it; `Documented` without either, and where only the
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
export type OpenList<
  Name extends string,
  Schema extends SchemaOrType,
  Limit extends number | undefined = number | undefined,
> = PagedCall<OpenPage<Name, Output<Schema, OpenRecord>>, Output<Schema, OpenRecord>, Limit>

/** A method on an operation, before {@link wired} gives it the types that the option `schema` changes. */
interface Made<Id extends string, Params, Body> {
  (params: never, options?: AnyCallOptions): ApiCall<unknown>
  /** Only a type: what the method takes and returns. */
  readonly of?: { readonly id: Id; readonly takes: (params: Params) => void; readonly returns: Body }
}

/** What the operation of each method must be: of the same name, params and body. Undocumented ones are alike but for the name. */
type Wiring<Id extends string, Member> = Member extends (
  input: infer Input,
  ...rest: never
) => ApiCall<infer Body>
  ? string extends keyof Body
    ? Made<Id, never, unknown>
    : Made<Id, NonNullable<Input>, Omit<Body, keyof PageFields<never>>>
  : { [Name in keyof Member & string]: Wiring<`${Id}.${Name}`, Member[Name]> }

/** Gives methods the types of a resource, whose name begins the ids of their operations. */
export function wired<Name extends string, Resource>(methods: Wiring<Name, Resource>): Resource {
  return methods as unknown as Resource
}

/** A method that walks pages. */
export function paged<Id extends string, Params, Body>(
  transport: Transport,
  operation: Operation<Params, Body> & { id: Id; list: string; paging: Paging },
): Made<Id, Params, Body> {
  const calls = clientTransport(transport)
  return (params: object | undefined, options) =>
    new PagedCall(calls, operation, params === undefined ? {} : params, options)
}

/** A method for one body. */
export function single<Id extends string, Params, Body>(
  transport: Transport,
  operation: Operation<Params, Body> & { id: Id; paging?: never; pathId?: never },
): Made<Id, Params, Body> {
  const calls = clientTransport(transport)
  return (params: object | undefined, options) =>
    new ApiCall(calls.request(operation, params === undefined ? {} : params, options))
}

/** A method for a record by its id. */
export function byId<Id extends string, Body>(
  transport: Transport,
  operation: Operation<unknown, Body> & { id: Id; pathId: PathId; method: 'GET' },
): Made<Id, string, Body> {
  const calls = clientTransport(transport)
  return (id: string, options) => new ApiCall(calls.request(operation, {}, options, id))
}

/** A method that changes a record by its id. */
export function changing<Id extends string, Body>(
  transport: Transport,
  operation: Operation<unknown, Body> & { id: Id; pathId: PathId; method: 'PATCH' },
): Made<Id, string, Body> {
  const calls = clientTransport(transport)
  return ((id: string, body: object, options?: AnyCallOptions) =>
    new ApiCall(calls.request(operation, body, options, id))) as Made<Id, string, Body>
}
