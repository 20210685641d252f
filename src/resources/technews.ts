import type { OpenListOptions } from '../core/options/types.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenParams, OpenRecord } from '../api/undocumented.ts'
import { technewsSearch } from '../api/technews.ts'
import type { PagedCall } from '../core/pages/paged-call.ts'
import type { Transport } from '../core/call/transport.ts'
import {
  type OpenPage,
  type OpenPageOf,
  type Output,
  type SchemaListOptions,
  openList,
} from './undocumented.ts'

/** Calls about the tech news site. */
export interface Technews {
  /**
   * Searches stories and comments (`POST /data/technews/search`); `schema` checks each and gives it your type. Each page
   * that succeeds is charged.
   */
  search<Schema extends StandardSchemaV1, Name extends string = 'posts'>(
    params: OpenParams,
    options: SchemaListOptions<Schema, Name>,
  ): PagedCall<OpenPageOf<Schema, Name>, Output<Schema>>
  /**
   * Searches stories and comments (`POST /data/technews/search`). Each page that succeeds is charged. Scope
   * `search:read`; counts towards the technews surface. Neither params nor results are documented.
   */
  search(params?: OpenParams, options?: OpenListOptions): PagedCall<OpenPage, OpenRecord>
}

/**
 * The tech news site's methods on a transport.
 *
 * @example
 * const page = await technews(createTransport({ baseUrl, apiKey })).search({ query })
 */
export function technews(transport: Transport): Technews {
  return { search: openList(transport, technewsSearch) }
}
