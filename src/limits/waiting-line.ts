import type { Ticket } from './interface.ts'

interface Waiting {
  readonly ticket: Ticket
}

/** Calls of one rank, in the order in which they came. */
interface Rank<Entry> {
  readonly priority: number
  readonly isRetry: boolean
  readonly entries: Set<Entry>
}

/** Calls in the order in which they go. Thousands may leave at once, so each leaves without a search for its place. */
export class WaitingLine<Entry extends Waiting> {
  /** In order; none is empty. */
  readonly #ranks: Rank<Entry>[] = []

  get length(): number {
    return this.#ranks.reduce((sum, { entries }) => sum + entries.size, 0)
  }

  /** The call that goes next. */
  get first(): Entry | undefined {
    return this.#ranks[0]?.entries.values().next().value
  }

  /** A copy: calls may leave while it is read. */
  all(): Entry[] {
    return this.#ranks.flatMap(({ entries }) => [...entries])
  }

  /** Puts a call behind those that go before it; returns how many these are. */
  add(entry: Entry): number {
    const { priority, isRetry } = entry.ticket
    const found = this.#ranks.findIndex((rank) => !goesBefore(rank, entry.ticket))
    const place = found === -1 ? this.#ranks.length : found
    const ahead = this.#ranks.slice(0, place).reduce((sum, { entries }) => sum + entries.size, 0)
    const rank = this.#ranks[place]
    if (rank === undefined || goesBefore(entry.ticket, rank)) {
      this.#ranks.splice(place, 0, { priority, isRetry, entries: new Set([entry]) })
      return ahead
    }
    rank.entries.add(entry)
    return ahead + rank.entries.size - 1
  }

  /** Whether the call was waiting. */
  delete(entry: Entry): boolean {
    const place = this.#ranks.findIndex(({ entries }) => entries.delete(entry))
    if (place === -1) return false
    if (this.#ranks[place]?.entries.size === 0) this.#ranks.splice(place, 1)
    return true
  }
}

/** A higher priority goes first, then a retry. */
function goesBefore(
  a: Pick<Ticket, 'priority' | 'isRetry'>,
  b: Pick<Ticket, 'priority' | 'isRetry'>,
): boolean {
  return a.priority === b.priority ? a.isRetry && !b.isRetry : a.priority > b.priority
}
