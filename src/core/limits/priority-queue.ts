/** What determines the place of an entry. */
export interface Ranked {
  /** Higher goes first. */
  readonly priority: number
  /** At equal priority, a retry goes first. */
  readonly resumed: boolean
  /** Otherwise, lower goes first. */
  readonly order: number
  /** The queue's own index of the entry; -1 outside. */
  index: number
}

export function goesBefore(a: Ranked, b: Ranked): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority
  return a.resumed === b.resumed ? a.order < b.order : a.resumed
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
    entry.index = -1
  }

  /** Puts an entry at an index, and moves it up or down to its rank. */
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

  /** Moves an entry to an index, and returns its old index. */
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
