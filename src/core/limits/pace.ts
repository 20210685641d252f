import type { Margin } from './jitter-margin.ts'
import { Others } from './contention.ts'
import { type Send, SendLog } from './send-log.ts'
import { now } from '../lib/time.ts'

/** The pace of one search surface, as far as this process knows: what it has sent, and what 429s said. */
export class Pace {
  readonly #log: SendLog
  #limit: number
  readonly #windowMs: number
  #others: Others
  readonly #margin: Margin
  #latest: Send | undefined
  #openAt = 0
  /** A while after that, by chance, so that processes that were refused together do not come back together. */
  #apartUntil = 0
  #heldAt = -Infinity
  /** After a hold, one request goes first, to see whether the limit has really passed: it is due, or out. */
  #probe: 'none' | 'due' | { readonly out: true } = 'none'

  /** @param limit Requests that the surface accepts within the window. */
  constructor(limit: number, windowMs: number, margin: Margin) {
    this.#log = new SendLog(windowMs, margin)
    this.#limit = limit
    this.#windowMs = windowMs
    this.#others = new Others(limit, windowMs)
    this.#margin = margin
  }

  /** Milliseconds until a 429 no longer closes the surface. */
  get closed(): number {
    return Math.max(0, this.#openAt - now())
  }

  /** Milliseconds until a request may go whose client wants so many a minute; Infinity until a probe is back. */
  wait(perMinute: number): number {
    if (typeof this.#probe === 'object') return Infinity
    const closed = this.#apartUntil - now()
    if (perMinute === Infinity) return closed
    // Whoever asks for more than the organization's limit is taken to know that it is higher, for all clients: those who ask
    // for less would otherwise wait for ever beside one who does not.
    if (perMinute > this.#limit) this.#raise(perMinute)
    const { allowance, gapMs } = this.#others
    // A probe has waited for the hold, which keeps it apart from others.
    const gap = this.#probe === 'due' ? 0 : (this.#latest?.at ?? -Infinity) + gapMs - now()
    return Math.max(closed, gap, this.#log.wait(allowance))
  }

  #raise(limit: number): void {
    this.#limit = limit
    this.#others = new Others(limit, this.#windowMs)
  }

  /** Closes the surface for so many milliseconds from now: a request was refused. */
  hold(milliseconds: number): void {
    // The refused one is in the log as well.
    const sent = this.#log.count - 1
    if (sent >= this.#limit) this.#margin.widen()
    const apart = sent >= this.#limit ? 0 : this.#others.refused(sent, milliseconds)
    this.#heldAt = now()
    this.#openAt = Math.max(this.#openAt, now() + milliseconds)
    this.#apartUntil = Math.max(this.#openAt, now() + milliseconds + apart)
    this.#probe = 'due'
  }

  /** Notes when a request that has been counted really goes. */
  sent(send: Send): void {
    send.at = now()
    this.#log.add(send)
  }

  /** Counts a request; call the returned function when it is over. */
  enter(send: Send): () => void {
    this.#log.add(send)
    this.#latest = send
    const probe = this.#probe === 'due' ? ({ out: true } as const) : undefined
    if (probe !== undefined) this.#probe = probe
    return () => {
      if (send.at > this.#heldAt) this.#others.accepted()
      // Another 429 may have made a new probe due, or sent one out.
      if (probe !== undefined && this.#probe === probe) this.#probe = 'none'
    }
  }
}
