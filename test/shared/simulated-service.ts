/** A request as the service sees it. */
export interface Sent {
  readonly id: string
  readonly surface: string
  readonly endsAt: number
}

/** Counts the requests of simulated processes, apart from their state. */
export class SimulatedService<Process> {
  readonly violations: string[] = []
  /** The requests that it works on, and whose they are. */
  readonly open = new Map<Sent, Process>()
  readonly #limits: { readonly inFlight: number; readonly perMinute: number }
  readonly #arrivals = new Map<string, number[]>()
  readonly #closed: { readonly surface: string; readonly openAt: number; readonly knownAt: number }[] = []

  constructor(limits: { readonly inFlight: number; readonly perMinute: number }) {
    this.#limits = limits
  }

  /** From now on, all processes can know that a surface is closed. */
  close(closure: { readonly surface: string; readonly openAt: number }, now: number): void {
    this.#closed.push({ ...closure, knownAt: now })
  }

  receive(
    sent: Sent,
    process: Process,
    { grantedAt, sentAt, arrival }: { grantedAt: number; sentAt: number; arrival: number },
  ): void {
    const { surface } = sent
    this.open.set(sent, process)
    if (this.open.size > this.#limits.inFlight) this.violations.push(`${this.open.size} open at ${sentAt}`)
    if (surface === '') return
    const arrivals = this.#arrivals.get(surface) ?? []
    this.#arrivals.set(surface, arrivals)
    arrivals.push(arrival)
    const count = arrivals.filter((at) => Math.abs(at - arrival) < 60_000 && at <= arrival).length
    if (count > this.#limits.perMinute) this.violations.push(`${count} at ${surface} at ${sentAt}`)
    // Within a millisecond, the grant may have been first.
    const isClosed = this.#closed.some(
      (each) => each.surface === surface && each.knownAt < grantedAt && sentAt < each.openAt,
    )
    if (isClosed) this.violations.push(`sent to the closed ${surface} at ${sentAt}`)
  }
}
