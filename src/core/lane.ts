import { organizationLimits } from '../contract/limits.ts'
import type { Lease, Ticket } from './limiter.ts'
import { maxTimerMs, now } from './time.ts'

/**
 * How much longer than the service's window a send stays in the log, in milliseconds: two requests sent a
 * window apart may arrive closer together than that.
 */
const jitterMarginMs = 250

/** Rejection of {@link Lane.enter}: the service announced a wait that nobody should sit through. */
export class LaneClosed extends Error {
  /** Time until the surface opens, in milliseconds. */
  readonly remaining: number

  constructor(remaining: number) {
    super('the surface is closed')
    this.remaining = remaining
  }
}

interface Waiter {
  readonly grant: (lease: Lease) => void
  readonly refuse: (reason: unknown) => void
  readonly patience: number
  readonly since: number
  /** How long the lane had been shut, all told, when the waiter came. */
  readonly shutBefore: number
}

/**
 * The queue of one search surface: first come, first served, at no more than `perMinute` sends in any window,
 * and none while a 429 holds it closed. It takes a slot only when it may send, so a closed surface never keeps
 * one from the others.
 */
export class Lane {
  readonly #takeSlot: () => Promise<() => void>
  readonly #resumed = new Set<Waiter>()
  readonly #fresh = new Set<Waiter>()
  /** When the sends of the last window happened, oldest first. */
  readonly #sends: number[] = []
  #openAt = 0
  /** After a hold, one request goes first, to see whether the limit has really passed. */
  #probe: 'none' | 'due' | 'out' = 'none'
  #shut = 0
  #serving = false
  #wake: () => void = () => {}
  perMinute: number

  constructor(takeSlot: () => Promise<() => void>, perMinute: number) {
    this.#takeSlot = takeSlot
    this.perMinute = perMinute
  }

  enter({ resumed, signal, patience }: Ticket): Promise<Lease> {
    if (signal.aborted) return Promise.reject(signal.reason)
    const closed = this.#openAt - now()
    if (closed > patience) return Promise.reject(new LaneClosed(closed))
    return new Promise<Lease>((resolve, reject) => {
      const queue = resumed ? this.#resumed : this.#fresh
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort)
        queue.delete(waiter)
      }
      const onAbort = (): void => {
        waiter.refuse(signal.reason)
        if (this.#size === 0) this.#wake()
      }
      const waiter: Waiter = {
        patience,
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
    })
  }

  hold(milliseconds: number): void {
    this.#openAt = Math.max(this.#openAt, now() + milliseconds)
    this.#probe = 'due'
    const closed = this.#openAt - now()
    for (const waiter of [...this.#resumed, ...this.#fresh]) {
      if (closed > waiter.patience) waiter.refuse(new LaneClosed(closed))
    }
    this.#wake()
  }

  get #size(): number {
    return this.#resumed.size + this.#fresh.size
  }

  get #first(): Waiter | undefined {
    return (this.#resumed.size > 0 ? this.#resumed : this.#fresh).values().next().value
  }

  async #serve(): Promise<void> {
    if (this.#serving) return
    this.#serving = true
    while (this.#size > 0) {
      const wait = this.#wait()
      if (wait > 0) {
        await this.#pause(wait)
        continue
      }
      const release = await this.#takeSlot()
      const waiter = this.#first
      if (waiter === undefined || this.#wait() > 0) release()
      else this.#grant(waiter, release)
    }
    this.#serving = false
  }

  /** Milliseconds until the next send may happen; Infinity while a probe is out. */
  #wait(): number {
    if (this.#probe === 'out') return Infinity
    const time = now()
    const window = organizationLimits.windowMs + jitterMarginMs
    while (this.#sends[0] !== undefined && this.#sends[0] <= time - window) this.#sends.shift()
    const blocking = this.#sends.at(-this.perMinute)
    return Math.max(this.#openAt - time, blocking === undefined ? 0 : blocking + window - time, 0)
  }

  #grant(waiter: Waiter, release: () => void): void {
    const time = now()
    const isProbe = this.#probe === 'due'
    if (isProbe) this.#probe = 'out'
    if (this.perMinute !== Infinity) this.#sends.push(time)
    const waited = time - waiter.since
    const paced = Math.min(waited, this.#shut - waiter.shutBefore)
    let released = false
    waiter.grant({
      paced,
      queued: waited - paced,
      release: () => {
        if (released) return
        released = true
        release()
        if (isProbe && this.#probe === 'out') {
          this.#probe = 'none'
          this.#wake()
        }
      },
    })
  }

  /** Waits, at most until something has changed. */
  async #pause(ms: number): Promise<void> {
    const start = now()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = ms === Infinity ? undefined : setTimeout(resolve, Math.min(Math.ceil(ms), maxTimerMs))
    this.#wake = resolve
    await promise
    clearTimeout(timer)
    this.#shut += now() - start
  }
}
