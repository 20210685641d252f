import type { Lease, Waiter } from './limiter.ts'
import type { SurfaceQueue } from './surface-queue.ts'

/** How often a waiting call looks whether it may go, in milliseconds. */
const pollMs = 20

/** How often a call in flight shows that it is still there, in milliseconds. */
const beatMs = 500

/** After so long a silence, in milliseconds, a call is taken to have ended with its request. */
const silentMs = 4 * beatMs

/**
 * Queues calls where a runtime ties timers and promises to the incoming request that made them, as Cloudflare's workers
 * do: nothing that one request does may wake another, and a request can end in the middle of a call. So each call has a
 * timer of its own and looks at what has been decided, and a call that has stopped looking gives way to the others.
 */
export class Polling {
  readonly #calls = new Set<PolledCall>()
  readonly #wake: () => void

  /** @param wake Looks at all queues whether a call may go. */
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
    // Whoever has been held up itself cannot tell who is silent.
    if (now - call.seenAt < silentMs / 2) this.#endSilent(now)
    call.seenAt = now
    if (!call.isDelivered) this.#wake()
    const { lease } = call
    if (call.refusal !== undefined) {
      this.leave(call.waiter)
      call.waiter.refuse(call.refusal.reason)
      return
    }
    call.timer = setTimeout(() => this.#poll(call), lease === undefined ? pollMs : beatMs)
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

/** Stands in a queue for a call, and keeps what is decided until the call looks. */
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
