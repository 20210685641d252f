import type { CallOptions, OpenListOptions, SchemaOption } from '../core/options/types.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { listenersGet, listenersList } from '../api/listeners.ts'
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

/** Calls about the organization's listeners: brand or keyword monitors. All are free, with scope `listeners:read`. */
export interface Listeners {
  /** Lists listeners (`GET /listeners`); `schema` checks each and gives it your type. Free. */
  list<Schema extends StandardSchemaV1, Name extends string = 'listeners'>(
    params: OpenParams,
    options: SchemaListOptions<Schema, Name>,
  ): PagedCall<OpenPageOf<Schema, Name>, Output<Schema>>
  /** Lists listeners (`GET /listeners`). Free, with scope `listeners:read`. Neither params nor listeners are documented. */
  list(params?: OpenParams, options?: OpenListOptions): PagedCall<OpenPage, OpenRecord>

  /** One listener (`GET /listeners/{id}`); `schema` checks the whole body and gives it your type. Free. */
  get<Schema extends StandardSchemaV1>(
    id: string,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema>>
  /** One listener (`GET /listeners/{id}`); its id starts with `lis_`. Free, with scope `listeners:read`. Its fields are not documented. */
  get(id: string, options?: CallOptions): ApiCall<OpenBody>
}

/**
 * The methods for listeners on a transport.
 *
 * @example
 * const page = await listeners(createTransport({ baseUrl, apiKey })).list()
 */
export function listeners(transport: Transport): Listeners {
  return { list: openList(transport, listenersList), get: openGet(transport, listenersGet) }
}
