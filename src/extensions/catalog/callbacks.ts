import { assertFunction } from '../../errors/check-options.ts'
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
import { parseCatalogJson } from '../../api/catalog/json.ts'

/** A request from the catalog to a callback URL. */
export interface CatalogCallback {
  /** Which of the two URLs the catalog called. */
  readonly outcome: 'success' | 'failure'
  /**
   * The body: parsed if it is JSON, otherwise its text. JSON that nests thousands of levels stays text. The service does not
   * document it.
   */
  readonly payload: unknown
  /** The request. Not enumerable, so that logs of the callback contain no secret from a header or the URL. */
  readonly delivery: Delivery
}

/** Options of a receiver of callbacks. */
export interface CallbackOptions extends ReceiveOptions {
  /** The `successCallbackUrl` of your planets, or its path. */
  successUrl: string
  /** The `failureCallbackUrl` of your planets, or its path. */
  failureUrl: string
  /** Handles a callback. Called after the response was sent; errors go to `onError`. */
  onCallback: (callback: CatalogCallback) => unknown
}

/**
 * Makes a handler for the callbacks about created planets, for any server of `Request` and `Response`. It responds with
 * 202 if it accepts a callback, 404 on other paths, 401 if `verify` refuses, 413 if the body is too large, 415 if it is
 * compressed, 408 if reading and verifying takes more than ten seconds, and 500 if the body was already read. HTTP
 * method, payload and repetition of callbacks are not documented, so it accepts any method, and the same callback may
 * arrive twice.
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
  const own = { successUrl: true, failureUrl: true, onCallback: true }
  options = resolveReceiver(options, { ...receiveNames, ...own })
  assertFunction('onCallback', options.onCallback)
  const outcomes = new Map([
    [pathOf('successUrl', options.successUrl), 'success'],
    [pathOf('failureUrl', options.failureUrl), 'failure'],
  ] as const)
  if (outcomes.size < 2) throw new ConfigurationError('successUrl and failureUrl must have different paths')

  return async (request) => {
    const outcome = outcomes.get(new URL(request.url).pathname)
    if (outcome === undefined) return respond(404)
    const delivery = await admit(request, options)
    if (delivery instanceof Response) return delivery
    const payload = payloadOf(delivery, parseCatalogJson)
    return acknowledge(() => options.onCallback(withDelivery({ outcome, payload }, delivery)), options)
  }
}

function pathOf(name: string, url: string): string {
  if (!URL.canParse(url, 'http://localhost')) throw new ConfigurationError(`${name} is not a URL or a path`)
  return new URL(url, 'http://localhost').pathname
}
