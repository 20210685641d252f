// A process's side of a shared budget: its reservations and their outcomes go into the text with the next update, together with the calls that
// ask for credits meanwhile. An outcome stays here until the store has confirmed it, so it is reported again after an update without a reply.

import { within } from '../../lib/abort.ts'
import { randomId } from '../../lib/hash.ts'
import { arrivalMs, waitAtEnd } from '../../lib/period.ts'
import { isTiedToRequests } from '../../lib/runtime.ts'
import { sleep } from '../../lib/time.ts'
import {
  type BudgetRequest,
  type BudgetState,
  type BudgetTerms,
  type OpenReservation,
  type Spent,
  asksAgain,
  changeBudget,
} from './budget-change.ts'
import { type SharedOptions, StoredText, retryMs } from './stored-text.ts'

/** The state after a request, and the reservation; null if it was refused. */
export interface Reserved {
  readonly state: BudgetState
  readonly period: string
  readonly reservation: OpenReservation | null
}

/** What a call asks for, and how it gets the reply. */
interface PendingRequest extends BudgetRequest {
  readonly resolve: (reserved: Reserved) => void
  readonly reject: (error: unknown) => void
}

/** Keeps the text of a budget and this process's reservations in step. */
export class BudgetSync extends StoredText<BudgetState> {
  /** From the call of `close()` on, it renews no reservation any more. */
  isClosed = false
  readonly #terms: BudgetTerms
  readonly #open = new Set<OpenReservation>()
  /** Outcomes that the store may not know yet. */
  readonly #outcomes: Spent[] = []
  /** How many earlier ones it knows: it has `counted` them in the entry of this process. */
  #confirmed = 0
  /** Whether the store may have reserved credits for calls that were refused, since its reply is missing. */
  #lacksReply = false
  /** From the end of `close()` on, it tries no more to report what the store does not know. */
  #isStopped = false
  /** The wall clock of this process when it read the state. */
  #readAtWall = 0
  /** When a call last asked for something, in monotonic milliseconds. */
  #askedAt = -Infinity
  /** Those of the next update, and, if it runs, of that one. */
  #pending: PendingRequest[] = []

  constructor(options: SharedOptions, name: string, terms: BudgetTerms) {
    // The number changes with the text.
    super(options, 'budget-3', name)
    this.#terms = terms
  }

  /** Asks for credits with the next update, or with null for the state. Rejects with the error of the store. */
  request(credits: number | null, earlier?: OpenReservation): Promise<Reserved> {
    return new Promise((resolve, reject) => this.#queue({ credits, earlier, resolve, reject }))
  }

  /**
   * Whether a request that is sent now arrives in a period for sure. The clock that does not stop in a sleep may be set, so both
   * have to say so.
   */
  isIn(period: string): boolean {
    const { periodAt } = this.#terms
    const times = this.#times().flatMap((time) => [time, time + arrivalMs])
    return times.length > 0 && times.every((time) => periodAt(time) === period)
  }

  /** How long to wait until requests can be sent that arrive in the period of their sending, in milliseconds. */
  waitAtEnd(): number {
    return Math.max(0, ...this.#times().map((time) => waitAtEnd(time, this.#terms.periodAt)))
  }

  /** What the store's clock shows, by each clock of this process. */
  #times(): number[] {
    const { latest } = this
    if (latest === undefined) return []
    return [performance.now() - latest.readAt, Date.now() - this.#readAtWall].map((ms) => latest.clock + ms)
  }

  #queue(request: PendingRequest): void {
    this.#askedAt = performance.now()
    this.#pending.push(request)
    this.updateNow()
  }

  /** Ends a reservation. Further calls have no effect. */
  end(reservation: OpenReservation, spent: number, uncertain: number): void {
    if (!this.#open.delete(reservation)) return
    this.#outcomes.push({ period: reservation.period, spent, uncertain })
    this.updateNow()
  }

  /** How many reservations have ended whose outcome the store may not know yet. */
  get unreported(): number {
    return this.#outcomes.length
  }

  /** Whether no call uses it, and the store knows all that has happened. */
  get isIdle(): boolean {
    const isUsed = this.#open.size + this.#pending.length > 0 || this.running !== undefined
    return !isUsed && this.#isReported
  }

  /** Whether the incoming request that it belongs to was cut off: it has renewed nothing for a whole lease, or tried no more to report. */
  get isCutOff(): boolean {
    const longest = this.#isReported ? this.#terms.leaseMs : this.timeoutMs + 3 * retryMs
    const seenAt = Math.max(this.#askedAt, this.updatedAt)
    return isTiedToRequests() && !this.isIdle && performance.now() - seenAt > longest
  }

  /** Whether the store knows all that has happened. */
  get #isReported(): boolean {
    return !this.#lacksReply && this.unreported === 0
  }

  /**
   * Resolves when the store knows the outcome of each reservation that has ended so far, and of each call refused. When it is
   * stopped, it rejects if the store fails once more.
   */
  async flush(): Promise<void> {
    if (this.#isReported && this.#pending.length === 0) return
    // An update that begins now reports all of it. One that runs ends in time, but for that of a request that was cut off.
    const ms = this.#isStopped ? 2 * this.timeoutMs : Infinity
    const late = (): never => {
      throw new Error(`no reply within ${ms} ms`)
    }
    await within(ms, () => this.request(null), late).catch(async (error: unknown) => {
      if (this.#isStopped) throw error
      // So that close() tries twice.
      await sleep(Math.min(retryMs, this.timeoutMs / 2))
      return this.flush()
    })
  }

  /** Tries no more to reach the store. */
  stop(): void {
    this.#isStopped = true
    this.schedule()
  }

  protected onFailure(error: unknown): void {
    for (const { reject } of this.#pending.splice(0)) reject(error)
  }

  protected async update(): Promise<void> {
    const requests = [...this.#pending]
    const [outcomes, open] = [[...this.#outcomes], new Set(this.#open)]
    const report = { process: this.id, confirmed: this.#confirmed, outcomes, open, requests }
    this.#lacksReply ||= requests.some(({ credits }) => credits !== null)
    const readAtWall = Date.now()
    const { state, period, replies } = await this.change((text, times) =>
      changeBudget(text, times, this.latest?.state, report, this.#terms, randomId()),
    )
    this.#readAtWall = readAtWall
    this.#lacksReply = false
    this.#pending.splice(0, requests.length)
    this.#confirmed += this.#outcomes.splice(0, outcomes.length).length
    for (const [request, reply] of replies) {
      const reservation = reply === 'reserved' ? this.#reserve(request, period) : null
      if (asksAgain(reply, this.unreported)) this.#queue(request)
      else request.resolve({ state, period, reservation })
    }
  }

  #reserve({ credits, earlier }: PendingRequest, period: string): OpenReservation {
    if (earlier !== undefined) return Object.assign(earlier, { period })
    const reservation = { credits: credits ?? 0, period }
    this.#open.add(reservation)
    return reservation
  }

  protected get isRetried(): boolean {
    return !this.#isStopped && (!this.#isReported || this.#open.size > 0)
  }

  /** Credits of refused calls are freed while it lives, but an unavailable store must not keep it alive. */
  protected override get mayEnd(): boolean {
    return this.unreported === 0
  }

  protected nextUpdateAt(): number {
    return this.#open.size === 0 || this.isClosed ? Infinity : this.updatedAt + this.#terms.leaseMs / 3
  }
}
