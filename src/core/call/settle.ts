import type { Attempt, Charged } from '../../errors/index.ts'
import type { CallCost } from '../credits/call-cost.ts'
import type { CallCredits } from '../credits/price.ts'
import { effectOf } from '../../api/operation-effect.ts'
import type { Evidence } from './attempt.ts'
import { type Call, logAt } from './call.ts'
import type { Checked } from './check-answer.ts'
import type { WritableRecord } from './record.ts'
import type { Turn } from './turn.ts'
import type { Failed, Verdict } from './verdict.ts'

/** Settles the attempts of one call: its money, its slot and its record, which nothing else writes. */
export class Settlement {
  readonly #call: Call
  readonly #record: WritableRecord
  readonly #cost: CallCost
  readonly #turn: Turn
  /** Whether an attempt has begun that is not settled yet. */
  #isOpen = false

  constructor(call: Call, cost: CallCost, turn: Turn) {
    this.#call = call
    this.#record = call.record
    this.#cost = cost
    this.#turn = turn
  }

  /** @param token That the attempt will send. */
  begin(token: string | null): void {
    const record = this.#record
    this.#isOpen = true
    if (this.#call.client.credential.fixed === undefined) record.redactor = record.redactor.with(token ?? '')
  }

  /**
   * Accounts for an attempt, and frees its slot; after a 429 it closes the surface, so that the next request does not run
   * into it.
   */
  settle(evidence: Evidence, verdict: Verdict): CallCredits {
    const credits = this.#account(verdict.effect, verdict.credits)
    const { kind, sent } = evidence
    const isCut = kind === 'answered' ? !evidence.complete : kind === 'late' || kind === 'aborted'
    const outcome = verdict.ok
      ? {}
      : { refusedForMs: verdict.closedMs ?? undefined, unsent: verdict.isUnsent }
    this.#turn.end(outcome, isCut && sent !== null)
    return credits
  }

  /** Notes an attempt that is settled, and tells the log and the observers. @param outcome What came of it. */
  note(evidence: Evidence, outcome: Checked | Failed, effect: Charged, credits: CallCredits): void {
    const call = this.#call
    const record = this.#record
    const { queued, paced, sent, duration, status } = evidence
    const { requestId } = outcome
    const failed = 'toError' in outcome ? outcome : undefined
    const charged = call.operation.price.kind === 'free' ? 'no' : effect
    const entry: Attempt = {
      ...{ queued, paced, sent, duration },
      outcome: failed?.code ?? 'ok',
      charged,
      // A call waits for the end of a 429 in its queue.
      waited: failed?.kind === 'rate-limited' ? 0 : (failed?.wait ?? 0),
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
    }
    record.attempts = [...record.attempts, entry]
    const number = record.attempts.length
    if (failed === undefined)
      logAt(call, number, 'debug', 'answered', { status, durationMs: Math.round(duration), requestId })
    else {
      call.cancellation.markInFlight(false)
      record.failures = [...record.failures, failed]
      // Without a retry, the caller gets the error.
      const level = effect === 'no' || failed.wait === null ? 'debug' : 'warn'
      logAt(call, number, level, 'attempt failed', { outcome: failed.code, charged, requestId })
    }
    if (evidence.kind === 'answered')
      call.client.endOfLife.tell(call.operation.id, evidence.response, call.settings.log)
    call.observer?.attempt(entry, credits)
  }

  /** Ends the call, whatever has happened: an attempt that nobody could settle may have been charged. */
  end(): void {
    const isOpen = this.#isOpen
    if (isOpen) this.#account(effectOf(this.#call.operation) === 'read' ? 'no' : 'unknown')
    this.#turn.end({ unsent: !isOpen })
    this.#cost.end()
  }

  #account(effect: Charged, reported?: CallCredits): CallCredits {
    const record = this.#record
    this.#isOpen = false
    const credits = this.#cost.settle(effect, reported)
    const { spent, uncertain } = record.credits
    record.credits = { spent: spent + credits.spent, uncertain: uncertain + credits.uncertain }
    if (record.effect === 'no' || effect === 'yes') record.effect = effect
    return credits
  }
}
