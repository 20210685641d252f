import { mentionsCount, mentionsGet, mentionsList, mentionsSetState } from '../api/endpoints/mentions.ts'
import type { OpenBody } from '../api/endpoints/undocumented.ts'
import type { Transport } from '../core/call/transport.ts'
import type { CallOptions, OpenListOptions, SchemaOption } from '../core/options/options.ts'
import type { ApiCall } from '../core/pages/api-call.ts'
import {
  type OpenParams,
  type SchemaOrType,
  type OpenList,
  type Output,
  byId,
  changing,
  paged,
  single,
  wired,
} from './methods.ts'

/** Your organization's mentions: what its listeners found. All calls are free. */
export interface Mentions {
  /**
   * Lists mentions (`GET /mentions`), newest first or by AI fit score. Free, with scope `mentions:read`. Neither the params
   * that choose nor the mentions are documented; `schema` checks each and gives it your type.
   */
  list<
    Schema extends SchemaOrType = undefined,
    Name extends string = 'mentions',
    Limit extends number | undefined = number | undefined,
  >(
    params?: OpenParams,
    options?: OpenListOptions<Name, Limit> & SchemaOption<Schema>,
  ): OpenList<Name, Schema, Limit>

  /**
   * Gets a mention by its id, which starts with `men_` (`GET /mentions/{id}`). Free, with scope `mentions:read`. Its fields
   * are not documented; `schema` checks the whole body and gives it your type.
   */
  get<Schema extends SchemaOrType = undefined>(
    id: string,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema, OpenBody>>

  /**
   * Counts the mentions that match filters (`GET /mentions/count`). Free, with scope `mentions:read`. Neither filters nor
   * response are documented; `schema` checks the whole body and gives it your type.
   */
  count<Schema extends SchemaOrType = undefined>(
    params?: OpenParams<CallOptions & SchemaOption>,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema, OpenBody>>

  /**
   * Changes the state of a mention (`PATCH /mentions/{id}/state`). Free, with scopes `mentions:write` and `mentions:read`.
   * Retried only if nothing has changed. If it fails, `error.applied` is `no`, or `unknown` if the state may have changed.
   * States, body and response are not documented; `schema` checks the whole response and gives it your type. An answer of 204
   * gives `{}`.
   */
  setState<Schema extends SchemaOrType = undefined>(
    id: string,
    body: OpenParams<CallOptions & SchemaOption>,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema, Partial<OpenBody>>>
}

/**
 * The methods for mentions on a transport.
 *
 * @example
 * const page = await mentions(createTransport({ baseUrl, apiKey })).list()
 */
export function mentions(transport: Transport): Mentions {
  return wired<'mentions', Mentions>({
    list: paged(transport, mentionsList),
    get: byId(transport, mentionsGet),
    count: single(transport, mentionsCount),
    setState: changing(transport, mentionsSetState),
  })
}
