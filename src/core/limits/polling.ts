import type { Lease, Waiter } from './limiter.ts'
import type { SurfaceQueue } from './surface-queue.ts'

/** Milliseconds between two polls of a queued call. */
const pollMs = 20

/** Milliseconds between two heartbeats of a call in flight. */
const heartbeatMs = 500

/** After so many milliseconds without a poll or heartbeat, a call has ended with its request. */
const silentMs = 4 * heartbeatMs

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
    const call = new PolledCall(queue, waiter)
    waiter.entry = call
    this.#calls.add(call)
    queue.enter(call)
    this.#poll(call)
  }

  leave(waiter: Waiter): void {
    if (waiter.entry instanceof PolledCall) this.#end(waiter.entry)
    waiter.entry = undefined
  }

  #poll(call: PolledCall): void {
    const now = performance.now()
    // A call that was itself delayed would see all others as silent.
    if (now - call.seenAt < silentMs / 2) this.#endSilent(now)
    call.seenAt = now
    if (!call.isDelivered) this.#wake()
    const { lease } = call
    if (call.refusal !== undefined) {
      this.leave(call.waiter)
      call.waiter.refuse(call.refusal.reason)
      return
    }
    call.timer = setTimeout(() => this.#poll(call), lease === undefined ? pollMs : heartbeatMs)
    if (lease === undefined || call.isDelivered) return
    call.isDelivered = true
    call.waiter.grant({
      queued: lease.queued,
      paced: lease.paced,
      sent: () => lease.sent(),
      answered: (date) => lease.answered(date),
      release: () => this.#end(call),
    })
  }

  #endSilent(now: number): void {
    for (const call of this.#calls) if (now - call.seenAt > silentMs) this.#end(call)
  }

  #end(call: PolledCall): void {
    clearTimeout(call.timer)
    this.#calls.delete(call)
    if (call.lease === undefined) call.queue.leave(call)
    else call.lease.release()
  }
}

/** Represents a call in a queue, and keeps the decision until the call polls. */
class PolledCall implements Waiter {
  readonly waiter: Waiter
  readonly queue: SurfaceQueue
  readonly surface: Waiter['surface']
  readonly share: Waiter['share']
  readonly priority: number
  readonly resumed: boolean
  readonly patience: number
  entry: object | undefined
  lease: Lease | undefined
  refusal: { readonly reason: unknown } | undefined
  isDelivered = false
  seenAt = performance.now()
  timer: ReturnType<typeof setTimeout> | undefined

  constructor(queue: SurfaceQueue, waiter: Waiter) {
    this.queue = queue
    this.waiter = waiter
    this.surface = waiter.surface
    this.share = waiter.share
    this.priority = waiter.priority
    this.resumed = waiter.resumed
    this.patience = waiter.patience
  }

  grant(lease: Lease): void {
    this.lease = lease
  }

  refuse(reason: unknown): void {
    this.refusal = { reason }
  }
}
