import type { ConnectionPhase } from '../../errors/index.ts'
import { connectionFailed } from '../../errors/words.ts'
import { isRecord } from '../../lib/json.ts'
import { inBrowser } from '../../lib/runtime.ts'
import type { Redactor } from '../../lib/redactor.ts'
import { isA } from '../../lib/thrown.ts'
import { type FollowedRequest, toldOf } from './undici.ts'

/** Thrown when the user's `fetch` breaks its contract. */
export class FetchMisuse extends Error {}

/** There is no fetch, or the user's threw at once and has not touched the request: nothing was sent. */
export class NotSent extends FetchMisuse {}

/** How a request failed, as far as the error from fetch shows. */
interface NetworkFailure {
  readonly phase: ConnectionPhase
  /** `untrusted` is unsent as well, and another attempt would fail alike. */
  readonly kind: 'unsent' | 'untrusted' | 'no-answer'
  /** The runtime's code, such as `ECONNRESET`, or else its message. */
  readonly reason: string
  readonly message: string
}

/** Where an error, or one of its causes, says something. */
type Where =
  | 'code'
  | 'message'
  /** The code of a connection that Node says it could not open: a reset or an alert of TLS may also come later. */
  | 'unopened'
  /** What the system was asked for: the same code may come from `connect`, or from `read` on an open connection. */
  | 'syscall'
  /** The code of the error itself, not of a cause. */
  | 'ownCode'
  /** The first code of all. */
  | 'firstCode'
  /** That of a request that has failed with it, if Node tells. */
  | 'path'

type Proven = Pick<NetworkFailure, 'phase' | 'kind'>

const unsent: Proven = { phase: 'connect', kind: 'unsent' }
/** For good: a proxy forbids the host, or wants a password. */
const forbidden: Proven = { phase: 'connect', kind: 'untrusted' }
const cutOff: Proven = { phase: 'tls', kind: 'unsent' }
const untrusted: Proven = { phase: 'tls', kind: 'untrusted' }
/** An HTTP/2 server, or its GOAWAY, promises that it has not processed the request. */
const unprocessed: Proven = { phase: 'exchange', kind: 'unsent' }
const noAnswer: Proven = { phase: 'exchange', kind: 'no-answer' }

/**
 * What proves that a request was not sent, or not processed; the first row that fits counts. `npm run runtimes` compares the rows with
 * what has arrived. Whatever is not here may have been sent: browsers say nothing, and Bun has one code, EPROTO, for a handshake that
 * fails and for TLS that breaks after the request.
 */
const proofs: readonly (readonly [where: Where, what: RegExp, Proven])[] = [
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
  // Bun.
  ['code', /^ERR_PROXY_TUNNEL$/, unsent],
  // Other functions than the runtime's. Whole messages: a user's may quote one.
  // Electron.
  ['message', /^net::ERR_(INTERNET_DISCONNECTED|NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED)$/, unsent],
  ['message', /^net::ERR_(CONNECTION_(REFUSED|FAILED|TIMED_OUT)|ADDRESS_INVALID|UNSAFE_PORT)$/, unsent],
  ['message', /^net::ERR_((PROXY|TUNNEL)_CONNECTION_FAILED|NETWORK_ACCESS_DENIED)$/, unsent],
  // expo/fetch.
  ['message', /^fetch failed: java\.net\.(UnknownHost|Connect|NoRouteToHost)Exception\b/, unsent],
  ['message', /^fetch failed: java\.net\.SocketTimeoutException: failed to connect to\b/, unsent],
  // node-fetch: the system call stands in words alone. Several addresses that fail have no words.
  ['message', /^request to \S+ failed, reason:( connect \S+ .*| getaddrinfo \S+ .*|\s*)$/, unsent],
  ['syscall', /^(connect|getaddrinfo)$/, unsent],
  // Any other system call came later. Without one, the code has to do.
  ['message', /^request to \S+ failed, reason:/, noAnswer],
  ['syscall', /(?:)/, noAnswer],
  ['firstCode', /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT)$/, unsent],
  // Bun, which has no system call, but other codes for what breaks later.
  ['firstCode', /^(ConnectionRefused|FailedToOpenSocket)$/, unsent],
  ['ownCode', /^(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EACCES|EINVAL)$/, unsent],
]

/** What an error and its causes say, as far as they can be read. */
function saidBy(error: unknown): [Where, string][] {
  const said: [Where, string][] = []
  const add = (where: Where, text: unknown): void => {
    if (typeof text === 'string') said.push([where, text])
  }
  try {
    let each = error
    // Bounded, since causes may be circular.
    for (let depth = 0; depth < 5 && isRecord(each); depth++) {
      const { code, syscall, message, cause, errors } = each
      const { isConnectError, path } = toldOf(each)
      if (!said.some(([where]) => where === 'code')) add('firstCode', code)
      add('code', code)
      if (each === error) add('ownCode', code)
      if (isConnectError) add('unopened', code ?? '')
      if (!said.some(([where]) => where === 'syscall')) add('syscall', syscall)
      add('message', message)
      add('path', path)
      // Of several addresses, the first one that was tried.
      each = cause ?? (errors as unknown[] | null | undefined)?.[0]
    }
  } catch {
    // That of a user's fetch may throw when it is read.
  }
  return said
}

/** Longest reason in a message, in characters. */
const maxReasonLength = 200

/**
 * Explains an error from fetch, or from reading a body. Node and Bun have a system code on the error or its causes, Deno has a sentence.
 * A request counts as unsent only if that is proven. On some runtimes the error holds the request, and with it the token, so only its
 * code or its innermost message is kept.
 */
export function explainNetworkError(
  error: unknown,
  { baseUrl, redactor }: { readonly baseUrl: string; readonly redactor: Redactor },
  followed: FollowedRequest,
): NetworkFailure {
  const said = saidBy(error)
  const textsOf = (where: Where): string[] => said.filter(([at]) => at === where).map(([, text]) => text)
  // The latest failure speaks first; its causes may be earlier ones, of other requests.
  const proof = proofs.find(([where, what]) => textsOf(where).some((text) => what.test(text)))
  const proven = isA(error, NotSent) ? forbidden : (proof?.[2] ?? noAnswer)
  const { phase, kind } = followed.isProof(textsOf('path'), proven.phase !== 'exchange') ? proven : noAnswer
  const [codes, messages] = [textsOf('code'), textsOf('message')]
  const given =
    // A proxy that refuses a tunnel: the code is that of any abort.
    messages.find((text) => text.includes('when HTTP Tunneling')) ||
    codes.find((code) => proof?.[1].test(code)) ||
    codes[0] ||
    messages.findLast((text) => text !== '') ||
    'no reason given'
  // Half a secret would not be recognized.
  const reason = redactor.text(given).slice(0, maxReasonLength)
  const host = redactor.text(new URL(baseUrl).host)
  const message = connectionFailed(phase, host, reason, kind === 'unsent', inBrowser())
  return { phase, kind, reason, message }
}
