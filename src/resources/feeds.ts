import { feedsGet, feedsList } from '../contract/feeds.ts'
import type { Transport } from '../core/transport.ts'
import { type OpenGet, type OpenList, openGet, openList } from './open.ts'

/** Calls about the organization's feeds: saved filtered views. All are free, with scope `feeds:read`. */
export interface Feeds {
  /** Lists feeds (`GET /feeds`). */
  list: OpenList
  /** One feed (`GET /feeds/{id}`); its id starts with `svw_`. */
  get: OpenGet
}

/** The methods for feeds on a transport. */
export function feeds(transport: Transport): Feeds {
  return { list: openList(transport, feedsList), get: openGet(transport, feedsGet) }
}
