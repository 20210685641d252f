// How far a request of Node's fetch, undici, has come: undici tells on channels what it does. Other runtimes publish nothing on them.

import { type AsyncLocalStorage, builtin } from '../../lib/runtime.ts'
import { runUserCallback } from '../../lib/thrown.ts'

/** What a channel publishes. */
interface Message {
  readonly request: { readonly path: string }
  readonly error: unknown
}

/** Errors of connections that could not be opened, TLS handshake included. No request was sent on them. */
const connectErrors = new WeakSet<object>()
/** The path of a request that has failed, by its error. */
const failedAt = new WeakMap<object, string>()
/** By the request of undici. */
const owners = new WeakMap<object, FollowedRequest>()
/** Those whose fetch has not ended, nor their attempt. */
const pending = new Set<FollowedRequest>()
/** For which request code runs, also after it has waited. Undefined before the first one, and where there are no channels. */
let context: AsyncLocalStorage<FollowedRequest> | undefined

function listenOnce(): void {
  const [channels, hooks] = [builtin('node:diagnostics_channel'), builtin('node:async_hooks')]
  if (context || !channels || !hooks) return
  context = new hooks.AsyncLocalStorage()
  const listen = (name: string, listener: (message: Message) => void): void =>
    channels
      .channel(`undici:${name}`)
      // What it throws would end the process: the reason of an abort may be no object, and another version may tell something else.
      .subscribe((message) => runUserCallback(() => listener(message as Message)))
  listen('request:create', ({ request }) => {
    const owner = context?.getStore()
    if (owner?.isMadeBy(request.path)) owners.set(request, owner)
  })
  // Before the requests of the connection fail with it.
  listen('client:connectError', ({ error }) => connectErrors.add(error as object))
  // One without an owner may be sent for any: a dispatcher, or a fetch of the user, may have made it.
  const noteSent = ({ request }: Message): void => {
    const owner = owners.get(request)
    for (const each of owner ? [owner] : pending) each.send(request.path)
  }
  // Before a byte is written.
  listen('client:sendHeaders', noteSent)
  // Over HTTP/2, undici 6 tells only this, in the same turn.
  listen('request:bodySent', noteSent)
  listen('request:error', ({ request, error }) => {
    owners.get(request)?.fail()
    failedAt.set(error as object, request.path)
  })
}

/** What Node has told of an error: whether it has kept a connection from being opened, and the path of the request that has failed with it. */
export function toldOf(error: object): {
  readonly isConnectError: boolean
  readonly path?: string | undefined
} {
  return { isConnectError: connectErrors.has(error), path: failedAt.get(error) }
}

/** The request that one call of fetch makes, as far as Node tells. */
export class FollowedRequest {
  readonly #url: string
  readonly #signal: AbortSignal
  readonly #onSent: (() => void) | undefined
  #isUsers = false
  /** How far it is known to have come. What was sent to its path meanwhile may be this request. */
  #stage: 'unknown' | 'made' | 'failed' | 'sent' | 'answered' = 'unknown'

  /**
   * @param signal Of the request: once it aborts, Node's fetch sends nothing more.
   * @param onSent Called when it is sent: its connection may take long to open.
   */
  constructor(url: string, signal: AbortSignal, onSent?: () => void) {
    this.#url = url
    this.#signal = signal
    this.#onSent = onSent
  }

  /**
   * Calls fetch, and follows the request until there is a response.
   *
   * @param isUsers Whether the fetch is the user's. It may drop the signal, send the request after an abort, and make others.
   */
  async follow<T>(fetch: () => Promise<T>, isUsers: boolean): Promise<T> {
    listenOnce()
    this.#isUsers = isUsers
    pending.add(this)
    // One of the user's may never end.
    this.#signal.addEventListener('abort', () => pending.delete(this))
    try {
      const response = await (context ? context.run(this, fetch) : fetch())
      this.#stage = 'answered'
      return response
    } finally {
      pending.delete(this)
    }
  }

  /** Whether it is the request to a path that its fetch makes: the first one. A dispatcher, or a fetch of the user, may choose the host. */
  isMadeBy(path: string): boolean {
    const isMade = this.#stage === 'unknown' && this.#url.endsWith(path)
    if (isMade) this.#stage = 'made'
    return isMade
  }

  /** A dispatcher, or a fetch of the user, may make another one in its place. */
  fail(): void {
    if (this.#stage === 'made' && !this.#signal.aborted) this.#stage = 'failed'
  }

  /** Something is being sent to a path. */
  send(path: string): void {
    if (this.#stage === 'sent' || this.#stage === 'answered' || !this.#url.endsWith(path)) return
    this.#stage = 'sent'
    this.#onSent?.()
  }

  /**
   * Whether what an error of its fetch says is true of it.
   *
   * @param paths Of the requests that have failed with the error: a fetch of the user may make others.
   * @param isUnsent Whether it says that nothing was sent, and not that the server has processed nothing.
   */
  isProof(paths: readonly string[], isUnsent: boolean): boolean {
    const isTold = paths.length > 0
    // A queue may send the requests of all calls in the context of one: then what fails is not known to be that of another.
    if (isTold && this.#stage === 'unknown') return false
    const isOwn = isTold ? paths.some((path) => this.#url.endsWith(path)) : this.#stage !== 'made'
    return (isOwn || !this.#isUsers) && this.#stage !== 'answered' && !(isUnsent && this.#stage === 'sent')
  }

  /** Whether it will never be sent: it was aborted while its connection was being opened. */
  get isUnsent(): boolean {
    return this.#stage === 'made' && this.#signal.aborted && !this.#isUsers
  }
}
