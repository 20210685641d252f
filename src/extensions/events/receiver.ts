import type { StandardSchemaV1 } from '@standard-schema/spec'
import { applySchema } from '../../api/schema/apply-schema.ts'
import { assertFunction, assertOptions, assertSchema, checked } from '../../errors/check-options.ts'
import { firstIssues } from '../../api/issues.ts'
import { sha256 } from '../../lib/hash.ts'
import {
  type Delivery,
  type ReceiveOptions,
  acknowledge,
  admit,
  payloadOf,
  receiveNames,
  resolveReceiver,
  respond,
  withDelivery,
} from '../webhooks/receive.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { report } from '../../errors/on-error.ts'
import { InvalidEventError } from './invalid-event.ts'

/** An accepted event. */
export interface ReceivedEvent<Payload = unknown> {
  /** The output of the schema. Without a schema, the body: parsed if it is JSON, otherwise its text. */
  readonly payload: Payload
  /** The result of `id`, or the SHA-256 of the body in hex. */
  readonly id: string
  /** The request. Not enumerable, so that logs of the event contain no secret from a header or the URL. */
  readonly delivery: Delivery
}

type MaybePromise<T> = T | Promise<T>

/** Rejects events that are too old, or dated in the future. */
export interface ReplayOptions {
  /** Returns when an event was sent, in seconds since 1970, or as a `Date`. An invalid time counts as too old. */
  timestamp: (delivery: Delivery) => MaybePromise<number | Date | null | undefined>
  /** Maximum difference in milliseconds, in either direction. Default 300,000. */
  tolerance?: number | undefined
}

/** Options of a receiver of events. */
export interface EventOptions<
  Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, unknown>,
> extends ReceiveOptions {
  /** Handles an event. Called after the response was sent; errors go to `onError`. */
  onEvent: (event: ReceivedEvent<StandardSchemaV1.InferOutput<Schema>>) => unknown
  /** Checks each payload and gives it your type: any Standard Schema. */
  schema?: Schema | undefined
  /**
   * How to respond to an event that does not fit the schema; `onError` gets an `InvalidEventError` either way.
   * `acknowledge`: 202, because the sender cannot correct it. `refuse`: 422, if your sender keeps refused events for
   * review. Default `acknowledge`.
   */
  mismatch?: 'acknowledge' | 'refuse' | undefined
  /** Accepted media types; two asterisks with a slash between them for any, or none. Default `application/json`. */
  contentTypes?: readonly string[] | undefined
  /**
   * Rejects events that were sent too long ago. The time should be signed, see `timestampHeader` of `verifyHmac`.
   * Default: accepts any age.
   */
  replay?: ReplayOptions | undefined
  /** Returns the id of an event. Default: the SHA-256 of the body, so equal bodies count as one event. */
  id?: ((delivery: Delivery, payload: unknown) => MaybePromise<string>) | undefined
  /**
   * Returns whether an event arrived before, and remembers its id in the same step. A repeated event is acknowledged,
   * but not handled. Default: each event counts as new.
   */
  seen?: ((id: string) => MaybePromise<boolean>) | undefined
}

const defaultTolerance = 300_000

/**
 * Makes a handler for events that the service sends by HTTP POST, for any server of `Request` and `Response`. The
 * service does not document the kinds, payload, delivery or signing of events: you pass `verify` and `schema`.
 *
 * It responds with 202 if it accepts an event, 401 if `verify` refuses or the time is off, and 405, 408, 413 or 415 to
 * requests that cannot be events. It responds with 500 if `id` or `seen` fails, or if the body was already read, so
 * that the sender may retry. The sender never sees an error of yours.
 *
 * @throws {ConfigurationError} for options that cannot work.
 * @example
 * const receive = createEventReceiver({
 *   verify: verifySharedSecret({ secret, query: 'key' }),
 *   onEvent: ({ payload, id }) => save(id, payload),
 * })
 */
export function createEventReceiver<Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, unknown>>(
  options: EventOptions<Schema>,
): (request: Request) => Promise<Response> {
  const own = { schema: true, mismatch: true, contentTypes: true, replay: true, id: true, seen: true }
  options = resolveReceiver(options, { ...receiveNames, onEvent: true, ...own })
  const { schema, mismatch = 'acknowledge', contentTypes = ['application/json'], seen } = options
  assertEvents(options as unknown as EventOptions)

  async function receive(request: Request): Promise<Response> {
    if (request.method !== 'POST') return respond(405, { allow: 'POST' })
    if (!isAmong(contentTypes, request.headers.get('content-type'))) return respond(415)
    const delivery = await admit(request, options)
    if (delivery instanceof Response) return delivery
    if (!(await isFresh(delivery, options))) return respond(401)

    const raw = payloadOf(delivery)
    const { value: payload, issues } = schema ? await applySchema(schema, raw) : { value: raw, issues: [] }
    if (issues.length > 0) {
      report(new InvalidEventError(firstIssues(issues), raw), options)
      return mismatch === 'refuse' ? respond(422) : respond(202)
    }
    const id = await (options.id ? options.id(delivery, payload) : sha256(delivery.body))
    checked(id, typeof id === 'string' && id !== '', 'id must return a string that is not empty')
    const known = seen === undefined ? false : await seen(id)
    // A truthy reply of a store about a new id would otherwise drop every event.
    if (checked(known, typeof known === 'boolean', 'seen must return true or false')) return respond(202)
    const event = withDelivery({ payload, id }, delivery)
    return acknowledge(() => options.onEvent(event), options)
  }

  return async (request) => {
    try {
      return await receive(request)
    } catch (error) {
      report(error, options)
      return respond(500)
    }
  }
}

function assertEvents(options: EventOptions): void {
  assertFunction('onEvent', options.onEvent)
  for (const name of ['id', 'seen'] as const) {
    if (options[name] !== undefined) assertFunction(name, options[name])
  }
  const { schema, mismatch, contentTypes, replay } = options
  if (schema !== undefined) assertSchema(schema)
  const isKnown = [undefined, 'acknowledge', 'refuse'].includes(mismatch)
  checked(mismatch, isKnown, 'mismatch must be acknowledge or refuse')
  if (contentTypes !== undefined && !(Array.isArray(contentTypes) && contentTypes.every(isMediaType))) {
    throw new ConfigurationError('contentTypes must be a list of media types such as application/json')
  }
  if (replay === undefined) return
  assertOptions(replay, { timestamp: true, tolerance: true }, 'replay')
  assertFunction('replay.timestamp', replay.timestamp)
  const { tolerance = defaultTolerance } = replay
  const isDuration = Number.isFinite(tolerance) && tolerance >= 0
  checked(tolerance, isDuration, 'replay.tolerance must be a number of milliseconds')
}

function isMediaType(value: unknown): boolean {
  return value === '*/*' || (typeof value === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(value))
}

/** Media types are compared without parameters such as a charset. */
function isAmong(contentTypes: readonly string[], given: string | null): boolean {
  const type = (given ?? '').split(';', 1)[0]?.trim().toLowerCase()
  return contentTypes.some((each) => each === '*/*' || each.toLowerCase() === type)
}

async function isFresh(
  delivery: Delivery,
  options: Pick<EventOptions, 'replay' | 'onError'>,
): Promise<boolean> {
  if (options.replay === undefined) return true
  const { timestamp, tolerance = defaultTolerance } = options.replay
  try {
    const sent = await timestamp(delivery)
    const ms = sent instanceof Date ? sent.getTime() : typeof sent === 'number' ? sent * 1000 : NaN
    return Math.abs(Date.now() - ms) <= tolerance
  } catch (error) {
    report(error, options)
    return false
  }
}
