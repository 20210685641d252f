import type { CallOptions, OpenListOptions, SchemaOption } from '../core/options/types.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { feedsGet, feedsList } from '../api/feeds.ts'
import type { OpenBody, OpenParams, OpenRecord } from '../api/undocumented.ts'
import type { ApiCall } from '../core/pages/api-call.ts'
import type { PagedCall } from '../core/pages/paged-call.ts'
import type { Transport } from '../core/call/transport.ts'
import {
  type OpenPage,
  type OpenPageOf,
  type Output,
  type SchemaListOptions,
  openGet,
  openList,
} from './undocumented.ts'

/** Calls about the organization's feeds: saved filtered views. All are free, with scope `feeds:read`. */
export interface Feeds {
  /** Lists feeds (`GET /feeds`); `schema` checks each and gives it your type. Free. */
  list<Schema extends StandardSchemaV1, Name extends string = 'feeds'>(
    params: OpenParams,
    options: SchemaListOptions<Schema, Name>,
  ): PagedCall<OpenPageOf<Schema, Name>, Output<Schema>>
  /** Lists feeds (`GET /feeds`). Free, with scope `feeds:read`. Neither params nor feeds are documented. */
  list(params?: OpenParams, options?: OpenListOptions): PagedCall<OpenPage, OpenRecord>

  /** One feed (`GET /feeds/{id}`); `schema` checks the whole body and gives it your type. Free. */
  get<Schema extends StandardSchemaV1>(
    id: string,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema>>
  /** One feed (`GET /feeds/{id}`); its id starts with `svw_`. Free, with scope `feeds:read`. Its fields are not documented. */
  get(id: string, options?: CallOptions): ApiCall<OpenBody>
}

/**
 * The methods for feeds on a transport.
 *
 * @example
 * const page = await feeds(createTransport({ baseUrl, apiKey })).list()
 */
export function feeds(transport: Transport): Feeds {
  return { list: openList(transport, feedsList), get: openGet(transport, feedsGet) }
}
