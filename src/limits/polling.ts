import type { Lease, Waiter } from './limiter.ts'
import type { SurfaceQueue } from './surface-queue.ts'

/** Milliseconds between two polls of a queued call. */
const pollMs = 20

/** Milliseconds between two heartbeats of a call in flight. */
const heartbeatMs = 500

/** After so many milliseconds without a poll or heartbeat, a call has ended with its request. */
const silentMs = 4 * heartbeatMs

/** Represents a call in a queue, and keeps the result until the call polls. */
interface PolledCall extends Waiter {
  seenAt: number
  timer: ReturnType<typeof setTimeout> | undefined
  /** Gives the lease or the refusal to the call; undefined before the result, and after its delivery. */
  deliver: (() => void) | undefined
  lease: Lease | undefined
  readonly queue: SurfaceQueue
}

/**
 * Queues calls on runtimes that tie timers and promises to the incoming request that made them, such as Cloudflare's
 * workers. One request cannot wake another there, and may end in the middle of a call. So each call polls with its own
 * timer, and a call that stops polling loses its place or slot.
 */
export class Polling {
  readonly #calls = new Set<PolledCall>()
  readonly #wake: () => void

  /** @param wake Grants the leases that are due in all queues. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  enter(queue: SurfaceQueue, waiter: Waiter): void {
    const { surface, share, priority, resumed, patience } = waiter
    const call: PolledCall = {
      ...{ surface, share, priority, resumed, patience, queue },
      entry: undefined,
      seenAt: performance.now(),
      timer: undefined,
      deliver: undefined,
      lease: undefined,
      grant: (lease) => {
        call.lease = lease
        call.deliver = () => waiter.grant({ ...lease, release: () => this.#end(call) })
      },
      refuse: (reason) => {
        call.deliver = () => {
          this.leave(waiter)
          waiter.refuse(reason)
        }
      },
    }
    waiter.entry = call
    this.#calls.add(call)
    queue.enter(call)
    this.#poll(call)
  }

  leave(waiter: Waiter): void {
    if (waiter.entry !== undefined) this.#end(waiter.entry as PolledCall)
    waiter.entry = undefined
  }

  #poll(call: PolledCall): void {
    const now = performance.now()
    // A call that was itself delayed would see all others as silent.
    if (now - call.seenAt < silentMs / 2)
      for (const other of this.#calls) if (now - other.seenAt > silentMs) this.#end(other)
    call.seenAt = now
    if (call.lease === undefined || call.deliver !== undefined) this.#wake()
    call.timer = setTimeout(() => this.#poll(call), call.lease === undefined ? pollMs : heartbeatMs)
    call.deliver?.()
    call.deliver = undefined
  }

  #end(call: PolledCall): void {
    clearTimeout(call.timer)
    this.#calls.delete(call)
    if (call.lease === undefined) call.queue.leave(call)
    else call.lease.release()
  }
}
