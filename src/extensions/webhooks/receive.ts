import { ConfigurationError } from '../../errors/index.ts'
import { readBytes } from '../../lib/read-bytes.ts'
import { within } from '../../lib/abort.ts'
import { parsed } from '../../lib/json.ts'
import { type Names, assertFunction, assertOptions, wholeNumber } from '../../errors/check-options.ts'
import { logOnce, report } from '../../errors/on-error.ts'
import { runAside } from '../../lib/thrown.ts'

/** A request from the service, read completely. */
export interface Delivery {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  /** The raw body, to check a signature. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** Decides whether a request is genuine. */
export type Verify = (delivery: Delivery) => boolean | Promise<boolean>

/** Options of a receiver. */
export interface ReceiveOptions {
  /**
   * Decides whether a request is genuine. The service documents no signing, so you choose the check: a secret in the
   * URL or a header, a signature, an address. If it throws, the request is refused.
   */
  verify: Verify
  /** Maximum size of a body, in bytes. Default 1 MiB. */
  maxBodyBytes?: number | undefined
  /** Called with errors of `verify`, and of the work on a verified request. Default: `console.error` gets each cause once,
   * without the text of your own errors. */
  onError?: ((error: unknown) => unknown) | undefined
  /** Called with the work that continues after the response, for platforms that would otherwise stop it. */
  waitUntil?: ((work: Promise<void>) => void) | undefined
}

export const receiveNames = { verify: true, maxBodyBytes: true, onError: true, waitUntil: true }

const defaultMaxBodyBytes = 2 ** 20

/**
 * Checks the options and fills in `onError`.
 *
 * @throws {ConfigurationError}
 */
export function resolveReceiver<Options extends ReceiveOptions>(
  options: Options,
  known: Names<NoInfer<Options>>,
): Options {
  assertOptions(options, known)
  assertFunction('verify', options.verify)
  if (options.maxBodyBytes !== undefined) wholeNumber('maxBodyBytes', options.maxBodyBytes)
  if (options.onError !== undefined) {
    assertFunction('onError', options.onError)
    return options
  }
  const log = logOnce('thrown by your code')
  return { ...options, onError: (error) => log('the receiver failed', error) }
}

/** Timeout to read and verify a request, in milliseconds, since a sender may never end its body. */
const admissionMs = 10_000

/** Reads and verifies a request; returns a response if it refuses it. Never throws, so the sender sees no error. */
export async function admit(request: Request, options: ReceiveOptions): Promise<Delivery | Response> {
  return within(
    admissionMs,
    () => examine(request, options),
    () => respond(408),
  )
}

async function examine(request: Request, options: ReceiveOptions): Promise<Delivery | Response> {
  const { verify, maxBodyBytes = defaultMaxBodyBytes } = options
  if (request.bodyUsed) {
    report(new ConfigurationError('the body of the request was already read, perhaps by a parser'), options)
    return respond(500)
  }
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') return respond(415, { 'accept-encoding': 'identity' })
  const body = await readBytes(request, maxBodyBytes).catch(() => null)
  if (body === null) return respond(400)
  if (body === 'too large') return respond(413)
  const { method, headers } = request
  const delivery = { method, url: new URL(request.url), headers, body }
  const genuine: unknown = await Promise.resolve(delivery)
    .then(verify)
    .catch((error: unknown) => report(error, options))
  return genuine === true ? delivery : respond(401)
}

/** The body of a request: parsed if it is JSON, otherwise its text. */
export function payloadOf({ body }: Delivery, parse: (text: string) => unknown = JSON.parse): unknown {
  const text = new TextDecoder().decode(body)
  const payload = parsed(text, { parse })
  return payload === undefined ? text : payload
}

/** Adds the request as a hidden property, so that logs do not show secrets of its headers or URL. */
export function withDelivery<T extends object>(
  content: T,
  delivery: Delivery,
): T & { readonly delivery: Delivery } {
  return Object.defineProperty(content, 'delivery', { value: delivery, enumerable: false }) as never
}

/** Responds, then starts the work: a sender that times out would send the same event twice. */
export function acknowledge(work: () => unknown, options: ReceiveOptions): Response {
  const answered = new Promise((resolve) => setTimeout(resolve))
  const done = answered.then(work).then(
    () => {},
    (error: unknown) => report(error, options),
  )
  runAside(
    () => options.waitUntil?.(done),
    (error) => report(error, options),
  )
  return respond(202)
}

export function respond(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers })
}
