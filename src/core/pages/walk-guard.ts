/** A walk ends after so many empty pages in a row. */
const maxEmptyPages = 3

/** Stops a walk that would buy the same page twice, or empty pages forever. */
export class WalkGuard {
  readonly #visited = new Set<string | undefined>()
  #empty = 0
  #latest = ''

  /** Records a page that is fetched; false if it was fetched before. */
  visit(page: string | undefined): boolean {
    const { size } = this.#visited
    return this.#visited.add(page).size > size
  }

  /** Whether a page has the same items as the previous one. */
  repeatsLatest(items: readonly unknown[]): boolean {
    const text = JSON.stringify(items)
    const repeats = items.length > 0 && text === this.#latest
    this.#latest = text
    return repeats
  }

  /** Counts empty pages in a row; false if the walk should end. */
  mayContinue(isEmpty: boolean): boolean {
    this.#empty = isEmpty ? this.#empty + 1 : 0
    return this.#empty < maxEmptyPages
  }
}
