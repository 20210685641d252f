import type { AnyCallOptions, CallOptions, OpenListOptions, SchemaOption } from '../core/options/types.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { mentionsCount, mentionsGet, mentionsList, mentionsSetState } from '../api/mentions.ts'
import type { OpenBody, OpenParams, OpenRecord } from '../api/undocumented.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import type { PagedCall } from '../core/pages/paged-call.ts'
import type { Transport } from '../core/call/transport.ts'
import {
  type OpenPage,
  type OpenPageOf,
  type Output,
  type SchemaListOptions,
  openCall,
  openGet,
  openList,
} from './undocumented.ts'

/** Calls about the organization's mentions: what its listeners have found. All are free. */
export interface Mentions {
  /** Lists mentions (`GET /mentions`); `schema` checks each and gives it your type. Free. */
  list<Schema extends StandardSchemaV1, Name extends string = 'mentions'>(
    params: OpenParams,
    options: SchemaListOptions<Schema, Name>,
  ): PagedCall<OpenPageOf<Schema, Name>, Output<Schema>>
  /**
   * Lists mentions (`GET /mentions`), newest first or by AI fit score. Neither the params that choose nor the mentions
   * are documented. Free, with scope `mentions:read`.
   */
  list(params?: OpenParams, options?: OpenListOptions): PagedCall<OpenPage, OpenRecord>

  /** One mention (`GET /mentions/{id}`); `schema` checks the whole body and gives it your type. Free. */
  get<Schema extends StandardSchemaV1>(
    id: string,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema>>
  /** One mention (`GET /mentions/{id}`); its id starts with `men_`. Free, with scope `mentions:read`. Its fields are not documented. */
  get(id: string, options?: CallOptions): ApiCall<OpenBody>

  /** Counts mentions (`GET /mentions/count`); `schema` checks the whole body and gives it your type. Free. */
  count<Schema extends StandardSchemaV1>(
    params: OpenParams,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema>>
  /** Counts the mentions that match filters (`GET /mentions/count`), which are not documented. Free, with scope `mentions:read`. */
  count(params?: OpenParams, options?: CallOptions): ApiCall<OpenBody>

  /**
   * Changes the state of a mention (`PATCH /mentions/{id}/state`); `schema` checks the whole response and gives it your
   * type.
   */
  setState<Schema extends StandardSchemaV1>(
    id: string,
    body: OpenParams,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema>>
  /**
   * Changes the state of a mention (`PATCH /mentions/{id}/state`). States, body and response are not documented. Free,
   * with scopes `mentions:write` and `mentions:read`. Retried only if the request did not arrive, or after a 429 or
   * 503.
   */
  setState(id: string, body: OpenParams, options?: CallOptions): ApiCall<OpenBody>
}

/**
 * The methods for mentions on a transport.
 *
 * @example
 * const page = await mentions(createTransport({ baseUrl, apiKey })).list()
 */
export function mentions(transport: Transport): Mentions {
  return {
    list: openList(transport, mentionsList),
    get: openGet(transport, mentionsGet),
    count: openCall(transport, mentionsCount),
    setState: (id: string, body: OpenParams, options?: AnyCallOptions) =>
      new ApiCall<never>(transport.request(mentionsSetState, body, options, id)),
  }
}
