import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type Issue, firstIssues, issuesText } from '../../api/issues.ts'
import { applySchema } from '../../api/schema/check.ts'
import { assertFunction, assertOptions, assertSchema } from '../../errors/check-options.ts'
import { ConfigurationError, SocialSearchError, nameClasses } from '../../errors/index.ts'
import { logOnce } from '../../errors/on-error.ts'
import { within } from '../../lib/abort.ts'
import { parseJson, parsed } from '../../lib/json.ts'
import { readBytes } from '../../lib/read-bytes.ts'
import { runUserCallback } from '../../lib/thrown.ts'
import type { Delivery, Verify } from './verify.ts'

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
