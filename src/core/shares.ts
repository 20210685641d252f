import type { Share } from './limiter.ts'

/** How many requests each client has in flight, on all surfaces together. */
export class Shares {
  readonly #inFlight = new WeakMap<Share, number>()
  readonly #onChange: () => void

  /** @param onChange Called when a client has room again. */
  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Whether a client has not used up what it may have in flight. */
  hasRoom(share: Share): boolean {
    return (this.#inFlight.get(share) ?? 0) < share.inFlight
  }

  /** Counts a request towards a client's share until the returned function is called. */
  occupy(share: Share): () => void {
    const count = (change: number): void => {
      this.#inFlight.set(share, (this.#inFlight.get(share) ?? 0) + change)
    }
    count(1)
    return () => {
      count(-1)
      this.#onChange()
    }
  }
}
