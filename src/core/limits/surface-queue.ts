import type { Lease, Share, Ticket } from './limiter.ts'
import { Queue } from './queue.ts'
import { maxTimerMs, now } from '../lib/time.ts'

/** How a limiter refuses a call: a 429 closed the surface for longer than the call has patience. */
export class SurfaceClosed extends Error {
  /** Time until the surface opens, in milliseconds. */
  readonly remaining: number

  constructor(remaining: number) {
    super('the surface is closed')
    this.remaining = remaining
  }
}

/** What decides when the requests of a lane may go. */
export interface Turnstile {
  /** Milliseconds until a 429 no longer closes the surface. */
  closed(): number
  /** Milliseconds until a client may send; Infinity until {@link Lane.wake}. */
  wait(share: Share): number
  /** Takes a place for a request of this client, or tells by undefined that it is to be waited again. Never rejects. */
  reserve(share: Share): Promise<Place | undefined>
}

/** A place for a request of whichever client is next. */
export interface Place {
  /** Undefined if the place is given back, since it does not hold for a client of this share. */
  take(share: Share): Pass | undefined
  giveBack(): void
}

export type Pass = Pick<Lease, 'sent' | 'answered' | 'release'>

interface Waiter extends Ticket {
  readonly grant: (lease: Lease) => void
  readonly refuse: (reason: unknown) => void
  readonly since: number
  /** How long the lane had been shut, all told, when the waiter came. */
  readonly shutBefore: number
}

/**
 * The queue of one search surface. It asks for a place only when somebody may send, so a closed surface never keeps a
 * slot from the others.
 */
export class Lane {
  readonly #turnstile: Turnstile
  readonly #queue = new Queue<Waiter>()
  /** How many wait of each client. */
  readonly #waiting = new Map<Share, number>()
  #shut = 0
  #serving = false
  #wake: () => void = () => {}

  constructor(turnstile: Turnstile) {
    this.#turnstile = turnstile
  }

  enter(ticket: Ticket): Promise<Lease> {
    const { signal, patience } = ticket
    if (signal.aborted) return Promise.reject(signal.reason)
    const closed = this.#turnstile.closed()
    if (closed > patience) return Promise.reject(new SurfaceClosed(closed))
    return new Promise<Lease>((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort)
        this.#remove(waiter)
      }
      const onAbort = (): void => {
        waiter.refuse(signal.reason)
        if (this.#queue.isEmpty) this.wake()
      }
      const waiter: Waiter = {
        ...ticket,
        since: now(),
        shutBefore: this.#shut,
        grant: (lease) => {
          leave()
          resolve(lease)
        },
        refuse: (reason) => {
          leave()
          reject(reason)
        },
      }
      signal.addEventListener('abort', onAbort)
      this.#queue.add(waiter)
      this.#waiting.set(ticket.share, (this.#waiting.get(ticket.share) ?? 0) + 1)
      void this.#serve()
      this.wake()
    })
  }

  /** Looks again whether somebody may go: something has changed. */
  wake(): void {
    this.#wake()
  }

  /** Refuses those who have no patience for the time that the surface is closed. */
  turnAway(): void {
    const closed = this.#turnstile.closed()
    for (const waiter of [...this.#queue]) {
      if (closed > waiter.patience) waiter.refuse(new SurfaceClosed(closed))
    }
    this.wake()
  }

  /** Refuses everybody. */
  empty(reason: unknown): void {
    for (const waiter of [...this.#queue]) waiter.refuse(reason)
    this.wake()
  }

  #remove(waiter: Waiter): void {
    this.#queue.delete(waiter)
    const others = (this.#waiting.get(waiter.share) ?? 1) - 1
    if (others === 0) this.#waiting.delete(waiter.share)
    else this.#waiting.set(waiter.share, others)
  }

  async #serve(): Promise<void> {
    if (this.#serving) return
    this.#serving = true
    while (!this.#queue.isEmpty) {
      const { waiter: first, wait } = this.#next()
      if (first === undefined) {
        await this.#pause(wait)
        continue
      }
      const place = await this.#turnstile.reserve(first.share)
      if (place === undefined) continue
      // Meanwhile the first in line may have left, or somebody may have come who goes before.
      const { waiter } = this.#next()
      const pass = waiter && place.take(waiter.share)
      if (waiter === undefined) place.giveBack()
      else if (pass !== undefined) this.#grant(waiter, pass)
    }
    this.#serving = false
  }

  /** The first in line whose client may send, or else the milliseconds until one may. */
  #next(): { waiter?: Waiter; wait: number } {
    let wait = Infinity
    const seen = new Set<Share>()
    for (const waiter of this.#queue) {
      if (seen.has(waiter.share)) continue
      seen.add(waiter.share)
      const closed = this.#turnstile.wait(waiter.share)
      if (closed <= 0) return { waiter, wait: 0 }
      wait = Math.min(wait, closed)
      if (seen.size === this.#waiting.size) break
    }
    return { wait }
  }

  #grant(waiter: Waiter, { sent, answered, release }: Pass): void {
    const waited = now() - waiter.since
    const paced = Math.min(waited, this.#shut - waiter.shutBefore)
    waiter.grant({ paced, queued: waited - paced, sent, answered, release })
  }

  /** Waits, at most until something has changed. */
  async #pause(ms: number): Promise<void> {
    const start = now()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = ms === Infinity ? undefined : setTimeout(resolve, Math.min(Math.ceil(ms), maxTimerMs))
    this.#wake = resolve
    await promise
    clearTimeout(timer)
    if (ms !== Infinity) this.#shut += now() - start
  }
}
