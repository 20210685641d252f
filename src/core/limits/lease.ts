import type { JitterMargin } from './jitter-margin.ts'
import type { Lease, Share } from './limiter.ts'
import type { Pace } from './pace.ts'
import type { Send, SendLog } from './send-log.ts'

/** One of the organization's slots, taken for the call that is next. */
export interface Slot {
  /** Whether the slot holds for this client; by default for any. */
  fits?(share: Share): boolean
  /** The slot is used, for this request. */
  enter?(send: Send): void
  /** The request goes out now. */
  sent?(send: Send): void
  /** Gives the slot back; null if nothing was sent. */
  release(send: Send | null): void
}

/** What counts the requests of a surface. */
interface Counters {
  readonly pace: Pace
  readonly margin: JitterMargin
  readonly inFlight: WeakMap<Share, number>
  readonly onRelease: () => void
}

/** Permission to send one request at a surface: it counts from now on, and holds a slot until it is released. */
export class SurfaceLease implements Lease {
  queued = 0
  paced = 0
  readonly #counters: Counters
  readonly #send: Send
  readonly #share: Share
  /** Of the client, if it has less than the whole pace. */
  readonly #log: SendLog | undefined
  readonly #slot: Slot
  #released = false

  constructor(counters: Counters, send: Send, share: Share, log: SendLog | undefined, slot: Slot) {
    this.#counters = counters
    this.#send = send
    this.#share = share
    this.#log = log
    this.#slot = slot
    const { pace, inFlight } = counters
    inFlight.set(share, (inFlight.get(share) ?? 0) + 1)
    pace.enter(send)
    log?.add(send)
    slot.enter?.(send)
  }

  sent(): void {
    this.#send.at = performance.now()
    this.#counters.pace.sent(this.#send)
    this.#log?.add(this.#send)
    this.#slot.sent?.(this.#send)
  }

  answered(date: Date | null): void {
    this.#send.answered = performance.now()
    if (date !== null) this.#counters.margin.observe(date)
  }

  release(): void {
    if (this.#released) return
    this.#released = true
    const { pace, inFlight, onRelease } = this.#counters
    inFlight.set(this.#share, (inFlight.get(this.#share) ?? 0) - 1)
    if (pace.leave(this.#send)) this.#log?.delete(this.#send)
    this.#slot.release(this.#send)
    onRelease()
  }
}
