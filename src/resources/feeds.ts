import type { OpenBody } from '../api/endpoints/undocumented.ts'
import { feedsGet, feedsList } from '../api/endpoints/feeds.ts'
import type { Transport } from '../core/call/transport.ts'
import type { CallOptions, OpenListOptions, SchemaOption } from '../core/options/options.ts'
import type { ApiCall } from '../core/pages/api-call.ts'
import {
  type SchemaOrType,
  type OpenList,
  type OpenParams,
  type Output,
  byId,
  paged,
  wired,
} from './methods.ts'

/** Your organization's feeds: saved filtered views. All calls are free, with scope `feeds:read`. */
export interface Feeds {
  /**
   * Lists feeds (`GET /feeds`). Free, with scope `feeds:read`. The service documents neither params nor
   * feeds; `schema` checks each and gives it your type.
   */
  list<
    Schema extends SchemaOrType = undefined,
    Name extends string = 'feeds',
    Limit extends number | undefined = number | undefined,
  >(
    params?: OpenParams,
    options?: OpenListOptions<Name, Limit> & SchemaOption<Schema>,
  ): OpenList<Name, Schema, Limit>

  /**
   * Gets a feed by its id, which starts with `svw_` (`GET /feeds/{id}`). Free, with scope `feeds:read`. Its fields are
   * not documented; `schema` checks the whole body and gives it your type.
   */
  get<Schema extends SchemaOrType = undefined>(
    id: string,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema, OpenBody>>
}

/**
 * The methods for feeds on a transport.
 *
 * @example
 * const page = await feeds(createTransport({ baseUrl, apiKey })).list()
 */
export function feeds(transport: Transport): Feeds {
  return wired<'feeds', Feeds>({ list: paged(transport, feedsList), get: byId(transport, feedsGet) })
}
