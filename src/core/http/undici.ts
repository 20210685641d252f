// Whether a request of Node's fetch, undici, was sent: undici tells on channels what it does. Other runtimes publish nothing on them.

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
}

/** What is known of all requests of Node's fetch. */
interface Known {
  /**
   * Errors of connections that could not be opened, TLS handshake included. No request was sent on them. Their codes do not say so:
   * a reset or a TLS alert may also come later.
   */
  readonly connectErrors: WeakSet<object>
  readonly followed: WeakMap<object, FollowedRequest>
}

let known: Known | undefined
/** The one that a call of fetch is about to make. */
let next: FollowedRequest | undefined

/** Begins to listen. Called before a request is sent. */
export function watchUndici(): void {
  if (known !== undefined) return
  const { connectErrors, followed } = (known = { connectErrors: new WeakSet(), followed: new WeakMap() })
  const listen = (name: string, listener: (message: Message) => void): void =>
    builtin('node:diagnostics_channel')
      ?.channel(`undici:${name}`)
      .subscribe((message) => listener(message as Message))
  // Before the requests of the connection fail with it.
  listen('client:connectError', ({ error }) => connectErrors.add(error))
  listen('request:create', ({ request }) => {
    if (next?.isMadeBy(request)) followed.set(request, next)
  })
  // Before a byte of the request is written.
  listen('client:sendHeaders', ({ request }) => followed.get(request)?.mark('sent'))
  // A dispatcher of the user may make another request in its place.
  listen('request:error', ({ request }) => followed.get(request)?.mark('failed'))
}

/** Calls fetch, which makes the request before it returns. */
export function following<T>(request: FollowedRequest, fetch: () => T): T {
  next = request
  try {
    return fetch()
  } finally {
    next = undefined
  }
}

/** Whether a connection could not be opened, by its error. */
export function isConnectError(error: object): boolean {
  return known?.connectErrors.has(error) === true
}

/** The request that one call of Node's fetch makes: whether it has been sent. */
export class FollowedRequest {
  readonly #url: string
  readonly #signal: AbortSignal
  #state: 'unknown' | 'waiting' | 'sent' | 'failed' = 'unknown'

  /** @param signal Of the request: once it aborts, fetch sends nothing more. */
  constructor(url: string, signal: AbortSignal) {
    this.#url = url
    this.#signal = signal
  }

  isMadeBy({ origin, path }: UndiciRequest): boolean {
    const isMade = this.#state === 'unknown' && String(origin) + path === this.#url
    if (isMade) this.#state = 'waiting'
    return isMade
  }

  mark(state: 'sent' | 'failed'): void {
    if (this.#state === 'waiting' && !(state === 'failed' && this.#signal.aborted)) this.#state = state
  }

  /** Whether it will never be sent: it was aborted while its connection was being opened. */
  get isUnsent(): boolean {
    return this.#signal.aborted && this.#state === 'waiting'
  }
}
