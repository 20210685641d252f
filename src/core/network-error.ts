import type { ConnectionPhase } from '../errors.ts'

/** What a failure of fetch says about the request. */
export interface NetworkFailure {
  readonly phase: ConnectionPhase
  /** The runtime's code, such as `ECONNRESET`, where it gives one. */
  readonly reason?: string
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
 * Reads what fetch threw. Runtimes differ: Node puts the system's error into `cause`, Bun puts a code on the error,
 * Deno says it in the message, and browsers say nothing. Only what is
 * proven not to have been sent counts as such.
 */
export function readNetworkFailure(error: unknown): NetworkFailure {
  let code: string | undefined
  for (const link of causes(error)) {
    if (typeof link['code'] === 'string') code ??= link['code']
    if (link['syscall'] === 'connect' || link['syscall'] === 'getaddrinfo')
      return { phase: 'connect', ...reason(code) }
  }
  if (code !== undefined && untrustedCode.test(code)) return { phase: 'tls', ...reason(code) }
  if (code !== undefined && unsentCodes.has(code)) return { phase: 'connect', ...reason(code) }
  const message = error instanceof Error ? error.message : ''
  if (/invalid peer certificate/.test(message)) return { phase: 'tls', ...reason(code) }
  if (/client error \(Connect\)|dns error/.test(message)) return { phase: 'connect', ...reason(code) }
  return { phase: 'exchange', ...reason(code) }
}

function reason(code: string | undefined): { reason?: string } {
  return code === undefined ? {} : { reason: code }
}

/** The error and its causes; bounded, since a cause may name itself. */
function* causes(error: unknown): Generator<Record<string, unknown>> {
  let link = error
  for (let depth = 0; depth < 5 && typeof link === 'object' && link !== null; depth++) {
    yield link as Record<string, unknown>
    link = (link as { cause?: unknown }).cause
  }
}
