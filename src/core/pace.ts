import type { Send, SendLog } from './send-log.ts'
import { now } from './time.ts'

/** The pace of one search surface, as far as this process knows: what it has sent, and what a 429 said. */
export class Pace {
  readonly #log: SendLog
  readonly #limit: number
  #openAt = 0
  /** After a hold, one request goes first, to see whether the limit has really passed: it is due, or out. */
  #probe: 'none' | 'due' | { readonly out: true } = 'none'

  /** @param limit Sends that the log may hold within the window. */
  constructor(log: SendLog, limit: number) {
    this.#log = log
    this.#limit = limit
  }

  /** Milliseconds until a 429 no longer closes the surface. */
  get closed(): number {
    return Math.max(0, this.#openAt - now())
  }

  /** Milliseconds until a request may go whose client wants so many a minute; Infinity until a probe is back. */
  wait(perMinute: number): number {
    if (typeof this.#probe === 'object') return Infinity
    // Whoever asks for more than the organization's limit is taken to know that it is higher.
    return Math.max(this.closed, this.#log.wait(Math.max(perMinute, this.#limit)))
  }

  /** Closes the surface for so many milliseconds from now. */
  hold(milliseconds: number): void {
    this.#openAt = Math.max(this.#openAt, now() + milliseconds)
    this.#probe = 'due'
  }

  /** Counts a request; call the returned function when it is over. */
  enter(send: Send): () => void {
    this.#log.add(send)
    if (this.#probe !== 'due') return () => {}
    const probe = { out: true } as const
    this.#probe = probe
    return () => {
      // Another 429 may have made a new probe due, or sent one out.
      if (this.#probe === probe) this.#probe = 'none'
    }
  }
}
