import { listenersGet, listenersList } from '../contract/listeners.ts'
import type { Transport } from '../core/transport.ts'
import { type OpenGet, type OpenList, openGet, openList } from './open.ts'

/** Calls about the organization's listeners: brand or keyword monitors. All are free, with scope `listeners:read`. */
export interface Listeners {
  /** Lists listeners (`GET /listeners`). */
  list: OpenList
  /** One listener (`GET /listeners/{id}`); its id starts with `lis_`. */
  get: OpenGet
}

/** The methods for listeners on a transport. */
export function listeners(transport: Transport): Listeners {
  return { list: openList(transport, listenersList), get: openGet(transport, listenersGet) }
}
