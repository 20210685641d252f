import type { Operation } from '../contract/operation.ts'
import {
  type Attempt,
  AuthenticationError,
  type Charged,
  ClosedError,
  SocialSearchError,
  TimeoutError,
  type TimeoutPhase,
  annotate,
} from '../errors.ts'
import { abortable, linkAbort } from './abort.ts'
import { AttemptFailure } from './failure.ts'
import type { Lease } from './limiter.ts'
import type { Purchase } from './purchase.ts'
import { nextWait, stakeOf } from './retry-policy.ts'
import type { CallSettings } from './settings.ts'
import { now, sleep } from './time.ts'

/** One call under way: what it is, how far it has come, and when it has to end. */
export class Call {
  readonly operation: Operation
  /** JSON text to send, if the operation has a body. */
  readonly body: string | undefined
  readonly settings: CallSettings
  readonly purchase: Purchase
  readonly signal: AbortSignal
  readonly attempts: Attempt[] = []
  phase: TimeoutPhase = 'queue'
  /** The token of the latest attempt. */
  token: string | undefined
  readonly #failures: AttemptFailure[] = []
  readonly #dispose: () => void
  readonly #endsAt: number
  #wait: number | null = null
  #renewed = false

  constructor(
    operation: Operation,
    params: object,
    settings: CallSettings,
    purchase: Purchase,
    closing: AbortSignal,
  ) {
    this.operation = operation
    this.body = operation.method === 'GET' ? undefined : JSON.stringify(params)
    this.settings = settings
    this.purchase = purchase
    const { deadlineMs, signal } = settings
    const linked = linkAbort([signal, closing])
    const timer =
      deadlineMs === undefined
        ? undefined
        : setTimeout(() => linked.abort(this.#overdue(deadlineMs)), deadlineMs)
    this.#endsAt = now() + (deadlineMs ?? Infinity)
    this.signal = linked.signal
    this.#dispose = () => {
      clearTimeout(timer)
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

  /**
   * Takes note of a failed attempt, and hands the failure back. Must run while the attempt still holds its slot: a 429
   * has to close the surface before others go.
   */
  failed(entry: Attempt, failure: AttemptFailure): AttemptFailure {
    const { operation, settings } = this
    const { error, outcome } = failure
    // A middleware may have answered in place of the service, or failed before it was its turn.
    const charged = entry.sent === null ? 'no' : failure.charged
    entry.outcome = outcome
    entry.charged = charged
    if (error instanceof SocialSearchError && error.requestId !== undefined) entry.requestId = error.requestId
    this.purchase.fail(charged)
    this.#failures.push(failure)
    this.#wait = nextWait(this.#failures, stakeOf(operation), settings.retry, Math.random)
    if (failure.kind === 'rate-limited')
      settings.limiter.hold(this.surface, failure.announced || (this.#wait ?? 0))
    const fields = {
      operation: operation.id,
      attempt: this.attempts.length,
      outcome,
      charged,
      requestId: entry.requestId,
    }
    settings.log(charged === 'no' ? 'debug' : 'warn', 'attempt failed', fields)
    return failure
  }

  /** Decides whether there is a next attempt, and waits until it is due. */
  async proceeds(failure: AttemptFailure): Promise<boolean> {
    const { credential, log } = this.settings
    if (failure.error instanceof AuthenticationError && credential.refreshable && !this.#renewed) {
      this.#renewed = true
      await abortable(this.signal, () => credential.refresh(this.token))
      return true
    }
    const wait = failure.kind === 'final' ? null : this.#wait
    if (wait === null || now() + wait >= this.#endsAt) return false
    log('info', 'retrying', {
      operation: this.operation.id,
      attempt: this.attempts.length,
      waitMs: Math.round(wait),
    })
    // The surface is closed for as long as a 429 asks; waiting there keeps the call's place in the queue.
    if (failure.kind === 'rate-limited') return true
    this.phase = 'wait'
    await sleep(wait, this.signal)
    const latest = this.attempts.at(-1)
    if (latest) latest.waited = wait
    return true
  }

  /** What the caller is told of a call that failed. */
  conclude(failure: unknown): unknown {
    let error = failure instanceof AttemptFailure ? failure.error : failure
    // Closing ends all calls with one reason; each needs an error of its own to carry its own facts.
    if (error instanceof ClosedError) error = new ClosedError({ operation: this.operation.id })
    if (error instanceof SocialSearchError)
      annotate(error, { charged: this.#charged(), attempts: this.attempts })
    return error
  }

  dispose(): void {
    this.purchase.close()
    this.#dispose()
  }

  #charged(): Charged {
    const all = this.attempts.map(({ charged }) => charged)
    if (all.includes('yes')) return 'yes'
    return all.includes('unknown') ? 'unknown' : 'no'
  }

  #overdue(deadlineMs: number): TimeoutError {
    const message = `the deadline of ${deadlineMs} ms passed (${this.phase})`
    return new TimeoutError(message, { operation: this.operation.id, phase: this.phase })
  }
}
