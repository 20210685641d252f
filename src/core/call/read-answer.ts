import { type Attempt, InvalidResponseError, TimeoutError } from '../../errors.ts'
import { costOf } from '../credits/purchase.ts'
import { parsed } from '../http/dialect.ts'
import { creditsHeader, readCredits } from '../http/proxy-protocol.ts'
import { maxBodyBytes } from '../http/send.ts'
import type { Redactor } from '../lib/redact.ts'
import type { Settings } from '../options/settings.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Call } from './call.ts'
import { type Decoded, type InvalidItem, decode } from './decode.ts'

/** A success as it came, unread. */
export interface Received {
  readonly response: Response
  readonly text: string
  /** False if the body was cut off because it is too large. */
  readonly complete: boolean
  /** Whether fetch itself brought a success, or could have: a middleware may have answered in its place. */
  readonly origin: 'service' | 'uncertain' | 'middleware'
}

/** A success, read and checked. */
export interface Success {
  /** Its headers may repeat a secret, which the redactor takes out. */
  readonly response: Response
  readonly redactor: Redactor
  /** Free of secrets, as everything below. */
  readonly text: string
  /** The parsed body, before a schema has made anything of it. */
  readonly parsed: unknown
  readonly requestId: string | undefined
  readonly body: unknown
  /** Null unless items may be set apart. */
  readonly invalid: readonly InvalidItem[] | null
}

/**
 * Reads and checks a success, and accounts for it. What was paid for is never dropped: an answer that cannot be used
 * travels on the error.
 *
 * @throws {AttemptFailure}
 */
export async function readAnswer(call: Call, entry: Attempt, received: Received): Promise<Success> {
  const { operation, settings } = call
  const { response, complete } = received
  const isWhole = response.status !== 206 && complete
  const { text, value } = withoutSecrets(
    received.text,
    isWhole ? parsed(received.text, settings.dialect) : undefined,
    settings,
  )
  const requestId = settings.redactor.requestId(value)
  if (requestId !== undefined) entry.requestId = requestId
  // Only the service puts its request id into a body; without one it may be a proxy's.
  account(call, entry, received, requestId === undefined ? undefined : value)

  const checked =
    value === undefined ? unreadable(response.status, text, complete) : decode(operation, value, settings)
  const decoded = checked instanceof Promise ? await inTime(call, entry, checked) : checked
  if (!decoded.ok) {
    const { redactor } = settings
    const error = new InvalidResponseError(redactor.text(decoded.complaint), {
      ...call.context(entry.charged),
      requestId,
      issues: redactor.data(decoded.issues.map((issue) => ({ ...issue }))),
      body: value ?? text,
    })
    throw new AttemptFailure(error, { kind: 'unreadable', announced: null }, entry.charged)
  }
  settings.log?.('debug', 'answered', {
    ...{ operation: operation.id, attempt: call.attempts.length, status: response.status },
    ...{ durationMs: Math.round(entry.duration), requestId },
  })
  const { body, invalid } = decoded
  return { response, redactor: settings.redactor, text, parsed: value, requestId, body, invalid }
}

/** Takes out whatever repeats a secret: pages end up in logs, and proxies pass them on. */
function withoutSecrets(
  text: string,
  value: unknown,
  { redactor, dialect }: Settings,
): { text: string; value: unknown } {
  if (!redactor.suspects(text)) return { text, value }
  const root = { value }
  const found = redactor.purge(root)
  return { text: found ? (dialect.stringify(root.value) ?? '') : redactor.text(text), value: root.value }
}

/** Accounts for a success. `body` is undefined where it is not recognizably the service's own. */
function account(call: Call, entry: Attempt, { response, origin }: Received, body: unknown): void {
  const { operation, purchase, settings } = call
  if (!call.metered || origin === 'middleware') return
  const isTold = origin === 'service' && response.headers.has(creditsHeader)
  const told = isTold ? readCredits(response.headers) : null
  if (told !== null) {
    purchase.settle(told.spent, told.uncertain)
    entry.charged = told.charged
    return
  }
  const cost = origin === 'service' && body !== undefined ? costOf(operation, body, settings.paging) : null
  if (cost === null) purchase.doubt()
  else purchase.settle(cost)
  // Where the price is the same for every success, a success is enough to know that it was charged.
  const isKnown = cost !== null || operation.price.kind === 'perRequest'
  entry.charged = origin === 'service' && isKnown ? 'yes' : 'unknown'
}

/** A schema of the caller's may take its time; it must not outlast the call. */
async function inTime(call: Call, entry: Attempt, checking: Promise<Decoded>): Promise<Decoded> {
  try {
    return await call.race(() => checking)
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw AttemptFailure.final(error, entry.charged)
    return { ok: false, complaint: 'the deadline passed while the answer was checked', issues: [] }
  }
}

function unreadable(status: number, text: string, complete: boolean): Decoded {
  const complaint = !complete
    ? `the answer is larger than ${maxBodyBytes} bytes and was cut off`
    : status === 206
      ? 'the answer is partial (206)'
      : text === ''
        ? `the answer is empty (${status})`
        : 'the answer is not JSON'
  return { ok: false, complaint, issues: [] }
}
