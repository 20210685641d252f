import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type Issue, firstIssues, issuesText } from '../../api/issues.ts'
import { applySchema } from '../../api/schema/check.ts'
import { assertFunction, assertOptions, assertSchema, milliseconds } from '../../errors/check-options.ts'
import { ConfigurationError, SocialSearchError, nameClasses } from '../../errors/index.ts'
import { logOnce } from '../../errors/on-error.ts'
import { within } from '../../lib/abort.ts'
import { parseJson, parsed } from '../../lib/json.ts'
import { readBytes } from '../../lib/read-bytes.ts'
import { runUserCallback } from '../../lib/thrown.ts'

export type { StandardSchemaV1 }

/** A request, read completely. */
export interface Delivery {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  /** The raw body, to check a signature. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** Decides whether a request is genuine. If it throws, the request is refused. */
export type Verify = (delivery: Delivery) => boolean | Promise<boolean>

/** A genuine event. */
export interface ReceivedEvent<Payload = unknown> {
  /** The output of `schema`; without one, the body, parsed if it is JSON. */
  readonly payload: Payload
  /** The request. Not enumerable, so that logs contain no secret from a header or the URL. */
  readonly delivery: Delivery
}

/**
 * An event was genuine, and its payload does not fit the schema of the receiver.
 *
 * @example
 * if (error instanceof InvalidEventError) console.error(error.issues, error.payload)
 */
export class InvalidEventError extends SocialSearchError {
  declare readonly code: 'invalid_event'
  /** How the payload differs from the schema. */
  readonly issues: readonly Issue[]
  /** The payload. Not enumerable, so that logs of the error stay short. */
  declare readonly payload: unknown

  constructor(issues: readonly Issue[], payload: unknown) {
    super('invalid_event', `the payload of the event does not fit the schema: ${issuesText(issues)}`)
    this.issues = issues
    Object.defineProperty(this, 'payload', { value: payload, enumerable: false })
  }
}

nameClasses({ InvalidEventError })

/** Options of {@link createEventReceiver}. */
export interface EventOptions<Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, unknown>> {
  /** Decides whether a request is genuine: `verifyStandardWebhooks()`, or your own check. */
  verify: Verify
  /** Handles an event. The sender gets 202 when it is done, and 500 if it fails; the error goes to `onError`. */
  onEvent: (event: ReceivedEvent<StandardSchemaV1.InferOutput<Schema>>) => unknown
  /** Checks each payload and gives it your type: any Standard Schema. Default: `payload` is `unknown`. */
  schema?: Schema | undefined
  /** Called with each error. Default: `console.error` gets each cause once, without the text of your own errors. */
  onError?: ((error: unknown) => unknown) | undefined
}

/** Largest body that is read, in bytes. */
const maxBodyBytes = 2 ** 20

/** Timeout to read and verify a request, in milliseconds, since a sender may never end its body. */
const admissionMs = 10_000

/**
 * A handler for the events that the service sends, for any server. The service documents neither their payload nor a signature:
 * pass `verify`, and a `schema` if you know one.
 *
 * It answers 202 after `onEvent`, or if the payload does not fit `schema`; 401 if `verify` refuses; 400, 408, 413 or 415 if the
 * request cannot be read; and 500 if `onEvent` fails, so that the sender may try again.
 *
 * @throws {ConfigurationError} for options that cannot work.
 * @example
 * const receive = createEventReceiver({
 *   verify: verifyStandardWebhooks({ secret }),
 *   onEvent: ({ payload }) => save('event', payload),
 * })
 */
export function createEventReceiver<Schema extends StandardSchemaV1 = StandardSchemaV1<unknown, unknown>>(
  options: EventOptions<Schema>,
): (request: Request) => Promise<Response> {
  assertOptions(options, { verify: true, onEvent: true, schema: true, onError: true })
  const { verify, onEvent, schema } = options
  assertFunction('verify', verify)
  assertFunction('onEvent', onEvent)
  if (schema !== undefined) assertSchema(schema)
  if (options.onError !== undefined) assertFunction('onError', options.onError)
  const log = logOnce('thrown by your code')
  const { onError = (error) => log('the receiver failed', error) } = options
  // The sender must not see what the user's function throws.
  const report = (error: unknown): void => runUserCallback(() => onError(error))

  return async (request) => {
    try {
      const delivery = await within(
        admissionMs,
        () => receive(request),
        () => respond(408),
      )
      if (delivery instanceof Response) return delivery
      const text = new TextDecoder().decode(delivery.body)
      const json = parsed(text, { parse: parseJson })
      const raw = json === undefined ? text : json
      const { value: payload, issues } = schema ? await applySchema(schema, raw) : { value: raw, issues: [] }
      const event = Object.defineProperty({ payload }, 'delivery', { value: delivery })
      if (issues.length === 0) await onEvent(event as Parameters<typeof onEvent>[0])
      // The sender cannot correct it by sending it again.
      else report(new InvalidEventError(firstIssues(issues), raw))
      return respond(202)
    } catch (error) {
      report(error)
      return respond(500)
    }
  }

  async function receive(request: Request): Promise<Delivery | Response> {
    if (request.bodyUsed)
      throw new ConfigurationError('the body of the request was already read, perhaps by a parser')
    // Whether a signature covers the compressed bytes is not known.
    const encoding = request.headers.get('content-encoding') ?? 'identity'
    if (encoding.toLowerCase() !== 'identity') return respond(415, { 'accept-encoding': 'identity' })
    const body = await readBytes(request, maxBodyBytes).catch(() => null)
    if (body === null) return respond(400)
    if (body === 'too large') return respond(413)
    const { method, headers } = request
    const delivery = { method, url: new URL(request.url), headers, body }
    const genuine: unknown = await Promise.resolve(delivery).then(verify).catch(report)
    return genuine === true ? delivery : respond(401)
  }
}

function respond(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers })
}

/** Options of {@link verifyStandardWebhooks}. */
export interface StandardWebhooksOptions {
  /** The secret in base64, with or without `whsec_`; a list while you replace one. */
  secret: string | readonly string[]
  /** How old a request may be, in milliseconds. Default 300,000. */
  tolerance?: number | undefined
}

const defaultTolerance = 300_000
const algorithm = { name: 'HMAC', hash: 'SHA-256' }

/**
 * Returns a `verify` for senders that sign as https://www.standardwebhooks.com describes, such as Svix. It checks the
 * signature over id, time and bytes of the body, and refuses requests that are too old. Within that time, a request may
 * still come twice: its `webhook-id` is the same.
 *
 * @throws {ConfigurationError} for options that cannot work; the message holds no secret.
 * @example
 * const verify = verifyStandardWebhooks({ secret: 'whsec_…' })
 */
export function verifyStandardWebhooks(options: StandardWebhooksOptions): Verify {
  assertOptions(options, { secret: true, tolerance: true })
  const { tolerance = defaultTolerance } = options
  milliseconds('tolerance', tolerance)
  const list: readonly unknown[] = [options.secret].flat()
  const secrets = list.map((each) => (typeof each === 'string' ? bytesOf(each.replace(/^whsec_/, '')) : null))
  const isKnown = secrets.length > 0 && secrets.every((secret) => secret !== null)
  if (!isKnown)
    throw new ConfigurationError('`secret` must be in base64, such as whsec_ and 32 characters, or a list')

  return async ({ headers, body }) => {
    const sender = headers.has('svix-id') ? 'svix' : 'webhook'
    const [id, time, given] = ['id', 'timestamp', 'signature'].map((name) => headers.get(`${sender}-${name}`))
    if (!id || !given || !time || !/^\d+$/.test(time)) return false
    if (Math.abs(Date.now() - Number(time) * 1000) > tolerance) return false
    const signed = await new Blob([`${id}.${time}.`, body]).arrayBuffer()
    const signatures = given
      .split(' ')
      .flatMap((each) => (each.startsWith('v1,') ? (bytesOf(each.slice(3)) ?? []) : []))
    // Once for each secret: a stranger may send many signatures with a large body.
    const expected = await Promise.all(
      secrets.map(async (secret) => {
        const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
        return new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
      }),
    )
    // All are compared, so that the time does not tell which one it was.
    return signatures.flatMap((one) => expected.map((other) => areEqual(one, other))).includes(true)
  }
}

/** Compares all bytes, so that the time does not tell where they differ. */
function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.reduce((sum, byte, i) => sum | (byte ^ (other[i] ?? 0)), 0) === 0
}

/** Null unless the text is base64: of the texts that `atob` decodes to the same bytes, only one is the signature. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return null
  const text = atob(base64)
  return btoa(text) === base64 ? Uint8Array.from(text, (character) => character.charCodeAt(0)) : null
}
