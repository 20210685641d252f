import type { ClientShares } from './client-shares.ts'
import type { JitterMargin } from './jitter-margin.ts'
import type { Lease, Share } from './limiter.ts'
import type { Pace } from './pace.ts'
import type { Send, SendLog } from './send-log.ts'

/** One of the organization's slots, taken for the call that is next. */
export interface Slot {
  /** Whether the slot holds for this client. */
  fits(share: Share): boolean
  /** The slot is used, for this request. */
  enter?(send: Send): void
  /** The request goes out now. */
  sent?(send: Send): void
  /** Gives the slot back; null if nothing was sent. */
  release(send: Send | null): void
}

/** Who hears of a request. */
interface Counters {
  readonly pace: Pace
  readonly margin: JitterMargin
  readonly shares: ClientShares
  /** Of the client, if it has less than the whole pace. */
  readonly log: SendLog | undefined
  readonly onRelease: () => void
}

/** Permission to send one request at a surface: it counts from now on, and holds a slot until it is released. */
export class SurfaceLease implements Lease {
  queued = 0
  paced = 0
  readonly #send: Send
  readonly #share: Share
  readonly #slot: Slot
  readonly #counters: Counters
  #released = false

  constructor(send: Send, share: Share, slot: Slot, counters: Counters) {
    this.#send = send
    this.#share = share
    this.#slot = slot
    this.#counters = counters
    counters.pace.enter(send)
    counters.log?.add(send)
    counters.shares.enter(share)
    slot.enter?.(send)
  }

  sent(): void {
    const { pace, log } = this.#counters
    this.#send.at = performance.now()
    pace.sent(this.#send)
    log?.add(this.#send)
    this.#slot.sent?.(this.#send)
  }

  answered(date: Date | null): void {
    this.#send.answered = performance.now()
    if (date !== null) this.#counters.margin.observe(date)
  }

  release(): void {
    if (this.#released) return
    this.#released = true
    const { pace, shares, onRelease } = this.#counters
    pace.leave(this.#send)
    shares.leave(this.#share)
    this.#slot.release(this.#send)
    onRelease()
  }
}
