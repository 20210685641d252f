import type { Ticket } from './interface.ts'

/** What determines the place of an entry. */
export interface Ranked {
  /** A higher priority goes first, then a retry. */
  readonly ticket: Pick<Ticket, 'priority' | 'resumed'>
  /** Otherwise, lower goes first. */
  readonly order: number
  /** The queue's own index of the entry. */
  index: number
}

export function goesBefore(a: Ranked, b: Ranked): boolean {
  if (a.ticket.priority !== b.ticket.priority) return a.ticket.priority > b.ticket.priority
  return a.ticket.resumed === b.ticket.resumed ? a.order < b.order : a.ticket.resumed
}

/** A binary heap: adding and removing take logarithmic time. */
export class PriorityQueue<Entry extends Ranked> {
  /** In heap order: only the first place has a meaning. */
  readonly entries: Entry[] = []

  add(entry: Entry): void {
    this.#place(entry, this.entries.length)
  }

  delete(entry: Entry): void {
    const last = this.entries.pop()
    if (last !== undefined && last !== entry) this.#place(last, entry.index)
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
