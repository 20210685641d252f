import { assertFunction } from '../core/lib/assert.ts'
import { parsed } from '../core/http/dialect.ts'
import {
  type Delivery,
  type ReceiveOptions,
  acknowledge,
  admit,
  assertReceiver,
  receiveNames,
  refusal,
  withDelivery,
} from '../webhooks/receive.ts'
import { ConfigurationError } from '../errors.ts'
import { catalogDialect } from './dialect.ts'

/** What the catalog has sent to a callback URL. */
export interface CatalogCallback {
  /** Which of the two URLs was called. */
  readonly outcome: 'success' | 'failure'
  /** The body: parsed where it is JSON, otherwise its text. What the catalog sends is not documented. */
  readonly payload: unknown
  /** The request. Not enumerable, so that a log of the callback has no secret that came in a header or in the URL. */
  readonly delivery: Delivery
}

/** How callbacks are received. */
export interface CallbackOptions extends ReceiveOptions {
  /** The `successCallbackUrl` that planets are created with, or its path. */
  successUrl: string
  /** The `failureCallbackUrl` that planets are created with, or its path. */
  failureUrl: string
  /** Does the work. It starts when the callback has been acknowledged; what it throws goes to `onError`. */
  onCallback: (callback: CatalogCallback) => unknown
}

const callbackNames: Record<keyof CallbackOptions, true> = {
  ...receiveNames,
  ...{ successUrl: true, failureUrl: true, onCallback: true },
}

/**
 * Makes a receiver for the callbacks that creating a planet leads to, for any server that speaks in `Request` and
 * `Response`. It answers 202 to what it lets in, 404 on other paths, 401 where `verify` says no, 413 where the body
 * is too large, 415 where it is compressed, 408 where it takes more than ten seconds to come and to be verified, and 500
 * where somebody has read it before. HTTP method, payload and repetition of callbacks are not documented, so any method is
 * taken, and the same callback may come twice.
 *
 * @throws {ConfigurationError} for options that cannot work.
 * @example
 * const receive = createCallbackReceiver({
 *   successUrl: successCallbackUrl,
 *   failureUrl: failureCallbackUrl,
 *   verify: verifySharedSecret({ secret, query: 'key' }),
 *   onCallback: ({ outcome, payload }) => save(outcome, payload),
 * })
 */
export function createCallbackReceiver(options: CallbackOptions): (request: Request) => Promise<Response> {
  assertReceiver(options, callbackNames)
  assertFunction('onCallback', options.onCallback)
  const outcomes = new Map([
    [pathOf('successUrl', options.successUrl), 'success'],
    [pathOf('failureUrl', options.failureUrl), 'failure'],
  ] as const)
  if (outcomes.size < 2) throw new ConfigurationError('successUrl and failureUrl must have different paths')

  return async (request) => {
    const outcome = outcomes.get(new URL(request.url).pathname)
    if (outcome === undefined) return refusal(404)
    const delivery = await admit(request, options)
    if (delivery instanceof Response) return delivery
    const text = new TextDecoder().decode(delivery.body)
    const value = parsed(text, catalogDialect)
    const payload = value === undefined ? text : value
    return acknowledge(() => options.onCallback(withDelivery({ outcome, payload }, delivery)), options)
  }
}

function pathOf(name: string, url: string): string {
  if (!URL.canParse(url, 'http://localhost')) throw new ConfigurationError(`${name} is not a URL or a path`)
  return new URL(url, 'http://localhost').pathname
}
