import pLimit from 'p-limit'
import type { Slot } from './surface-queue.ts'

/** The requests that a process may have in flight. */
export interface Slots {
  /** How many are in use. */
  readonly taken: number
  /** How many may be in use. */
  most: number
  /** Whether `take()` would resolve with undefined: all are in use, and it cannot wait. */
  readonly isFull: boolean
  take(): Promise<Slot | undefined>
}

/** Slots of p-limit, whose queue holds surfaces with a call to send: the calls wait in the queue of their surface. */
export class QueuedSlots implements Slots {
  readonly isFull = false
  readonly #limit: ReturnType<typeof pLimit>

  constructor(most: number) {
    this.#limit = pLimit(most)
  }

  get taken(): number {
    return this.#limit.activeCount
  }

  get most(): number {
    return this.#limit.concurrency
  }

  set most(most: number) {
    if (most !== this.most) this.#limit.concurrency = most
  }

  take(): Promise<Slot> {
    return new Promise((resolve) => {
      void this.#limit(() => new Promise<void>((free) => resolve({ release: () => free() })))
    })
  }
}
