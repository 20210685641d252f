import type { ConnectionPhase } from '../../errors/index.ts'
import { connectionFailed } from '../../errors/words.ts'
import { builtin, inBrowser } from '../../lib/runtime.ts'
import type { Redactor } from '../../lib/redactor.ts'
import { isA } from '../../lib/thrown.ts'

/** Thrown when the user's `fetch` breaks its contract. */
export class FetchMisuse extends Error {}

/** There is no fetch, or the user's threw at once and has not touched the request: nothing was sent. */
export class NotSent extends FetchMisuse {}

/** How a request failed, as far as the error from fetch shows. */
export interface NetworkFailure {
  readonly phase: ConnectionPhase
  /** `untrusted` is unsent as well, and another attempt would fail alike. */
  readonly kind: 'unsent' | 'untrusted' | 'no-answer'
  /** The runtime's code, such as `ECONNRESET`, or else its message. */
  readonly reason: string
  readonly message: string
}

/** Codes of failed connects. Some also occur on established connections: see `syscall` below. */
const unsentCodes = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/**
 * Codes of Bun for connects that fail in the system. It has no `syscall`, but another code for what breaks later. The same codes stand
 * for more where there is a `syscall`, or where node-fetch has taken it away.
 */
const unsentOnBun = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EINVAL'])

/** Codes of Bun and undici from before a request is sent: no tunnel, a closed pool, or a dispatcher of another version. */
const neverSentCode =
  /^ERR_PROXY_TUNNEL$|^UND_ERR_(PRX_(CONN|TLS)|SOCKS5_\w+|CLOSED|INVALID_ARG|NOT_SUPPORTED|BPL_MISSING_UPSTREAM|MAX_ORIGINS_REACHED)$/

/** A proxy that refuses a tunnel. The code is that of any abort, so the words decide. */
const refusedTunnel = 'when HTTP Tunneling'

/** A proxy that refuses a tunnel for good: it forbids the host, or wants a password. */
const forbiddenTunnel = /Proxy response \(40[37]\)|: (unsuccessful tunnel|proxy authorization required)/

/** Messages of failed connects on runtimes without such codes, and of a `Request` of another undici. */
const unsentWords =
  /when HTTP Tunneling|Failed to parse URL from \[object Request\]|client error \(Connect\)|before secure TLS connection was established|^bad port$|Requests to port \d+ are blocked|Requires net access to/

/** All that other functions than the runtime's say of a request that they could not send. Whole messages: a user's may quote one. */
const foreignUnsent = [
  // node-fetch. The system call stands in words alone. Several addresses that fail have no words.
  /^request to \S+ failed, reason:( connect \S+ .*| getaddrinfo \S+ .*|\s*)$/,
  // Electron.
  /^net::ERR_(INTERNET_DISCONNECTED|NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|CONNECTION_(REFUSED|FAILED|TIMED_OUT)|PROXY_CONNECTION_FAILED|TUNNEL_CONNECTION_FAILED|NETWORK_ACCESS_DENIED|ADDRESS_INVALID|UNSAFE_PORT)$/,
  // expo/fetch.
  /^fetch failed: java\.net\.(UnknownHostException|ConnectException|NoRouteToHostException|SocketTimeoutException: failed to connect to)\b/,
]

/** A stream that an HTTP/2 server, or its GOAWAY, has refused: it promises that it has not processed the request. */
const refusedStream = /\bNGHTTP2_REFUSED_STREAM$|refused stream before processing any application logic/

/** Of a certificate that this side refuses, so before it sends anything. Alerts of the server about one may come later. */
const untrustedCode = /^(?!ERR_SSL_).*CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/

/** Of a handshake that would fail again. */
const incompatibleCode =
  /^ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|\S+_ALERT_(HANDSHAKE_FAILURE|PROTOCOL_VERSION|NO_APPLICATION_PROTOCOL))$/

/**
 * Reads an error from fetch. Node tells which connections it could not open. Node and Bun have a system code on the error or its
 * causes, Deno has a sentence, and browsers say nothing. A request counts as unsent only if that is proven: `npm run runtimes` compares
 * each rule with what has arrived. Bun has one code, EPROTO, for a handshake that fails and for TLS that breaks after the request.
 */
function readFailure(error: unknown): Omit<NetworkFailure, 'message'> {
  if (isA(error, NotSent)) return { phase: 'connect', kind: 'untrusted', reason: error.message }
  const links: Link[] = []
  let link = linkOf(error)
  // Bounded, since causes may be circular.
  while (link !== undefined && links.length < 5) {
    links.push(link)
    link = linkOf(link.next)
  }
  const codes = textsOf(links, 'code')
  const [code = ''] = codes
  const words = textsOf(links, 'message')
  const reason =
    words.find((message) => message.includes(refusedTunnel)) ||
    code ||
    words.findLast((message) => message !== '') ||
    'no reason given'
  const untrusted = codes.find((each) => untrustedCode.test(each))
  if (untrusted !== undefined) return { phase: 'tls', kind: 'untrusted', reason: untrusted }
  if (says(links, /invalid peer certificate/)) return { phase: 'tls', kind: 'untrusted', reason }
  if (says(links, refusedStream)) return { phase: 'exchange', kind: 'unsent', reason }
  if (code.startsWith('ERR_SSL_') && links.some((link) => link.isUnconnected))
    return { phase: 'tls', kind: incompatibleCode.test(code) ? 'untrusted' : 'unsent', reason }
  if (!isUnsent(links)) return { phase: 'exchange', kind: 'no-answer', reason }
  return { phase: 'connect', kind: says(links, forbiddenTunnel) ? 'untrusted' : 'unsent', reason }
}

function textsOf(links: readonly Link[], field: 'code' | 'syscall' | 'message'): string[] {
  return links.map((link) => link[field]).filter((value) => typeof value === 'string')
}

function says(links: readonly Link[], words: RegExp): boolean {
  return textsOf(links, 'message').some((message) => words.test(message))
}

/** Whether an error proves that the request was not sent. */
function isUnsent(links: readonly Link[]): boolean {
  const codes = textsOf(links, 'code')
  const [syscall] = textsOf(links, 'syscall')
  if (links.some(({ isUnconnected }) => isUnconnected)) return true
  if (codes.some((each) => neverSentCode.test(each)) || says(links, unsentWords)) return true
  if (foreignUnsent.some((words) => says(links, words))) return true
  // The same code may come from `connect`, or from `read` on an established connection.
  if (syscall !== undefined) return ['connect', 'getaddrinfo'].includes(syscall)
  const [outer] = links
  const isBare = outer !== undefined && outer.code === codes[0] && outer.type !== 'system'
  return unsentCodes.has(codes[0] ?? '') || (isBare && unsentOnBun.has(codes[0] ?? ''))
}

/**
 * Explains an error from fetch, or from reading a body. On some runtimes the error holds the request, and with it the
 * token, so only its code or its innermost message is kept.
 *
 * @param hasAnswered Whether the headers had arrived, so that the request was sent.
 */
export function explainNetworkError(
  error: unknown,
  { baseUrl, redactor }: { readonly baseUrl: string; readonly redactor: Redactor },
  hasAnswered: boolean,
): NetworkFailure {
  const failure = readFailure(error)
  const phase = hasAnswered ? 'exchange' : failure.phase
  const kind = hasAnswered ? 'no-answer' : failure.kind
  // Half a secret would not be recognized.
  const reason = redactor.text(failure.reason).slice(0, maxReasonLength)
  const host = redactor.text(new URL(baseUrl).host)
  const message = connectionFailed(phase, host, reason, kind === 'unsent', inBrowser())
  return { phase, kind, reason, message }
}

/** Longest reason in a message, in characters. */
const maxReasonLength = 200

interface Link {
  readonly code: unknown
  readonly syscall: unknown
  /** `system` for the errors of node-fetch. */
  readonly type: unknown
  readonly message: unknown
  /** Its cause, or the error of the first address that was tried. */
  readonly next: unknown
  /** Whether Node says that there was no connection. */
  readonly isUnconnected: boolean
}

/** What an error says; undefined if it is no object, or throws when it is read, as one of a user's fetch may. */
function linkOf(error: unknown): Link | undefined {
  try {
    if (typeof error !== 'object' || error === null) return undefined
    const { code, syscall, type, message, cause, errors } = error as Link & {
      readonly cause?: unknown
      readonly errors?: readonly unknown[] | null
    }
    return { code, syscall, type, message, next: cause ?? errors?.[0], isUnconnected: isConnectError(error) }
  } catch {
    return undefined
  }
}

// Node's fetch, undici, tells on channels what it does. Other runtimes publish nothing on them.

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
  listen('client:sendHeaders', ({ request }) => followed.get(request)?.note('sent'))
  // A dispatcher of the user may make another request in its place.
  listen('request:error', ({ request }) => followed.get(request)?.note('failed'))
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

function isConnectError(error: object): boolean {
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

  note(state: 'sent' | 'failed'): void {
    if (this.#state === 'waiting' && !(state === 'failed' && this.#signal.aborted)) this.#state = state
  }

  /** Whether it will never be sent: it was aborted while its connection was being opened. */
  get isUnsent(): boolean {
    return this.#signal.aborted && this.#state === 'waiting'
  }
}
