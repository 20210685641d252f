import type { StandardSchemaV1 } from '@standard-schema/spec'
import { applySchema } from '../core/call/apply-schema.ts'
import { assertFunction, assertOptions, assertSchema, shown } from '../core/lib/assert.ts'
import { firstIssues } from '../contract/issues.ts'
import { parsed } from '../core/http/dialect.ts'
import {
  type Delivery,
  type ReceiveOptions,
  accepted,
  acknowledge,
  admit,
  assertReceiver,
  receiveNames,
  refusal,
  report,
  withDelivery,
} from '../webhooks/receive.ts'
import { ConfigurationError } from '../errors.ts'
import { InvalidEventError } from './invalid-event.ts'

/** An event that was let in. */
export interface ReceivedEvent<Payload = unknown> {
  /** What the schema makes of the body; without one, the body: parsed where it is JSON, otherwise its text. */
  readonly payload: Payload
  /** What `id` says, or else the SHA-256 of the body in hex. */
  readonly id: string
  /** The request. Not enumerable, so that a log of the event has no secret that came in a header or in the URL. */
  readonly delivery: Delivery
}

type MaybePromise<T> = T | Promise<T>

/** Which events are too old to be let in, or come from the future. */
export interface ReplayOptions {
  /** When an event was sent, in seconds since 1970, or as a `Date`; what is not to be found out counts as too old. */
  timestamp: (delivery: Delivery) => MaybePromise<number | Date | null | undefined>
  /** Seconds that it may be off, in either direction. Default 300. */
  tolerance?: number | undefined
}

/** How events are received. */
export interface EventOptions<
  Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, unknown>,
> extends ReceiveOptions {
  /** Does the work. It starts when the event has been acknowledged; what it throws goes to `onError`. */
  onEvent: (event: ReceivedEvent<StandardSchemaV1.InferOutput<Schema>>) => unknown
  /** Checks each payload, and gives it your type: any Standard Schema. */
  schema?: Schema | undefined
  /**
   * What happens to an event that does not fit the schema. `onError` hears of it in any case, with an
   * `InvalidEventError`. `acknowledge`: the answer is 202, since the sender can hardly do better next time. `refuse`: it
   * is 422, if your sender keeps refused events for review. Default `acknowledge`.
   */
  mismatch?: 'acknowledge' | 'refuse' | undefined
  /** Media types to let in; two asterisks with a slash between them for any, or none. Default `application/json`. */
  contentTypes?: readonly string[] | undefined
  /** Refuses what was sent too long ago. The time should be signed, see `timestampHeader` of `verifyHmac`. Default: nothing is too old. */
  replay?: ReplayOptions | undefined
  /** What tells an event from others. Default: the SHA-256 of the body, which takes equal bodies for one event. */
  id?: ((delivery: Delivery, payload: unknown) => MaybePromise<string>) | undefined
  /**
   * Whether an event has been here before; it should remember the id in the same step. Such an event is acknowledged
   * again, and no work is done. Default: each counts as new.
   */
  seen?: ((id: string) => MaybePromise<boolean>) | undefined
}

const eventNames: Record<keyof EventOptions, true> = {
  ...receiveNames,
  ...{ onEvent: true, schema: true, mismatch: true, contentTypes: true, replay: true, id: true, seen: true },
}

const defaultToleranceSeconds = 300

/**
 * Makes a receiver for the events that the service sends by HTTP POST, for any server that speaks in `Request` and
 * `Response`. Kinds of events, their payload, delivery and signing are not documented: `verify` and `schema` are yours.
 *
 * It answers 202 to what it lets in, 401 where `verify` says no or the time is off, 405, 408, 413 and 415 to what no event is
 * like, and 500 where `id` or `seen` fails, or somebody has read the body before, so that the event may come again. Nothing
 * is thrown at the sender.
 *
 * @throws {ConfigurationError} for options that cannot work.
 */
export function createEventReceiver<Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, unknown>>(
  options: EventOptions<Schema>,
): (request: Request) => Promise<Response> {
  const { schema, mismatch = 'acknowledge', contentTypes = ['application/json'], seen } = options
  assertReceiver(options, eventNames)
  assertEvents(options as unknown as EventOptions)

  async function receive(request: Request): Promise<Response> {
    if (request.method !== 'POST') return refusal(405, { allow: 'POST' })
    if (!isAmong(contentTypes, request.headers.get('content-type'))) return refusal(415)
    const delivery = await admit(request, options)
    if (delivery instanceof Response) return delivery
    if (!(await isFresh(delivery, options))) return refusal(401)

    const text = new TextDecoder().decode(delivery.body)
    const value = parsed(text)
    const raw = value === undefined ? text : value
    const { value: payload, issues } = schema ? await applySchema(schema, raw) : { value: raw, issues: [] }
    if (issues.length > 0) {
      report(new InvalidEventError(firstIssues(issues), raw), options)
      return mismatch === 'refuse' ? refusal(422) : accepted()
    }
    const id: unknown = await (options.id ? options.id(delivery, payload) : hashOf(delivery.body))
    if (typeof id !== 'string' || id === '') {
      throw new ConfigurationError(`id must return a string that is not empty, got ${shown(id)}`)
    }
    const known: unknown = seen === undefined ? false : await seen(id)
    // Taken for a yes, what a store says of a new id would drop every event.
    if (typeof known !== 'boolean') {
      throw new ConfigurationError(`seen must return true or false, got ${shown(known)}`)
    }
    if (known) return accepted()
    const event = withDelivery({ payload, id }, delivery)
    return acknowledge(() => options.onEvent(event), options)
  }

  return async (request) => {
    try {
      return await receive(request)
    } catch (error) {
      report(error, options)
      return refusal(500)
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
  if (mismatch !== undefined && !['acknowledge', 'refuse'].includes(mismatch)) {
    throw new ConfigurationError(`mismatch must be acknowledge or refuse, got ${shown(mismatch)}`)
  }
  if (contentTypes !== undefined && !(Array.isArray(contentTypes) && contentTypes.every(isMediaType))) {
    throw new ConfigurationError('contentTypes must be a list of media types such as application/json')
  }
  if (replay === undefined) return
  assertOptions(replay, { timestamp: true, tolerance: true }, 'replay')
  assertFunction('replay.timestamp', replay.timestamp)
  const { tolerance = defaultToleranceSeconds } = replay
  if (!(Number.isFinite(tolerance) && tolerance >= 0)) {
    throw new ConfigurationError(`replay.tolerance must be a number of seconds, got ${shown(tolerance)}`)
  }
}

function isMediaType(value: unknown): boolean {
  return value === '*/*' || (typeof value === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(value))
}

/** Parameters such as a charset make no difference. */
function isAmong(contentTypes: readonly string[], given: string | null): boolean {
  const type = (given ?? '').split(';', 1)[0]?.trim().toLowerCase()
  return contentTypes.some((each) => each === '*/*' || each.toLowerCase() === type)
}

async function isFresh(
  delivery: Delivery,
  options: Pick<EventOptions, 'replay' | 'onError'>,
): Promise<boolean> {
  if (options.replay === undefined) return true
  const { timestamp, tolerance = defaultToleranceSeconds } = options.replay
  try {
    const sent = await timestamp(delivery)
    const ms = sent instanceof Date ? sent.getTime() : typeof sent === 'number' ? sent * 1000 : NaN
    return Math.abs(Date.now() - ms) <= tolerance * 1000
  } catch (error) {
    report(error, options)
    return false
  }
}

async function hashOf(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
