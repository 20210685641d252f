import type { StandardSchemaV1 } from '@standard-schema/spec'
import { mentionsCount, mentionsGet, mentionsList, mentionsSetState } from '../contract/mentions.ts'
import type { OpenBody, OpenRecord } from '../contract/open.ts'
import { ApiCall } from '../core/api-call.ts'
import type { Transport } from '../core/transport.ts'
import type { AnyCallOptions, CallOptions, SchemaOption } from '../options.ts'
import { type OpenCall, type OpenGet, type OpenList, openCall, openGet, openList } from './open.ts'

/** Calls about the organization's mentions: what its listeners have found. All are free. */
export interface Mentions {
  /** Lists mentions (`GET /mentions`), newest first or by AI fit score; how to ask for either is not documented. Scope `mentions:read`. */
  list: OpenList
  /** One mention (`GET /mentions/{id}`); its id starts with `men_`. Scope `mentions:read`. */
  get: OpenGet
  /** Counts the mentions that match filters (`GET /mentions/count`). Scope `mentions:read`. */
  count: OpenCall
  /**
   * Changes the state of a mention (`PATCH /mentions/{id}/state`). States, body and answer are not documented. Scopes
   * `mentions:write` and `mentions:read`. Sent once: only what provably did not arrive is repeated.
   */
  setState: OpenSet
}

/** A change of a record, whose body and answer the service does not document. */
export interface OpenSet {
  <Schema extends StandardSchemaV1>(
    id: string,
    body: OpenRecord,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<StandardSchemaV1.InferOutput<Schema>>
  (id: string, body: OpenRecord, options?: CallOptions): ApiCall<OpenBody>
}

/** The methods for mentions on a transport. */
export function mentions(transport: Transport): Mentions {
  return {
    list: openList(transport, mentionsList),
    get: openGet(transport, mentionsGet),
    count: openCall(transport, mentionsCount),
    setState: (id: string, body: OpenRecord, options?: AnyCallOptions) =>
      new ApiCall<never>(transport.request(mentionsSetState, body, options, id)),
  }
}
