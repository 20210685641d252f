// How far a request of Node's fetch, undici, has come: undici tells on channels what it does. Other runtimes publish nothing on them.

import { builtin } from '../../lib/runtime.ts'
import { runUserCallback } from '../../lib/thrown.ts'

/** A request of undici, as its channels have it. */
interface UndiciRequest {
  readonly origin: unknown
  readonly path: string
}

/** What a channel publishes, as far as it is about requests or connections. */
interface Message {
  readonly request: UndiciRequest
  readonly error: unknown
  readonly connectParams: { readonly protocol: string; readonly host: string }
  readonly socket?: { readonly alpnProtocol?: string | false | null }
}

/**
 * Errors of connections that could not be opened, TLS handshake included. No request was sent on them. Their codes do not say so:
 * a reset or a TLS alert may also come later.
 */
export const connectErrors: WeakSet<object> = new WeakSet()
/** The path of a request that has failed, by its error. A dispatcher, or a fetch of the user, may send it to another host. */
export const failedAt = new WeakMap<object, string>()
/** By the request that fetch has made. */
const followed = new WeakMap<object, FollowedRequest>()
/** Those whose fetch has not ended, nor their attempt. */
const pending = new Set<FollowedRequest>()
/** Origins with an HTTP/2 connection: undici 6 does not tell what it sends there. */
const silent = new Set<string>()
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
      // What it throws would end the process: another version may tell something else.
      .subscribe((message) => runUserCallback(() => listener(message as Message)))
  listen('request:create', ({ request }) => {
    const owner = [next, ...pending].find((each) => each?.isMadeBy(request))
    if (owner) followed.set(request, owner)
  })
  listen('client:connected', ({ connectParams: { protocol, host }, socket }) => {
    if (socket?.alpnProtocol === 'h2') silent.add(`${protocol}//${host}`)
  })
  // Before the requests of the connection fail with it.
  listen('client:connectError', ({ error }) => connectErrors.add(error as object))
  // Before a byte of the request is written. A dispatcher, or a fetch of the user, may have made it.
  listen('client:sendHeaders', ({ request }) => {
    const own = followed.get(request)
    for (const each of own ? [own] : pending) each.send(request)
  })
  listen('request:error', ({ request, error }) => {
    followed.get(request)?.fail()
    // The reason of an abort may be no object.
    failedAt.set(Object(error) as object, request.path)
  })
}

/** Follows the request that a fetch makes, until it has ended. */
export async function following<T>(request: FollowedRequest, fetch: () => Promise<T>): Promise<T> {
  listenOnce()
  pending.add(request)
  // One of the user's may never end.
  request.signal.addEventListener('abort', () => pending.delete(request))
  try {
    next = request
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

/** The request that one call of fetch makes, as far as Node tells. */
export class FollowedRequest {
  readonly #url: string
  readonly signal: AbortSignal
  readonly #onSent: (() => void) | undefined
  /** Whether the fetch is the user's. It may drop the signal, send the request after an abort, and make others. */
  isUsers = false
  #state: 'unknown' | 'made' | 'failed' = 'unknown'
  /** How far it is known to have come. What was sent to its path meanwhile may be this request. */
  progress: 'unknown' | 'sent' | 'answered' = 'unknown'

  /**
   * @param signal Of the request: once it aborts, Node's fetch sends nothing more.
   * @param onSent Called when it is sent: its connection may take long to open.
   */
  constructor(url: string, signal: AbortSignal, onSent?: () => void) {
    this.#url = url
    this.signal = signal
    this.#onSent = onSent
  }

  /** Node's fetch makes it before it returns; one of the user's may make it later. */
  isMadeBy({ origin, path }: UndiciRequest): boolean {
    const mayBeMade = this.#state === 'unknown' && (this === next || this.isUsers)
    const isMade = mayBeMade && String(origin) + path === this.#url
    if (isMade) this.#state = 'made'
    return isMade
  }

  /** A dispatcher of the user may make another request in its place. */
  fail(): void {
    if (!this.signal.aborted) this.#state = 'failed'
  }

  /** A request is being sent. */
  send(request: UndiciRequest): void {
    if (this.progress !== 'unknown' || !this.#url.endsWith(request.path)) return
    this.progress = 'sent'
    this.#onSent?.()
  }

  /** Whether the error of its fetch is that of another request. @param paths Those of the requests that have failed with it. */
  isOfAnother(paths: readonly string[]): boolean {
    if (!this.isUsers) return false
    return paths.length > 0 ? !paths.some((path) => this.#url.endsWith(path)) : this.#state === 'made'
  }

  /** Whether it will never be sent: it was aborted while its connection was being opened. */
  get isUnsent(): boolean {
    const isWaiting = this.#state === 'made' && this.progress === 'unknown'
    return this.signal.aborted && isWaiting && !this.isUsers && !silent.has(new URL(this.#url).origin)
  }
}
