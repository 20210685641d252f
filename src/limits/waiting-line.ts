import type { QueueRequest } from './interface.ts'

interface Waiting {
  readonly request: QueueRequest
}

/** What decides who goes first: a higher priority, then a retry. */
type Rank = Pick<QueueRequest, 'priority' | 'isRetry'>

/** Calls in the order in which they go. Thousands may come or leave at once, so none searches more than the ranks. */
export class WaitingLine<Entry extends Waiting> {
  /** Calls of one rank in the order in which they came, by rank; none is empty. */
  readonly #ranks: (Rank & { readonly entries: Set<Entry> })[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  get first(): Entry | undefined {
    return this.#ranks[0]?.entries.values().next().value
  }

  /** A copy: calls may leave while it is read. */
  all(): Entry[] {
    return this.#ranks.flatMap(({ entries }) => [...entries])
  }

  /** Puts a call behind those that go before it. */
  add(entry: Entry): void {
    this.#length++
    const { priority, isRetry } = entry.request
    const place = this.#placeOf(entry.request)
    const rank = this.#ranks[place]
    if (rank?.priority === priority && rank.isRetry === isRetry) rank.entries.add(entry)
    else this.#ranks.splice(place, 0, { priority, isRetry, entries: new Set([entry]) })
  }

  /** How many calls go before one that has just been added. */
  before(entry: Entry): number {
    const ranks = this.#ranks.slice(0, this.#placeOf(entry.request) + 1)
    return ranks.reduce((sum, { entries }) => sum + entries.size, -1)
  }

  /** Whether the call was waiting. */
  delete(entry: Entry): boolean {
    const place = this.#placeOf(entry.request)
    const rank = this.#ranks[place]
    if (rank?.entries.delete(entry) !== true) return false
    this.#length--
    if (rank.entries.size === 0) this.#ranks.splice(place, 1)
    return true
  }

  /** The index of a rank, or where it would be. */
  #placeOf({ priority, isRetry }: Rank): number {
    const place = this.#ranks.findIndex((rank) =>
      rank.priority === priority ? isRetry || !rank.isRetry : rank.priority < priority,
    )
    return place === -1 ? this.#ranks.length : place
  }
}
