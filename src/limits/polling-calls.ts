// Queues calls on runtimes that tie timers and promises to the incoming request that made them, such as Cloudflare's workers. An incoming
// request cannot wake another one, and may end in the middle of a call. So each call polls with its own timer, and a call that stops polling
// leaves its queue, or loses its slot.

import type { Permit, RequestOutcome, QueueRequest } from './interface.ts'
import type { QueuedCall, SurfaceQueue } from './surface-queue.ts'

/** Milliseconds between two polls of a queued call. */
const pollMs = 20

/** Milliseconds between two heartbeats of a call in flight. */
const heartbeatMs = 500

/** After so many milliseconds without a poll or heartbeat, a call has ended with its request. */
const silentMs = 4 * heartbeatMs

/** A call in a queue. It keeps its result until it polls. */
interface PolledCall {
  readonly queue: SurfaceQueue
  entry?: QueuedCall
  seenAt: number
  timer?: ReturnType<typeof setTimeout>
  /** Gives the permit or the refusal to the call; undefined before the result, and after its delivery. */
  deliver?: (() => void) | undefined
  permit?: Permit
}

/** The calls of all incoming requests that wait or have a slot. */
export class PollingCalls {
  readonly #calls = new Set<PolledCall>()
  readonly #wake: () => void

  /** @param wake Grants the permits that are due in all queues. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  acquire(queue: SurfaceQueue, request: QueueRequest): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const call: PolledCall = { queue, seenAt: performance.now() }
      const grant = (permit: Permit): void => {
        call.permit = permit
        const end = (outcome?: RequestOutcome): void => {
          permit.end(outcome)
          this.#end(call)
        }
        call.deliver = () => resolve({ ...permit, end })
      }
      const refuse = (reason: unknown): void => {
        call.deliver = () => {
          this.#end(call)
          reject(reason)
        }
      }
      this.#calls.add(call)
      call.entry = queue.enter(request, grant, refuse)
      // The abort comes from the request of this call, which needs no poll to hear of it.
      request.signal.addEventListener('abort', () => call.deliver?.(), { once: true })
      this.#poll(call)
    })
  }

  #poll(call: PolledCall): void {
    const now = performance.now()
    // After a delay of its own, a call would take all other calls for ended.
    if (now - call.seenAt < silentMs / 2)
      for (const other of this.#calls) if (now - other.seenAt > silentMs) this.#end(other)
    call.seenAt = now
    if (call.permit === undefined || call.deliver !== undefined) this.#wake()
    call.timer = setTimeout(() => this.#poll(call), call.permit === undefined ? pollMs : heartbeatMs)
    if (call.deliver === undefined) return
    call.deliver()
    call.deliver = undefined
  }

  #end(call: PolledCall): void {
    clearTimeout(call.timer)
    this.#calls.delete(call)
    if (call.permit) call.permit.end()
    else if (call.entry) call.queue.cancel(call.entry, undefined)
  }
}
