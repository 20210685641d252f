/** What decides on the place of an entry. */
export interface Ranked {
  /** The higher goes first. */
  readonly priority: number
  /** Among entries of one priority, a call that was already under way goes first. */
  readonly resumed: boolean
  /** Among entries of one rank, the lower goes first. */
  readonly order: number
  /** Where the queue keeps the entry; -1 outside of it. */
  index: number
}

/** Whether an entry goes before another. */
export function goesBefore(a: Ranked, b: Ranked): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority
  return a.resumed === b.resumed ? a.order < b.order : a.resumed
}

/** A binary heap: adding or taking out an entry costs nearly the same among ten as among a hundred thousand. */
export class PriorityQueue<Entry extends Ranked> {
  /** The first goes first; the others have no order that means anything. */
  readonly entries: Entry[] = []

  add(entry: Entry): void {
    this.#place(entry, this.entries.length)
  }

  /** Takes out an entry, wherever it stands. */
  delete(entry: Entry): void {
    const last = this.entries.pop()
    if (last !== undefined && last !== entry) this.#place(last, entry.index)
    entry.index = -1
  }

  /** Places an entry at an index, or as far above or below it as its rank asks. */
  #place(entry: Entry, index: number): void {
    const { entries } = this
    let at = index
    for (let parent = entries[(at - 1) >> 1]; parent && goesBefore(entry, parent);) {
      at = this.#move(parent, at)
      parent = entries[(at - 1) >> 1]
    }
    for (let child = this.#firstChild(at); at >= index && child && goesBefore(child, entry);) {
      at = this.#move(child, at)
      child = this.#firstChild(at)
    }
    entries[at] = entry
    entry.index = at
  }

  /** Moves an entry to an index, and returns the one that it leaves. */
  #move(entry: Entry, to: number): number {
    const from = entry.index
    this.entries[to] = entry
    entry.index = to
    return from
  }

  #firstChild(index: number): Entry | undefined {
    const [left, right] = [this.entries[2 * index + 1], this.entries[2 * index + 2]]
    return left && right && goesBefore(right, left) ? right : left
  }
}
