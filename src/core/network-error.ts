import type { ConnectionPhase } from '../errors.ts'

/** What a failure of fetch says about the request. */
export interface NetworkFailure {
  readonly phase: ConnectionPhase
  /** The runtime's code, such as `ECONNRESET`, or its words where it gives none; not free of secrets. */
  readonly reason: string
}

const unsentCodes = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
])

const untrustedCode =
  /CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$|^ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|SSLV3_ALERT_HANDSHAKE_FAILURE)$/

/**
 * Reads what fetch threw. Runtimes differ: Node and Bun have the system's code, on the error or below it, Deno has a
 * sentence, and browsers say nothing. Only what is proven not to have been sent counts as such.
 */
export function readNetworkFailure(error: unknown): NetworkFailure {
  const links = [...causes(error)]
  const code = links.map((link) => link.code).find((code) => typeof code === 'string') ?? ''
  const words = links.map(({ message }) => (typeof message === 'string' ? message : ''))
  const reason =
    code || (words.findLast((message) => message !== '') ?? 'no reason given').slice(0, maxReasonLength)
  const said = (part: string): boolean => words.some((message) => message.includes(part))
  const connecting = links.some(({ syscall }) => syscall === 'connect' || syscall === 'getaddrinfo')
  if (untrustedCode.test(code) || said('invalid peer certificate')) return { phase: 'tls', reason }
  // A port that fetch refuses to use is refused before anything else.
  if (connecting || unsentCodes.has(code) || said('client error (Connect)') || said('bad port'))
    return { phase: 'connect', reason }
  return { phase: 'exchange', reason }
}

/** Longest sentence that is repeated, in characters. */
const maxReasonLength = 200

interface Link {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  /** One for each address that was tried. */
  readonly errors?: readonly unknown[]
}

/** The error and what lies below it; bounded, since a cause may name itself. */
function* causes(error: unknown): Generator<Link> {
  let link = error
  for (let depth = 0; depth < 5 && typeof link === 'object' && link !== null; depth++) {
    const current: Link = link
    yield current
    link = current.cause ?? current.errors?.[0]
  }
}
