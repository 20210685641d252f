import { type Call, type Answer, type Send, Cancellation, contextOf } from '../../extend.ts'
import { CreditBudgetError, SocialSearchError, failureFor, setNonEnumerable } from '../../errors/index.ts'
import type { CacheLookup, Entry } from './cache-lookup.ts'

/** The answer for one call. */
export interface SharedAnswer {
  readonly entry: Entry
  /** The answer that was fetched; undefined if the store had it. */
  readonly fetched?: Answer
  /** Whether the answer was fetched for this call, which then has its attempts and credits. */
  readonly isPayer: boolean
}

/** How a request ended. */
type Ending = {
  /** The first call that waited then: it has paid what the request has cost. */
  readonly payer: Call | undefined
  /** Of the request. */
  readonly record: Call['record']
} & (Pick<SharedAnswer, 'entry' | 'fetched'> | { readonly failure: unknown })

/** A request that follows the options of one call, except for its signal and deadline. */
interface Lead {
  readonly leader: Call
  /** The call that pays gets it: it need not be the leader. */
  readonly record: Call['record']
  readonly end: SharedCancellation
}

/**
 * Equal calls that share one request. The first that waits is the leader: the request follows its options, and takes its budget. The
 * first that still waits at the end is the payer: it gets the record of the request, and the others pay nothing. A request ends in one of four ways:
 *
 * - With an answer: all get it, and so do calls that join until the store has it.
 * - With a failure of the leader alone, such as its budget, its headers or its deadline: calls before the first one that it does not
 *   concern get it, and that one leads another request.
 * - With a failure of all, or one that may have been charged: all get it.
 * - With the last call that leaves: that one gets what became of the request. A call that leaves before rejects at once, and the
 *   request goes on.
 */
export class SharedRequest {
  readonly #stored: CacheLookup
  readonly #send: Send
  readonly #close: () => void
  /** The calls that wait, and what tells each of them the ending. */
  readonly #waiting = new Map<Call, (ending: Ending) => void>()
  #lead: Lead | undefined
  #ending: Ending | undefined
  /** What was fetched, once it is here. Calls may join until the store has it. */
  fetched: Entry | undefined

  /** @param close Called when no further call may join. */
  constructor(stored: CacheLookup, send: Send, close: () => void) {
    this.#stored = stored
    this.#send = send
    this.#close = close
  }

  /** Waits for the answer. The first call that joins begins the request. */
  async join(call: Call): Promise<SharedAnswer> {
    const ending = this.#ending ?? (await this.#wait(call))
    const isPayer = call === ending.payer
    // Of a call that its caller has aborted, observers learn what its record says.
    if (isPayer) call.record = ending.record
    if (!('failure' in ending)) return { ...ending, isPayer }
    const { signal } = call.cancellation
    // The request knows only the signal of its leader.
    if (signal.aborted && signal.reason === call.settings.signal?.reason) throw signal.reason
    throw isPayer ? ending.failure : failureOf(call, ending.failure)
  }

  #wait(call: Call): Promise<Ending> {
    const { cancellation } = call
    const told = new Promise<Ending>((resolve) => this.#waiting.set(call, resolve))
    if (this.#lead === undefined) void this.#run(this.#leadOf(call))
    else cancellation.markInFlight(this.#lead.end.isInFlight)
    return cancellation
      .race(() => told)
      .catch((reason: unknown) => {
        this.#leave(call, reason)
        // The last call that waits gets the facts of the request that ends with it.
        return told
      })
  }

  /** Ends the request, if it does not go on without this call. @throws the reason if it does. */
  #leave(call: Call, reason: unknown): void {
    const isLast = this.#waiting.size === 1
    if (!isLast) this.#waiting.delete(call)
    else this.#close()
    // Nothing more is sent on the budget of a leader that has left.
    if (isLast || (call === this.#lead?.leader && !this.#lead.end.isInFlight)) this.#lead?.end.abort(reason)
    if (!isLast) throw reason
  }

  #leadOf(leader: Call): Lead {
    return (this.#lead = {
      leader,
      record: { ...leader.record },
      end: new SharedCancellation(leader, this.#waiting),
    })
  }

  /** Sends the request, once for each call that leads it. It never rejects. */
  async #run(first: Lead): Promise<void> {
    let lead: Lead | undefined = first
    while (lead !== undefined) lead = this.#tell(await this.#fetch(lead), lead)
  }

  /** Tells the ending to the calls that it concerns, up to the first that it does not: that one leads next. */
  #tell(ending: Ending, lead: Lead): Lead | undefined {
    for (const [call, tell] of this.#waiting) {
      if ('failure' in ending && !concerns(call, lead)) return this.#leadOf(call)
      this.#waiting.delete(call)
      tell(ending)
    }
    this.#ending = ending
    // Calls may join until the store has what was fetched.
    if (this.fetched === undefined) this.#close()
    return undefined
  }

  /** Looks into the store, or else sends the request. It never rejects. */
  async #fetch({ leader, record, end }: Lead): Promise<Ending> {
    try {
      const stored = await end.race(() => this.#stored.find())
      if (stored !== null) return { entry: stored, payer: undefined, record }
      end.throwIfAborted()
      // Each call validates the answer by its own options.
      const settings = { ...leader.settings, validation: 'off' as const, schema: undefined }
      const fetched = await this.#send({ ...leader, settings, cancellation: end, record })
      const entry = (this.fetched = this.#stored.toEntry(fetched))
      const deleted = this.#stored.deleteNext(fetched)
      // A store that hangs holds no answer beyond the deadline.
      await end.race(() => deleted).catch(() => {})
      void this.#stored.store(entry, fetched).then(this.#close)
      return { entry, fetched, payer: this.#firstWaiting, record }
    } catch (failure) {
      return { failure, payer: this.#firstWaiting, record }
    }
  }

  get #firstWaiting(): Call | undefined {
    const [first] = this.#waiting.keys()
    return first
  }
}

/** Whether the failure of a request is one of this call, too, and not of its leader alone. */
function concerns(call: Call, { leader, record, end }: Lead): boolean {
  if (record.tookEffect !== 'no' || call === leader || call.cancellation.signal.aborted) return true
  // One that was to be retried did not end the call: that was something of its own, such as its budget.
  const isOwn = record.failures.at(-1)?.wait !== null
  return !end.isLeft && (!isOwn || isAlike(call, leader))
}

/** Whether what fails for one call before it is sent fails for another, too: both have the same budgets, headers and time. */
function isAlike(call: Call, leader: Call): boolean {
  const [own, leading] = [call.settings, leader.settings]
  return (
    own.budget.length === leading.budget.length &&
    own.budget.every((each) => leading.budget.includes(each)) &&
    (own.headers === leading.headers ||
      ![own, leading].some(({ headers }) => typeof headers === 'function')) &&
    call.cancellation.sendBy <= leader.cancellation.sendBy
  )
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
  readonly #waiting: ReadonlyMap<Call, unknown>

  /** @param waiting The calls that wait for the request. */
  constructor(leader: Call, waiting: ReadonlyMap<Call, unknown>) {
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
    for (const { cancellation } of this.#waiting.keys()) latest = Math.max(latest, cancellation.sendBy)
    return latest
  }

  /** What is in flight for the request is so for each call that waits. */
  override markInFlight(isInFlight: boolean): void {
    super.markInFlight(isInFlight)
    for (const { cancellation } of this.#waiting.keys()) cancellation.markInFlight(isInFlight)
  }

  override throwIfAborted(): void {
    super.throwIfAborted()
    if (performance.now() > this.sendBy)
      for (const { cancellation } of this.#waiting.keys()) cancellation.throwIfAborted()
  }
}
