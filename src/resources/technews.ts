import { technewsSearch } from '../api/endpoints/technews.ts'
import type { Transport } from '../core/call/transport.ts'
import type { OpenListOptions, SchemaOption } from '../core/options/options.ts'
import { type SchemaOrType, type OpenList, type OpenParams, paged, wired } from './methods.ts'

/** The tech news site. */
export interface Technews {
  /**
   * Searches stories and comments (`POST /data/technews/search`). Each page costs 2 credits. Scope `search:read`.
   * Neither params nor results are documented; `schema` checks each result and gives it your type.
   */
  search<
    Schema extends SchemaOrType = undefined,
    Name extends string = 'posts',
    Limit extends number | undefined = number | undefined,
  >(
    params?: OpenParams,
    options?: OpenListOptions<Name, Limit> & SchemaOption<Schema>,
  ): OpenList<Name, Schema, Limit>
}

/**
 * The tech news site's methods on a transport.
 *
 * @example
 * const page = await technews(createTransport({ baseUrl, apiKey })).search({ query })
 */
export function technews(transport: Transport): Technews {
  return wired<'technews', Technews>({ search: paged(transport, technewsSearch) })
}
