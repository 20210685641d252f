import type { OrganizationRecord, RequestRecord } from './records.ts'
import type { Trace } from './trace.ts'

/** The documented limits of an organization. */
const most = { inFlight: 2, perMinute: 20, windowMs: 60_000 }

/**
 * The service's side of the exchanges: what arrives, stays open and is charged. It never refuses by itself, and notes
 * when a limit is exceeded.
 */
export class Service {
  readonly #trace: Trace

  constructor(trace: Trace) {
    this.#trace = trace
  }

  arrive(request: RequestRecord): void {
    const { call } = request
    const { organization, mostInFlight } = call.owner
    request.arrivedAt = performance.now()
    for (const [holder, limit] of [
      [organization, most.inFlight],
      [call.owner, mostInFlight],
    ] as const) {
      holder.open.add(request)
      if (holder.open.size > limit) {
        const calls = [...holder.open].map(({ call }) => call.id).join(', ')
        this.#trace.fail(`${holder.name} has ${holder.open.size} requests in flight: ${calls}`)
      }
    }
    this.#countArrival(request, organization)
  }

  /** The client has gone, or has everything. */
  leave(request: RequestRecord): void {
    request.call.owner.organization.open.delete(request)
    request.call.owner.open.delete(request)
  }

  charge(request: RequestRecord, credits: number): void {
    request.charged += credits
    if (credits > 0) this.#trace.add(`${request.call.id} charged ${credits}`)
  }

  #countArrival({ call }: RequestRecord, { name, isPaced, arrivals }: OrganizationRecord): void {
    const { surface } = call.operation
    if (surface === null) return
    const times = arrivals.get(surface) ?? []
    arrivals.set(surface, times)
    times.push(performance.now())
    const first = times.at(-1 - most.perMinute)
    if (isPaced && first !== undefined && performance.now() - first < most.windowMs) {
      const ms = (performance.now() - first).toFixed(1)
      this.#trace.fail(`${name} sent ${most.perMinute + 1} requests to ${surface} in ${ms} ms`)
    }
  }
}
