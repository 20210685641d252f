import type { ConnectionPhase } from '../../errors/index.ts'
import { connectionFailed } from '../../errors/words.ts'
import { inBrowser } from '../../lib/runtime.ts'
import type { Redactor } from '../../lib/redactor.ts'
import { isA } from '../../lib/thrown.ts'
import { type FollowedRequest, connectErrors, failedAt } from './undici.ts'

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

/** What an error says, by where it stands: in what order its causes say it. */
interface Facts {
  readonly code: readonly string[]
  readonly message: readonly string[]
  /** The code of a connection that Node says it could not open: a reset or an alert of TLS may also come later. */
  readonly unopened: readonly string[]
  /** What the system was asked for: the same code may come from `connect`, or from `read` on an open connection. */
  readonly syscall: readonly string[]
  /** The code, if no system call says more. */
  readonly loneCode: readonly string[]
  /** The same, if the error itself has it, and node-fetch has not taken the system call away. */
  readonly bareCode: readonly string[]
  /** Of the requests that have failed with it, as Node tells. */
  readonly paths: readonly string[]
}

type Proven = Pick<NetworkFailure, 'phase' | 'kind'>

const unsent: Proven = { phase: 'connect', kind: 'unsent' }
/** For good: a proxy forbids the host, or wants a password. */
const forbidden: Proven = { phase: 'connect', kind: 'untrusted' }
const cutOff: Proven = { phase: 'tls', kind: 'unsent' }
const untrusted: Proven = { phase: 'tls', kind: 'untrusted' }
/** An HTTP/2 server, or its GOAWAY, promises that it has not processed the request. */
const unprocessed: Proven = { phase: 'exchange', kind: 'unsent' }

/**
 * What proves that a request was not sent, or not processed; the first row that fits counts. `npm run runtimes` compares the rows with
 * what has arrived. Whatever is not here may have been sent: browsers say nothing, and Bun has one code, EPROTO, for a handshake that
 * fails and for TLS that breaks after the request.
 */
const proofs: readonly [where: Exclude<keyof Facts, 'paths'>, what: RegExp, Proven][] = [
  // Of a certificate that this side refuses, so before it sends anything. Alerts of the server about one may come later.
  ['code', /^(?!ERR_SSL_).*CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/, untrusted],
  ['message', /invalid peer certificate/, untrusted],
  ['message', /\bNGHTTP2_REFUSED_STREAM$/, unprocessed],
  // Deno.
  ['message', /refused stream before processing any application logic/, unprocessed],
  // A handshake that would fail again.
  ['unopened', /^ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL)$/, untrusted],
  ['unopened', /^ERR_SSL_.+_ALERT_(HANDSHAKE_FAILURE|PROTOCOL_VERSION|NO_APPLICATION_PROTOCOL)$/, untrusted],
  ['unopened', /^ERR_SSL_/, cutOff],
  // A proxy that refuses a tunnel, by undici and Deno. The code of undici is that of any abort.
  ['message', /Proxy response \(40[37]\) .*when HTTP Tunneling/, forbidden],
  ['message', /client error \(Connect\).*: (unsuccessful tunnel|proxy authorization required)/, forbidden],
  ['unopened', /(?:)/, unsent],
  ['message', /when HTTP Tunneling|client error \(Connect\)/, unsent],
  // undici: no tunnel, a closed pool, a dispatcher or a `Request` of another version, a handshake that is cut off.
  ['code', /^UND_ERR_(PRX_(CONN|TLS)|SOCKS5_\w+|CLOSED|INVALID_ARG|NOT_SUPPORTED)$/, unsent],
  ['code', /^UND_ERR_(BPL_MISSING_UPSTREAM|MAX_ORIGINS_REACHED)$/, unsent],
  ['message', /Failed to parse URL from \[object Request\]|^bad port$/, unsent],
  ['message', /before secure TLS connection was established/, unsent],
  // Deno.
  ['message', /Requests to port \d+ are blocked|Requires net access to/, unsent],
  // Other functions than the runtime's. Whole messages: a user's may quote one.
  // node-fetch: the system call stands in words alone. Several addresses that fail have no words.
  ['message', /^request to \S+ failed, reason:( connect \S+ .*| getaddrinfo \S+ .*|\s*)$/, unsent],
  // Electron.
  ['message', /^net::ERR_(INTERNET_DISCONNECTED|NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED)$/, unsent],
  ['message', /^net::ERR_(CONNECTION_(REFUSED|FAILED|TIMED_OUT)|ADDRESS_INVALID|UNSAFE_PORT)$/, unsent],
  ['message', /^net::ERR_((PROXY|TUNNEL)_CONNECTION_FAILED|NETWORK_ACCESS_DENIED)$/, unsent],
  // expo/fetch.
  ['message', /^fetch failed: java\.net\.(UnknownHost|Connect|NoRouteToHost)Exception\b/, unsent],
  ['message', /^fetch failed: java\.net\.SocketTimeoutException: failed to connect to\b/, unsent],
  ['syscall', /^(connect|getaddrinfo)$/, unsent],
  ['loneCode', /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT)$/, unsent],
  // Bun. It has no system call, but another code for what breaks later.
  ['loneCode', /^(ConnectionRefused|FailedToOpenSocket)$/, unsent],
  ['code', /^ERR_PROXY_TUNNEL$/, unsent],
  ['bareCode', /^(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EACCES|EINVAL)$/, unsent],
]

/**
 * Reads an error from fetch. Node and Bun have a system code on the error or its causes, Deno has a sentence. A request counts as unsent
 * only if that is proven.
 */
function readFailure(error: unknown, facts: Facts): Omit<NetworkFailure, 'message'> {
  if (isA(error, NotSent)) return { phase: 'connect', kind: 'untrusted', reason: error.message }
  const { code, message } = facts
  const reason =
    // A proxy that refuses a tunnel: the code is that of any abort.
    message.find((text) => text.includes('when HTTP Tunneling')) ||
    code[0] ||
    message.findLast((text) => text !== '') ||
    'no reason given'
  for (const [where, what, proven] of proofs) {
    const proof = facts[where].find((text) => what.test(text))
    if (proof !== undefined) return { ...proven, reason: where === 'code' ? proof : reason }
  }
  return { phase: 'exchange', kind: 'no-answer', reason }
}

function factsOf(error: unknown): Facts {
  const links: Link[] = []
  let link = linkOf(error)
  // Bounded, since causes may be circular.
  while (link !== undefined && links.length < 5) {
    links.push(link)
    link = linkOf(link.next)
  }
  const textsOf = (field: 'code' | 'syscall' | 'message'): string[] =>
    links.map((link) => link[field]).filter((value) => typeof value === 'string')
  const code = textsOf('code')
  const syscall = textsOf('syscall').slice(0, 1)
  const [first = ''] = code
  const loneCode = syscall.length === 0 ? [first] : []
  const [outer] = links
  return {
    ...{ code, syscall, loneCode, message: textsOf('message') },
    unopened: links.some(({ isUnconnected }) => isUnconnected) ? [first] : [],
    bareCode: outer?.code === first && outer.type !== 'system' ? loneCode : [],
    paths: links.flatMap(({ path }) => path ?? []),
  }
}

/**
 * Explains an error from fetch, or from reading a body. On some runtimes the error holds the request, and with it the
 * token, so only its code or its innermost message is kept.
 *
 * @param followed After it was sent, the error may be that of another one, which a fetch of the user has made.
 */
export function explainNetworkError(
  error: unknown,
  { baseUrl, redactor }: { readonly baseUrl: string; readonly redactor: Redactor },
  followed: Pick<FollowedRequest, 'progress' | 'isOfAnother'>,
): NetworkFailure {
  const facts = factsOf(error)
  const failure = readFailure(error, facts)
  const { progress } = followed
  const isDoubtful = progress === 'sent' || followed.isOfAnother(facts.paths)
  const isProof = progress !== 'answered' && (!isDoubtful || failure.phase === 'exchange')
  const phase = isProof ? failure.phase : 'exchange'
  const kind = isProof ? failure.kind : 'no-answer'
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
  /** Of the request that has failed with it, if Node tells. */
  readonly path: string | undefined
}

/** What an error says; undefined if it is no object, or throws when it is read, as one of a user's fetch may. */
function linkOf(error: unknown): Link | undefined {
  try {
    if (typeof error !== 'object' || error === null) return undefined
    const { code, syscall, type, message, cause, errors } = error as Link & {
      readonly cause?: unknown
      readonly errors?: readonly unknown[] | null
    }
    const [isUnconnected, path] = [connectErrors.has(error), failedAt.get(error)]
    return { code, syscall, type, message, next: cause ?? errors?.[0], isUnconnected, path }
  } catch {
    return undefined
  }
}
