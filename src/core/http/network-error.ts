import type { ConnectionPhase } from '../../errors.ts'

/** What a failure of fetch says about the request. */
export interface NetworkFailure {
  readonly phase: ConnectionPhase
  /** The runtime's code, such as `ECONNRESET`, or its words where it gives none; of any length, and not free of secrets. */
  readonly reason: string
}

/** Thrown when the user's `fetch` or middleware breaks its contract. */
export class FetchMisuse extends Error {}

/** Codes of failures to connect. The kernel uses some of them for established connections too, see below. */
const unsentCodes = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/** What runtimes say where they give no code that is as clear. */
const unsentWords = [
  'client error (Connect)',
  'before secure TLS connection was established',
  'bad port',
  'Requires net access to',
]

const untrustedCode =
  /CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$|^ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|SSLV3_ALERT_HANDSHAKE_FAILURE)$/

/**
 * Reads what fetch threw. Runtimes differ: Node and Bun have the system's code, on the error or below it, Deno has a
 * sentence, and browsers say nothing. Only what is proven not to have been sent counts as such.
 */
export function readNetworkFailure(error: unknown): NetworkFailure {
  const links = [...causes(error)]
  const find = (field: 'code' | 'syscall'): string | undefined =>
    links.map((link) => link[field]).find((value) => typeof value === 'string')
  const code = find('code') ?? ''
  const syscall = find('syscall')
  const words = links.map(({ message }) => (typeof message === 'string' ? message : ''))
  const said = (part: string): boolean => words.some((message) => message.includes(part))
  const reason = code || words.findLast((message) => message !== '') || 'no reason given'
  if (untrustedCode.test(code) || said('invalid peer certificate')) return { phase: 'tls', reason }
  // The system call tells best: the same code may come from `connect` or from a `read` of what was long connected.
  const unsent = syscall === undefined ? unsentCodes.has(code) : ['connect', 'getaddrinfo'].includes(syscall)
  return { phase: unsent || unsentWords.some(said) ? 'connect' : 'exchange', reason }
}

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
