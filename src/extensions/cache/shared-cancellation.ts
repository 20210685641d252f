import { type Call, Cancellation } from '../../extend.ts'

/** What ends a request that equal calls share: nothing but the last of them that waits. */
export class SharedCancellation extends Cancellation {
  readonly #waiting: ReadonlySet<Call>
  #wasInFlight = false

  /** @param waiting The calls that wait for the request. */
  constructor(waiting: ReadonlySet<Call>) {
    super()
    this.#waiting = waiting
  }

  /** Until when one of the calls needs it to be sent. */
  override get sendBy(): number {
    let latest = -Infinity
    for (const { cancellation } of this.#waiting) latest = Math.max(latest, cancellation.sendBy)
    return latest
  }

  /** Whether nothing has been sent. */
  get isUnsent(): boolean {
    return !this.#wasInFlight
  }

  /** What is in flight for the request is so for each call that waits. */
  override markInFlight(isInFlight: boolean): void {
    super.markInFlight(isInFlight)
    this.#wasInFlight ||= isInFlight
    for (const { cancellation } of this.#waiting) cancellation.markInFlight(isInFlight)
  }

  override throwIfAborted(): void {
    super.throwIfAborted()
    if (performance.now() > this.sendBy)
      for (const { cancellation } of this.#waiting) cancellation.throwIfAborted()
  }
}
