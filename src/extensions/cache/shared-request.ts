import { type Call, type CallResult, type Send, Cancellation, contextOf } from '../../extend.ts'
import { CreditBudgetError, SocialSearchError, failureFor, setNonEnumerable } from '../../errors/index.ts'
import type { CacheLookup, Entry } from './cache-lookup.ts'

/** The answer for one call. */
export interface SharedAnswer {
  readonly entry: Entry
  /** The answer that was fetched; undefined if the store had it. */
  readonly fetched?: CallResult
  /** Whether the answer was fetched for this call, which then has its attempts and credits. */
  readonly isPayer: boolean
}

/** How a request ended. What it cost, the first call that waited then has paid. */
type Outcome = { readonly payer?: Call | undefined } & (
  Pick<SharedAnswer, 'entry' | 'fetched'> | { readonly failure: unknown }
)

/**
 * Equal calls that share one request. It follows the options of the call that began it, except for its signal and deadline,
 * and goes on as long as a call waits for it; the first of these pays.
 */
export class SharedRequest {
  readonly #stored: CacheLookup
  readonly #send: Send
  readonly #close: () => void
  readonly #leader: Call
  /** Of the request. The call that pays gets it: it need not be the leader. */
  readonly #record: Call['record']
  readonly #waiting = new Set<Call>()
  readonly #end: SharedCancellation
  #outcome: Promise<Outcome> | undefined
  #fetched: Entry | undefined

  /**
   * @param leader The call that begins the request.
   * @param close Called when no further call may join.
   */
  constructor(stored: CacheLookup, leader: Call, send: Send, close: () => void) {
    this.#stored = stored
    this.#leader = leader
    this.#end = new SharedCancellation(leader, this.#waiting)
    this.#record = { ...leader.record }
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
    const ending = (this.#outcome ??= this.#fetch())
    const outcome = await cancellation
      .race(() => ending)
      .catch((reason: unknown) => {
        this.#leave(call, reason)
        // The last call that waits gets the facts of the request that ends with it.
        return ending
      })
    const isPayer = call === outcome.payer
    // Of a call that its caller has aborted, observers learn what its record says.
    if (isPayer) call.record = this.#record
    if (!('failure' in outcome)) return { ...outcome, isPayer }
    throw isPayer ? outcome.failure : failureOf(call, outcome.failure)
  }

  /** Ends the request, if it does not go on without this call. @throws the reason if it does. */
  #leave(call: Call, reason: unknown): void {
    const isLast = this.#waiting.size === 1
    // Nothing more is sent on the budget of a leader that has left: the others begin anew, each on its own.
    if (!isLast && (call !== this.#leader || this.#end.isInFlight)) {
      this.#waiting.delete(call)
      throw reason
    }
    this.#close()
    this.#end.abort(reason)
  }

  /** Whether a call sends the request itself after a failure, which was the leader's alone: another budget refused, or it has left. */
  mayTakeOver(call: Call, error: unknown): boolean {
    if (call === this.#leader || call.cancellation.signal.aborted) return false
    const isFree = this.#end.signal.aborted || this.#record.tookEffect === 'no'
    const [own = [], leading = []] = [call, this.#leader].map(({ settings }) => settings.budget)
    const isSame = own.length === leading.length && own.every((each) => leading.includes(each))
    return (error instanceof CreditBudgetError && !isSame) || (isFree && this.#end.isLeft)
  }

  /** Looks into the store, or else sends the request. It never rejects. */
  async #fetch(): Promise<Outcome> {
    const { settings } = this.#leader
    try {
      const stored = await this.#end.race(() => this.#stored.find())
      if (stored !== null) return { entry: stored }
      this.#end.throwIfAborted()
      // Each call validates the answer by its own options.
      const own = { ...settings, validation: 'off' as const, schema: undefined }
      const sent = { ...this.#leader, settings: own, cancellation: this.#end, record: this.#record }
      const fetched = await this.#send(sent)
      const entry = (this.#fetched = this.#stored.toEntry(fetched))
      const deleted = this.#stored.deleteNext(fetched)
      // A store that hangs holds no answer beyond the deadline.
      await this.#end.race(() => deleted).catch(() => {})
      void this.#stored.store(entry, fetched).then(this.#close)
      return { entry, fetched, payer: this.#firstWaiting }
    } catch (error) {
      return { failure: error, payer: this.#firstWaiting }
    } finally {
      // Calls may join until the store has what was fetched.
      if (this.#fetched === undefined) this.#close()
    }
  }

  get #firstWaiting(): Call | undefined {
    const [first] = this.#waiting
    return first
  }
}

/** The failure of a request, for a call that has not paid for it. */
function failureOf(call: Call, error: unknown): unknown {
  if (!(error instanceof SocialSearchError)) return error
  const { charged, attempts, requestId, body } = error
  const failure = failureFor(error, {
    ...contextOf(call.operation, call.request),
    callId: call.id,
    charged,
    attempts,
    requestId,
    body,
  })
  if (error instanceof CreditBudgetError) setNonEnumerable(failure, 'refusedBy', error.refusedBy)
  return failure
}

/** What ends a request that equal calls share: nothing but the last of them that waits. */
class SharedCancellation extends Cancellation {
  readonly #leader: Call
  readonly #waiting: ReadonlySet<Call>

  /** @param waiting The calls that wait for the request. */
  constructor(leader: Call, waiting: ReadonlySet<Call>) {
    super()
    this.#leader = leader
    this.#waiting = waiting
  }

  /** Whether the leader, whose budget pays, sends nothing more. */
  get isLeft(): boolean {
    const { signal, sendBy } = this.#leader.cancellation
    return signal.aborted || sendBy === -Infinity
  }

  /** Until when one of the calls needs it to be sent. */
  override get sendBy(): number {
    if (this.isLeft) return -Infinity
    let latest = -Infinity
    for (const { cancellation } of this.#waiting) latest = Math.max(latest, cancellation.sendBy)
    return latest
  }

  /** What is in flight for the request is so for each call that waits. */
  override markInFlight(isInFlight: boolean): void {
    super.markInFlight(isInFlight)
    for (const { cancellation } of this.#waiting) cancellation.markInFlight(isInFlight)
  }

  override throwIfAborted(): void {
    super.throwIfAborted()
    if (performance.now() > this.sendBy)
      for (const { cancellation } of this.#waiting) cancellation.throwIfAborted()
  }
}
