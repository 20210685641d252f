import { organizationLimits } from '../contract/limits.ts'
import type { Lease, Share, Ticket } from './limiter.ts'
import { maxTimerMs, now } from './time.ts'

/**
 * How much longer than the service's window a send stays in the log, in milliseconds: two requests sent a
 * window apart may arrive closer together than that.
 */
const jitterMarginMs = 250

/** How a limiter refuses a call: a 429 closed the surface for longer than the call has patience. */
export class SurfaceClosed extends Error {
  /** Time until the surface opens, in milliseconds. */
  readonly remaining: number

  constructor(remaining: number) {
    super('the surface is closed')
    this.remaining = remaining
  }
}

interface Waiter {
  readonly ticket: Ticket
  readonly grant: (lease: Lease) => void
  readonly refuse: (reason: unknown) => void
  readonly since: number
  /** How long the lane had been shut, all told, when the waiter came. */
  readonly shutBefore: number
}

/** What a lane shares with the others of its organization. */
export interface Slots {
  /** Whether the organization limits the requests a minute here. */
  readonly isPaced: boolean
  /** Takes a slot; the returned function gives it back. */
  takeSlot(): Promise<() => void>
  /** Whether a client has not used up its share of the slots. */
  hasRoom(share: Share): boolean
  /** Counts a request towards a client's share until the returned function is called. */
  occupy(share: Share): () => void
}

/**
 * The queue of one search surface: first come, first served, at the pace of the organization and of each client, and none
 * while a 429 holds it closed. It takes a slot only when it may send, so a closed surface never keeps one from the others.
 */
export class Lane {
  readonly #slots: Slots
  readonly #resumed = new Set<Waiter>()
  readonly #fresh = new Set<Waiter>()
  /** When the sends of the last window happened, oldest first. */
  readonly #sends: { at: number; share: Share }[] = []
  #openAt = 0
  /** After a hold, one request goes first, to see whether the limit has really passed: it is due, or out. */
  #probe: 'none' | 'due' | { readonly out: true } = 'none'
  #shut = 0
  #serving = false
  #wake: () => void = () => {}

  constructor(slots: Slots) {
    this.#slots = slots
  }

  enter(ticket: Ticket): Promise<Lease> {
    const { signal, patience, resumed } = ticket
    if (signal.aborted) return Promise.reject(signal.reason)
    const closed = this.#openAt - now()
    if (closed > patience) return Promise.reject(new SurfaceClosed(closed))
    return new Promise<Lease>((resolve, reject) => {
      const queue = resumed ? this.#resumed : this.#fresh
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort)
        queue.delete(waiter)
      }
      const onAbort = (): void => {
        waiter.refuse(signal.reason)
        if (this.#size === 0) this.wake()
      }
      const waiter: Waiter = {
        ticket,
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
      queue.add(waiter)
      void this.#serve()
      this.wake()
    })
  }

  hold(milliseconds: number): void {
    this.#openAt = Math.max(this.#openAt, now() + milliseconds)
    this.#probe = 'due'
    const closed = this.#openAt - now()
    for (const waiter of [...this.#resumed, ...this.#fresh]) {
      if (closed > waiter.ticket.patience) waiter.refuse(new SurfaceClosed(closed))
    }
    this.wake()
  }

  /** Looks again whether somebody may go: something has changed. */
  wake(): void {
    this.#wake()
  }

  get #size(): number {
    return this.#resumed.size + this.#fresh.size
  }

  async #serve(): Promise<void> {
    if (this.#serving) return
    this.#serving = true
    while (this.#size > 0) {
      const { wait } = this.#next()
      if (wait > 0) {
        await this.#pause(wait)
        continue
      }
      const release = await this.#slots.takeSlot()
      const { waiter } = this.#next()
      if (waiter === undefined) release()
      else this.#grant(waiter, release)
    }
    this.#serving = false
  }

  /** The first in line whose client may send, or else the milliseconds until one may. */
  #next(): { waiter?: Waiter; wait: number } {
    let wait = Infinity
    const seen = new Set<Share>()
    for (const queue of [this.#resumed, this.#fresh]) {
      for (const waiter of queue) {
        const { share } = waiter.ticket
        if (seen.has(share)) continue
        seen.add(share)
        const closed = this.#closedFor(share)
        if (closed <= 0) return { waiter, wait: 0 }
        wait = Math.min(wait, closed)
      }
    }
    return { wait }
  }

  /** Milliseconds until a client may send; Infinity while it is for others to let it. */
  #closedFor(share: Share): number {
    if (typeof this.#probe === 'object' || !this.#slots.hasRoom(share)) return Infinity
    const time = now()
    const window = organizationLimits.windowMs + jitterMarginMs
    while (this.#sends[0] !== undefined && this.#sends[0].at <= time - window) this.#sends.shift()
    const { perMinute } = share
    if (perMinute === Infinity) return this.#openAt - time
    const own = this.#sends.filter((send) => send.share === share)
    // Whoever asks for more than the organization's limit is taken to know that it is higher.
    const all = Math.max(perMinute, organizationLimits.perMinute)
    const leaves = [own.at(-perMinute), this.#sends.at(-all)].map((send) => (send?.at ?? -Infinity) + window)
    return Math.max(this.#openAt, ...leaves) - time
  }

  #grant(waiter: Waiter, release: () => void): void {
    const time = now()
    const probe = this.#probe === 'due' ? ({ out: true } as const) : undefined
    if (probe !== undefined) this.#probe = probe
    const { share } = waiter.ticket
    const send = { at: time, share }
    if (this.#slots.isPaced) this.#sends.push(send)
    const leave = this.#slots.occupy(share)
    const waited = time - waiter.since
    const paced = Math.min(waited, this.#shut - waiter.shutBefore)
    let released = false
    waiter.grant({
      paced,
      queued: waited - paced,
      sent: () => {
        const place = this.#sends.indexOf(send)
        if (place === -1) return
        // The latest stands last.
        this.#sends.splice(place, 1)
        send.at = now()
        this.#sends.push(send)
      },
      release: () => {
        if (released) return
        released = true
        // Another 429 may have made a new probe due, or sent one out.
        if (probe !== undefined && this.#probe === probe) this.#probe = 'none'
        release()
        leave()
      },
    })
  }

  /** Waits, at most until something has changed. */
  async #pause(ms: number): Promise<void> {
    const start = now()
    const isShut = ms !== Infinity || typeof this.#probe === 'object'
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = ms === Infinity ? undefined : setTimeout(resolve, Math.min(Math.ceil(ms), maxTimerMs))
    this.#wake = resolve
    await promise
    clearTimeout(timer)
    if (isShut) this.#shut += now() - start
  }
}
