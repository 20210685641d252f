import { ConfigurationError } from '../errors.ts'
import { readBytes } from '../serve/read-bytes.ts'
import { within } from '../core/lib/abort.ts'
import { assertMethod, assertOptions, wholeNumber } from '../core/lib/assert.ts'

/** A request from outside, read whole. */
export interface Delivery {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  /** The body as it came, for a signature to be checked against. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** Decides whether a request is genuine. */
export type Verify = (delivery: Delivery) => boolean | Promise<boolean>

/** How requests from outside are let in. */
export interface ReceiveOptions {
  /**
   * Decides whether a request is genuine. The service documents no signing, so this is the caller's own check: a secret
   * in the URL or in a header, a signature, an address. Whatever it throws counts as no.
   */
  verify: Verify
  /** Largest body that is read, in bytes. Default 1 MiB. */
  maxBodyBytes?: number | undefined
  /** Hears of what `verify`, or the work on a request that was let in, has thrown. Default: nobody does. */
  onError?: ((error: unknown) => unknown) | undefined
  /** Takes the work that goes on after the answer, where the platform would otherwise stop it. */
  waitUntil?: ((work: Promise<void>) => void) | undefined
}

export const receiveNames: Record<keyof ReceiveOptions, true> = {
  ...{ verify: true, maxBodyBytes: true, onError: true, waitUntil: true },
}

const defaultMaxBodyBytes = 2 ** 20

/** @throws {ConfigurationError} */
export function assertReceiver(options: ReceiveOptions, known: object): void {
  assertOptions(options, known)
  assertMethod('options', options, 'verify')
  if (options.maxBodyBytes !== undefined) wholeNumber('maxBodyBytes', options.maxBodyBytes)
}

/** Longest that a request is read and verified, in milliseconds: anybody can send a body that never ends. */
const admissionMs = 10_000

/** Reads and verifies a request; a response is the refusal. Never throws: a sender learns nothing of what went wrong. */
export async function admit(request: Request, options: ReceiveOptions): Promise<Delivery | Response> {
  return within(
    admissionMs,
    () => examine(request, options),
    () => refusal(408),
  )
}

async function examine(request: Request, options: ReceiveOptions): Promise<Delivery | Response> {
  const { verify, maxBodyBytes = defaultMaxBodyBytes } = options
  if (request.bodyUsed) {
    report(
      new ConfigurationError('the body of the request has been read before, by a parser perhaps'),
      options,
    )
    return refusal(500)
  }
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') return refusal(415, { 'accept-encoding': 'identity' })
  const body = await readBytes(request, maxBodyBytes).catch(() => null)
  if (body === null) return refusal(400)
  if (body === 'too large') return refusal(413)
  const { method, headers } = request
  const delivery = { method, url: new URL(request.url), headers, body }
  const genuine: unknown = await Promise.resolve(delivery)
    .then(verify)
    .catch((error: unknown) => report(error, options))
  return genuine === true ? delivery : refusal(401)
}

/** What the work is given. The request is hidden, so that a log has no secret that came in a header or in the URL. */
export function withDelivery<T extends object>(
  content: T,
  delivery: Delivery,
): T & { readonly delivery: Delivery } {
  return Object.defineProperty(content, 'delivery', { value: delivery, enumerable: false }) as never
}

/** Answers, and starts the work after that: senders give up soon, and would send again what is already being worked on. */
export function acknowledge(work: () => unknown, options: ReceiveOptions): Response {
  const answered = new Promise((resolve) => setTimeout(resolve))
  const done = answered.then(work).then(
    () => {},
    (error: unknown) => report(error, options),
  )
  try {
    options.waitUntil?.(done)
  } catch (error) {
    report(error, options)
  }
  return accepted()
}

/** Tells onError. What that throws is its own affair: there is nobody left to tell, and the sender must not hear of it. */
export function report(error: unknown, { onError }: Pick<ReceiveOptions, 'onError'>): void {
  void new Promise((resolve) => resolve(onError?.(error))).catch(() => {})
}

export function accepted(): Response {
  return new Response(null, { status: 202 })
}

export function refusal(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers })
}
