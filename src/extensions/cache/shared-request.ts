import { type Call, type CallResult, type Send, Cancellation, contextOf } from '../../extend.ts'
import { SocialSearchError, failureFor } from '../../errors/index.ts'
import type { CacheLookup, Entry } from './cache-lookup.ts'

/** The answer for one call. */
export interface SharedAnswer {
  readonly entry: Entry
  /** The answer that was fetched; undefined if the store had it. */
  readonly fetched?: CallResult
  /** Whether the answer was fetched for this call, which then has its attempts and credits. */
  readonly isPayer: boolean
}

/**
 * Equal calls that share one request. It follows the options of the call that began it, except for its signal and deadline,
 * and goes on as long as a call waits for it; the first of these pays.
 */
export class SharedRequest {
  readonly #stored: CacheLookup
  readonly #send: Send
  readonly #close: () => void
  readonly #leader: Call
  readonly #waiting = new Set<Call>()
  readonly #end = new SharedCancellation(this.#waiting)
  #payer: Call | undefined
  #answer: Promise<Omit<SharedAnswer, 'isPayer'>> | undefined
  #isSent = false
  #isOver = false
  /** Why the request has failed. */
  #failure: unknown
  #fetched: Entry | undefined

  /**
   * @param leader The call that begins the request.
   * @param close Called when no further call may join.
   */
  constructor(stored: CacheLookup, leader: Call, send: Send, close: () => void) {
    this.#stored = stored
    this.#leader = leader
    this.#send = send
    this.#close = close
  }

  /** What was fetched, once it is here. Calls may join until the store has it. */
  get fetched(): Entry | undefined {
    return this.#fetched
  }

  /** Waits for the answer. The first call that joins begins the request. */
  async join(call: Call): Promise<SharedAnswer> {
    const { cancellation } = call
    this.#waiting.add(call)
    cancellation.markInFlight(this.#end.isInFlight)
    const answer = (this.#answer ??= this.#fetch())
    answer.catch(() => {})
    try {
      return { ...(await cancellation.race(() => answer)), isPayer: call === this.#payer }
    } catch (error) {
      this.#waiting.delete(call)
      if (error === this.#failure) throw this.#failureOf(call, error)
      if (this.#isOver || this.#isNeededAfter(call)) throw error
      this.#close()
      this.#end.abort(error)
      if (!this.#isSent) throw error
      // The last call that waits gets the facts of the request that ends with it.
      return { ...(await answer), isPayer: true }
    }
  }

  /** The failure of the request, for one of its calls. What it cost, the first one has paid. */
  #failureOf(call: Call, error: unknown): unknown {
    if (call === this.#payer || !(error instanceof SocialSearchError)) return error
    const { charged, attempts, requestId, body } = error
    return failureFor(error, {
      ...contextOf(call.operation, call.request),
      callId: call.id,
      charged,
      attempts,
      requestId,
      body,
    })
  }

  /** Whether the request goes on when a call has left. */
  #isNeededAfter(call: Call): boolean {
    // Nothing is sent on the budget of a call that has left: the others begin anew, each on its own.
    const wouldPay = call === this.#leader && this.#end.isUnsent
    return this.#waiting.size > 0 && !wouldPay
  }

  /** Whether a call sends the request itself after an error: nothing was sent for the first one, or it does not retry alike. */
  mayTakeOver(call: Call, error: unknown): boolean {
    if (call === this.#leader || call.cancellation.signal.aborted) return false
    const { charged = 'no', attempts = [] } = error instanceof SocialSearchError ? error : {}
    const isUnsent = attempts.every(({ sent }) => sent === null)
    const policies = [call, this.#leader].map(({ settings }) => JSON.stringify(settings.retry))
    return charged === 'no' && (isUnsent || policies[0] !== policies[1])
  }

  async #fetch(): Promise<Omit<SharedAnswer, 'isPayer'>> {
    const { settings } = this.#leader
    try {
      const stored = await this.#stored.find()
      if (stored !== null) return { entry: stored }
      this.#end.throwIfAborted()
      this.#isSent = true
      // Each call validates the answer by its own options.
      const own = { ...settings, validation: 'off' as const, schema: undefined }
      const fetched = await this.#send({ ...this.#leader, settings: own, cancellation: this.#end })
      const entry = (this.#fetched = this.#stored.toEntry(fetched))
      const deleted = this.#stored.deleteNext(fetched)
      // A store that hangs holds no answer beyond the deadline.
      await this.#end.race(() => deleted).catch(() => {})
      ;[this.#payer] = this.#waiting
      void this.#stored.store(entry, fetched).then(this.#close)
      return { entry, fetched }
    } catch (error) {
      this.#failure = error
      ;[this.#payer] = this.#waiting
      throw error
    } finally {
      this.#isOver = true
      // Calls may join until the store has what was fetched.
      if (this.#fetched === undefined) this.#close()
    }
  }
}

/** What ends a request that equal calls share: nothing but the last of them that waits. */
class SharedCancellation extends Cancellation {
  readonly #waiting: ReadonlySet<Call>
  #wasInFlight = false

  /** @param waiting The calls that wait for the request. */
  constructor(waiting: ReadonlySet<Call>) {
    super()
    this.#waiting = waiting
  }

  /** Until when one of the calls needs it to be sent. */
  override get sendBy(): number {
    let latest = -Infinity
    for (const { cancellation } of this.#waiting) latest = Math.max(latest, cancellation.sendBy)
    return latest
  }

  /** Whether nothing has been sent. */
  get isUnsent(): boolean {
    return !this.#wasInFlight
  }

  /** What is in flight for the request is so for each call that waits. */
  override markInFlight(isInFlight: boolean): void {
    super.markInFlight(isInFlight)
    this.#wasInFlight ||= isInFlight
    for (const { cancellation } of this.#waiting) cancellation.markInFlight(isInFlight)
  }

  override throwIfAborted(): void {
    super.throwIfAborted()
    if (performance.now() > this.sendBy)
      for (const { cancellation } of this.#waiting) cancellation.throwIfAborted()
  }
}
