import type { Ticket } from './interface.ts'

/** What determines the place of an entry. */
export interface Ranked {
  /** A higher priority goes first, then a retry. */
  readonly ticket: Pick<Ticket, 'priority' | 'isRetry'>
  /** Otherwise, lower goes first. */
  readonly order: number
  /** The queue's own index of the entry. */
  index: number
}

export function goesBefore(a: Ranked, b: Ranked): boolean {
  if (a.ticket.priority !== b.ticket.priority) return a.ticket.priority > b.ticket.priority
  return a.ticket.isRetry === b.ticket.isRetry ? a.order < b.order : a.ticket.isRetry
}

/** A binary heap: adding and removing take logarithmic time. */
export class PriorityQueue<Entry extends Ranked> {
  /** In heap order: only the first place has a meaning. */
  readonly entries: Entry[] = []
  /** How many entries have each priority: retries, then first attempts. */
  readonly #counts = new Map<number, [retries: number, others: number]>()

  add(entry: Entry): void {
    this.#count(entry, 1)
    this.#place(entry, this.entries.length)
  }

  /** How many entries go before a new one. It takes as many steps as there are different priorities. */
  countBefore({ priority, isRetry }: Ranked['ticket']): number {
    let before = 0
    for (const [other, [retries, others]] of this.#counts) {
      if (other >= priority) before += retries
      if (other > priority || (other === priority && !isRetry)) before += others
    }
    return before
  }

  delete(entry: Entry): void {
    this.#count(entry, -1)
    const last = this.entries.pop()
    if (last !== undefined && last !== entry) this.#place(last, entry.index)
  }

  #count({ ticket: { priority, isRetry } }: Entry, change: 1 | -1): void {
    const counts = this.#counts.get(priority) ?? [0, 0]
    counts[isRetry ? 0 : 1] += change
    if (counts[0] + counts[1] === 0) this.#counts.delete(priority)
    else this.#counts.set(priority, counts)
  }

  /** Puts an entry at an index, and moves it up or down to its rank. */
  #place(entry: Entry, index: number): void {
    const { entries } = this
    let at = index
    for (let other = this.#misplaced(entry, at); other; other = this.#misplaced(entry, at)) {
      const from = other.index
      entries[at] = other
      other.index = at
      at = from
    }
    entries[at] = entry
    entry.index = at
  }

  /** The parent or child that must change places with an entry at an index. */
  #misplaced(entry: Entry, index: number): Entry | undefined {
    const { entries } = this
    const parent = entries[(index - 1) >> 1]
    if (parent && goesBefore(entry, parent)) return parent
    const [left, right] = [entries[2 * index + 1], entries[2 * index + 2]]
    const child = left && right && goesBefore(right, left) ? right : left
    return child && goesBefore(child, entry) ? child : undefined
  }
}
