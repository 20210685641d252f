/** What decides on the place of a waiter. */
export interface Rank {
  /** The higher goes first. */
  readonly priority: number
  /** Among those of one priority, whoever was already under way goes first. */
  readonly resumed: boolean
}

/** Waiters by rank, and first come, first served among those of one rank. */
export class Queue<Waiter extends Rank> {
  /** In the order of rank. Sets keep the order of arrival, and let go of any waiter at once. */
  readonly #rows: { readonly rank: Rank; readonly waiters: Set<Waiter> }[] = []

  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  add(waiter: Waiter): void {
    const place = this.#rows.findIndex(({ rank }) => compare(rank, waiter) >= 0)
    const row = this.#rows[place]
    if (row !== undefined && compare(row.rank, waiter) === 0) row.waiters.add(waiter)
    else
      this.#rows.splice(place === -1 ? this.#rows.length : place, 0, {
        rank: waiter,
        waiters: new Set([waiter]),
      })
  }

  delete(waiter: Waiter): void {
    const place = this.#rows.findIndex(({ rank }) => compare(rank, waiter) === 0)
    const waiters = this.#rows[place]?.waiters
    if (waiters?.delete(waiter) && waiters.size === 0) this.#rows.splice(place, 1)
  }

  *[Symbol.iterator](): Generator<Waiter> {
    for (const { waiters } of [...this.#rows]) yield* waiters
  }
}

/** Negative where the first goes before the second. */
function compare(a: Rank, b: Rank): number {
  return b.priority - a.priority || Number(b.resumed) - Number(a.resumed)
}
