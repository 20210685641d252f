// How far a request of Node's fetch, undici, has come: undici tells on channels what it does. Other runtimes publish nothing on them.

import { builtin } from '../../lib/runtime.ts'

/** A request of undici, as its channels have it. */
interface UndiciRequest {
  readonly origin: unknown
  readonly path: string
}

/** What a channel publishes, as far as it is about requests or connections. */
interface Message {
  readonly request: UndiciRequest
  readonly error: object
  readonly connectParams: { readonly protocol: string; readonly host: string }
}

/**
 * Errors of connections that could not be opened, TLS handshake included. No request was sent on them. Their codes do not say so:
 * a reset or a TLS alert may also come later.
 */
const connectErrors = new WeakSet()
/** By the request that Node's fetch has made. */
const followed = new WeakMap<object, FollowedRequest>()
/** Those whose fetch has not ended. */
const pending = new Set<FollowedRequest>()
/** The one that a call of fetch is about to make. */
let next: FollowedRequest | undefined
let isListening = false

/** Begins to listen, before the first request is sent. */
function listenOnce(): void {
  if (isListening) return
  isListening = true
  const listen = (name: string, listener: (message: Message) => void): void =>
    builtin('node:diagnostics_channel')
      ?.channel(`undici:${name}`)
      .subscribe((message) => listener(message as Message))
  listen('request:create', ({ request }) => {
    if (next?.isMadeBy(request)) followed.set(request, next)
  })
  for (const state of ['beforeConnect', 'connected'] as const)
    listen(`client:${state}`, ({ connectParams: { protocol, host } }) => {
      for (const each of pending) each.connect(`${protocol}//${host}`, state)
    })
  // Before the requests of the connection fail with it.
  listen('client:connectError', ({ error }) => connectErrors.add(error))
  // Before a byte of the request is written. A dispatcher, or a fetch of the user, may have made it.
  listen('client:sendHeaders', ({ request }) => {
    const own = followed.get(request)
    for (const each of own ? [own] : pending) each.send(request)
  })
}

/**
 * Follows the request that a fetch makes, until it has ended.
 *
 * @param isUsers Whether the fetch is the user's. It may drop the signal, and send the request after an abort.
 */
export async function following<T>(
  request: FollowedRequest,
  isUsers: boolean,
  fetch: () => Promise<T>,
): Promise<T> {
  listenOnce()
  pending.add(request)
  try {
    // Node's makes the request before it returns.
    next = isUsers ? undefined : request
    const responding = fetch()
    next = undefined
    const response = await responding
    request.progress = 'answered'
    return response
  } finally {
    next = undefined
    pending.delete(request)
  }
}

/** Whether a connection could not be opened, by its error. */
export function isConnectError(error: object): boolean {
  return connectErrors.has(error)
}

/** The request that one call of fetch makes, as far as Node tells. */
export class FollowedRequest {
  readonly #url: string
  readonly #signal: AbortSignal
  /** Once it is made, for its connection: undici 6 does not tell what it sends over HTTP/2 when that is open. */
  #state: 'unknown' | 'made' | 'beforeConnect' | 'connected' = 'unknown'
  /** How far it is known to have come. What was sent to its URL meanwhile may be this request. */
  progress: 'unknown' | 'sent' | 'answered' = 'unknown'

  /** @param signal Of the request: once it aborts, Node's fetch sends nothing more. */
  constructor(url: string, signal: AbortSignal) {
    this.#url = url
    this.#signal = signal
  }

  isMadeBy(request: UndiciRequest): boolean {
    const isMade = this.#state === 'unknown' && this.#isTo(request)
    if (isMade) this.#state = 'made'
    return isMade
  }

  /** A connection to an origin will be opened, or is open: its request may be sent on it. */
  connect(origin: string, state: 'beforeConnect' | 'connected'): void {
    const before = state === 'connected' ? 'beforeConnect' : 'made'
    if (this.#state === before && this.#url.startsWith(`${origin}/`)) this.#state = state
  }

  /** A request is being sent. */
  send(request: UndiciRequest): void {
    if (this.progress === 'unknown' && this.#isTo(request)) this.progress = 'sent'
  }

  /** Whether it will never be sent: it was aborted while its connection was being opened. */
  get isUnsent(): boolean {
    return this.#signal.aborted && this.#state === 'beforeConnect' && this.progress === 'unknown'
  }

  #isTo({ origin, path }: UndiciRequest): boolean {
    return String(origin) + path === this.#url
  }
}
