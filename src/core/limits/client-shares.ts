import type { Share } from './limiter.ts'

/** Counts the requests in flight of each client of one process, on all surfaces together. */
export class ClientShares {
  readonly #inFlight = new WeakMap<Share, number>()

  /** Whether a client may have one more request in flight. */
  hasRoom(share: Share): boolean {
    return (this.#inFlight.get(share) ?? 0) < share.inFlight
  }

  enter(share: Share): void {
    this.#inFlight.set(share, (this.#inFlight.get(share) ?? 0) + 1)
  }

  leave(share: Share): void {
    this.#inFlight.set(share, (this.#inFlight.get(share) ?? 0) - 1)
  }
}
