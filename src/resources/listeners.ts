import type { OpenBody } from '../api/endpoints/undocumented.ts'
import { listenersGet, listenersList } from '../api/endpoints/listeners.ts'
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

/** Your organization's listeners: brand or keyword monitors. All calls are free, with scope `listeners:read`. */
export interface Listeners {
  /**
   * Lists listeners (`GET /listeners`). Free, with scope `listeners:read`. Neither params nor listeners are documented; `schema` checks
   * each and gives it your type.
   */
  list<
    Schema extends SchemaOrType = undefined,
    Name extends string = 'listeners',
    Limit extends number | undefined = number | undefined,
  >(
    params?: OpenParams,
    options?: OpenListOptions<Name, Limit> & SchemaOption<Schema>,
  ): OpenList<Name, Schema, Limit>

  /**
   * Gets a listener by its id, which starts with `lis_` (`GET /listeners/{id}`). Free, with scope `listeners:read`. Its fields are
   * not documented; `schema` checks the whole body and gives it your type.
   */
  get<Schema extends SchemaOrType = undefined>(
    id: string,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema, OpenBody>>
}

/**
 * The methods for listeners on a transport.
 *
 * @example
 * const page = await listeners(createTransport({ baseUrl, apiKey })).list()
 */
export function listeners(transport: Transport): Listeners {
  return wired<'listeners', Listeners>({
    list: paged(transport, listenersList),
    get: byId(transport, listenersGet),
  })
}
