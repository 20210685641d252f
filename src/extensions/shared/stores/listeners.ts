/** Gets a message; undefined if some may be missing. */
export type Listener = (message?: string) => void

/** Who listens to the messages about which text, in one process. */
export class Listeners {
  readonly #all = new Set<{ readonly key: string; readonly listener: Listener }>()

  get size(): number {
    return this.#all.size
  }

  /** Returns a function that ends it. */
  add(key: string, listener: Listener): () => void {
    const each = { key, listener }
    this.#all.add(each)
    return () => void this.#all.delete(each)
  }

  /** Passes on a message about a text. A listener may end others, or begin to listen. */
  notify(key: string, message: string): void {
    for (const each of [...this.#all]) if (each.key === key) each.listener(message)
  }

  /** Messages about all texts may be missing. */
  reset(): void {
    for (const { listener } of [...this.#all]) listener()
  }

  clear(): void {
    this.#all.clear()
  }
}
