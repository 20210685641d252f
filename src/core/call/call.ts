import type { Lease } from '../limits/limiter.ts'
import type { Operation } from '../../contract/operation.ts'
import {
  ApiError,
  type Attempt,
  ClosedError,
  CredentialError,
  SocialSearchError,
  TimeoutError,
  type TimeoutPhase,
  annotate,
} from '../../errors.ts'
import { abortable, linkAbort } from '../lib/abort.ts'
import type { Received } from './exchange.ts'
import { AttemptFailure } from '../retry/failure.ts'
import type { Message } from './compose-request.ts'
import { costOf } from '../credits/price.ts'
import type { Purchase } from '../credits/purchase.ts'
import type { ToldCredits } from '../http/proxy-protocol.ts'
import { nextWait, stakeOf } from '../retry/policy.ts'
import type { CallSettings } from '../options/settings.ts'
import { tell } from './slot.ts'
import { now, sleep } from '../lib/time.ts'

/** When time ran out, in words. */
const moments: Record<TimeoutPhase, string> = {
  queue: 'in the queue',
  headers: 'before the answer began',
  body: 'before the answer was complete',
  wait: 'between two attempts',
}

/** One call under way: what it is, how far it has come, and when it has to end. */
export class Call {
  readonly operation: Operation
  readonly message: Message
  readonly settings: CallSettings
  readonly purchase: Purchase
  readonly signal: AbortSignal
  readonly attempts: Attempt[] = []
  phase: TimeoutPhase = 'queue'
  /** The token of the latest attempt. */
  token: string | undefined
  /** Monotonic time before which a 429 forbids the next send. */
  notBefore = -Infinity
  /** Monotonic time after which there is no further send. */
  readonly sendBy: number
  readonly #closing: AbortSignal
  readonly #failures: AttemptFailure[] = []
  readonly #dispose: () => void
  #overdue: TimeoutError | undefined
  #wait: number | null = null
  #renewed = false

  constructor(
    operation: Operation,
    message: Message,
    settings: CallSettings,
    purchase: Purchase,
    closing: AbortSignal,
  ) {
    this.operation = operation
    this.message = message
    this.settings = settings
    this.purchase = purchase
    this.#closing = closing
    const { deadlineMs = Infinity, sendWithinMs = Infinity, signal, abandon } = settings
    const linked = linkAbort([signal, closing])
    const expire = (message: string): void => {
      const { phase } = this
      const isOut = (phase === 'headers' || phase === 'body') && this.attempts.at(-1)?.sent !== null
      const charged = isOut && operation.price.kind !== 'free' ? 'unknown' : 'no'
      this.#overdue = new TimeoutError(`${message} ${moments[phase]}`, {
        operation: operation.id,
        phase,
        charged,
      })
      linked.abort(this.#overdue)
    }
    const after = (ms: number, then: () => void) => (ms === Infinity ? undefined : setTimeout(then, ms))
    const isIdle = (): boolean => this.phase === 'queue' || this.phase === 'wait'
    const timers = [
      after(deadlineMs, () => expire(`the deadline of ${deadlineMs} ms passed`)),
      after(sendWithinMs, () => {
        if (isIdle()) expire(`it could not be sent within ${sendWithinMs} ms`)
      }),
    ]
    this.sendBy = now() + Math.min(deadlineMs, sendWithinMs)
    this.signal = linked.signal
    const leave = (): void => {
      if (isIdle()) linked.abort(abandon?.reason)
    }
    if (abandon?.aborted === true) leave()
    abandon?.addEventListener('abort', leave)
    this.#dispose = () => {
      abandon?.removeEventListener('abort', leave)
      timers.forEach(clearTimeout)
      linked.dispose()
    }
  }

  get surface(): string | null {
    return this.settings.surfaceOf(this.operation)
  }

  /** Adds an attempt to the timeline. */
  enter({ queued, paced }: Lease): Attempt {
    const attempt: Attempt = {
      queued,
      paced,
      sent: null,
      duration: 0,
      outcome: 'ok',
      charged: 'no',
      waited: 0,
    }
    this.attempts.push(attempt)
    return attempt
  }

  /** Accounts for a success. `body` is undefined where it is not recognizably the service's own. */
  bill(
    entry: Attempt,
    { origin, told }: { origin: Received['origin']; told: ToldCredits | null },
    body: unknown,
  ): void {
    const { price } = this.operation
    if (price.kind === 'free' || origin === 'middleware') return
    if (origin === 'service' && told !== null) {
      this.purchase.settle(told.spent, told.uncertain)
      entry.charged = told.charged
      return
    }
    const cost =
      origin === 'service' && body !== undefined ? costOf(this.operation, body, this.settings.paging) : null
    if (cost === null) this.purchase.doubt()
    else this.purchase.settle(cost)
    // Where the price is the same for every success, a success is enough to know that it was charged.
    entry.charged = origin === 'service' && (cost !== null || price.kind === 'perRequest') ? 'yes' : 'unknown'
  }

  /** Takes note of a failed attempt, and hands the failure back. */
  failed(entry: Attempt, failure: AttemptFailure): AttemptFailure {
    const { operation, settings } = this
    const { error, outcome } = failure
    // A middleware may have answered in place of the service, or failed before it was its turn.
    const charged = entry.sent === null ? 'no' : failure.charged
    entry.outcome = outcome
    entry.charged = charged
    if (error instanceof SocialSearchError && error.requestId !== undefined) entry.requestId = error.requestId
    if (charged !== 'no') {
      if (failure.told === null) this.purchase.doubt()
      else this.purchase.settle(failure.told.spent, failure.told.uncertain)
    }
    this.#failures.push(failure)
    this.#wait = nextWait(this.#failures, stakeOf(operation), settings.retry, Math.random)
    if (failure.kind === 'rate-limited') this.#hold(failure.announced || (this.#wait ?? 0))
    const fields = { operation: operation.id, attempt: this.attempts.length, outcome, charged }
    settings.log(charged === 'no' ? 'debug' : 'warn', 'attempt failed', {
      ...fields,
      requestId: entry.requestId,
    })
    return failure
  }

  /** Decides whether there is a next attempt, and waits until it is due. */
  async proceeds(failure: AttemptFailure): Promise<boolean> {
    this.phase = 'wait'
    if (this.settings.abandon?.aborted === true) return false
    if (this.#mayRenew(failure)) {
      const { token = '' } = this
      const renewal = this.settings.credential.refresh(token)
      // Whoever waits for it hears of its failure; where nobody does, the next call asks for itself.
      renewal.catch(() => {})
      if (this.attempts.length >= this.settings.retry.maxAttempts) return false
      this.#renewed = true
      // It says nothing about how the call fares with a token that is accepted.
      this.#failures.pop()
      await abortable(this.signal, () => renewal)
      return true
    }
    const wait = failure.kind === 'final' ? null : this.#wait
    if (wait === null || now() + wait >= this.sendBy) return false
    const fields = { operation: this.operation.id, attempt: this.attempts.length, waitMs: Math.round(wait) }
    this.settings.log('info', 'retrying', fields)
    // The surface is closed for as long as a 429 asks; waiting there keeps the call's place in the queue.
    if (failure.kind === 'rate-limited') return true
    await sleep(wait, this.signal)
    const latest = this.attempts.at(-1)
    if (latest) latest.waited = wait
    return true
  }

  /** What the caller is told of a call that failed. */
  conclude(failure: unknown): unknown {
    const error = failure instanceof AttemptFailure ? failure.error : failure
    if (this.signal.aborted && error === this.signal.reason && error !== this.#overdue) {
      // The caller's reason is handed back as it is. Closing has one reason for all calls, so each gets its own error.
      if (!this.#closing.aborted || error !== this.#closing.reason) return error
      return this.#complete(new ClosedError({ operation: this.operation.id }))
    }
    // Many calls may wait for one refresh; each has an account of its own.
    if (error instanceof CredentialError) return this.#complete(error.of(this.operation.id))
    return error instanceof SocialSearchError && error.operation === this.operation.id
      ? this.#complete(error)
      : error
  }

  dispose(): void {
    this.purchase.close()
    this.#dispose()
  }

  #complete(error: SocialSearchError): SocialSearchError {
    const all = this.attempts.map(({ charged }) => charged)
    const charged = all.includes('yes') ? 'yes' : all.includes('unknown') ? 'unknown' : 'no'
    annotate(error, { charged, attempts: this.attempts })
    return error
  }

  #mayRenew({ error }: AttemptFailure): boolean {
    const allowed = !this.#renewed && this.settings.credential.refreshable
    return allowed && error instanceof ApiError && error.status === 401
  }

  #hold(milliseconds: number): void {
    const { limiter, log } = this.settings
    this.notBefore = now() + milliseconds
    tell(() => limiter.hold(this.surface, milliseconds), log)
  }
}
