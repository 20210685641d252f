import { technewsSearch } from '../contract/technews.ts'
import type { Transport } from '../core/transport.ts'
import { type OpenList, openList } from './open.ts'

/** Calls about the tech news site. */
export interface Technews {
  /**
   * Searches stories and comments (`POST /data/technews/search`). Each page that succeeds is charged. Scope
   * `search:read`; counts towards the technews surface. Neither params nor results are documented.
   */
  search: OpenList
}

/** The tech news site's methods on a transport. */
export function technews(transport: Transport): Technews {
  return { search: openList(transport, technewsSearch) }
}
