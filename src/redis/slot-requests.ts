import type { SurfaceQueue } from '../limits/surface-queue.ts'

/** Maximum time between two attempts to get a slot, in milliseconds, in case a notice was lost. */
const lookMs = 1000

/** The requests of this process for slots in Redis, and which of its queues asks first. */
export class SlotRequests {
  /** All queues of this process, the latest one that got a slot last. */
  readonly queues = new Set<SurfaceQueue>()
  /** Counts events that may have freed a slot. */
  changes = 0
  #changesWhenFull = -1
  #latest: Promise<unknown> = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Whether all slots were taken, and nothing has changed since. */
  get areFull(): boolean {
    return this.#changesWhenFull === this.changes
  }

  /** Runs requests, which never reject, one after the other, so that one refusal applies to all. */
  inTurn<T>(request: () => Promise<T>): Promise<T> {
    const result = this.#latest.then(request)
    this.#latest = result
    return result
  }

  /** Redis had no slot, or waits for a probe: asks again after a change, or within `ms`. */
  waitForChange(ms: number): void {
    this.#timer ??= setTimeout(() => this.change(), Math.min(ms, lookMs * (1 + Math.random() / 2)))
  }

  /** @param changes `changes` when Redis was asked. */
  noteFull(changes: number): void {
    this.#changesWhenFull = changes
  }

  /** Called when a slot may have become free. */
  change(): void {
    this.changes++
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.wake()
  }

  wake(): void {
    for (const queue of this.queues) queue.wake()
  }

  /** Resolves when the latest request has ended. */
  async stop(): Promise<void> {
    await this.#latest
    clearTimeout(this.#timer)
  }
}
