import { microblogPageSize } from '../../src/api/endpoints/microblog.ts'

/** Reads one search as a watch does: new posts first, then gaps, each page with twenty posts. */
export class Reader {
  /** Minutes from the publication of each post until it was read. */
  readonly delays: number[] = []
  /** Times of the posts on the first page. */
  readonly firstPage: readonly number[]
  /** Ranges of posts that are not read, newest first. */
  #gaps: (readonly [from: number, to: number])[] = []
  /** How many posts are known, or in a gap. */
  #top: number
  readonly #posts: readonly number[]
  readonly #overlap: number

  constructor(posts: readonly number[], overlap: number) {
    this.#posts = posts
    this.#overlap = overlap
    this.#top = countUntil(posts, 0)
    this.firstPage = posts.slice(Math.max(0, this.#top - microblogPageSize), this.#top)
  }

  get hasGap(): boolean {
    return this.#gaps.length > 0
  }

  /** Posts that nobody has read until a time. */
  unread(time: number): number {
    const lost = this.#gaps.reduce((sum, [from, to]) => sum + to - from, 0)
    return lost + countUntil(this.#posts, time) - this.#top
  }

  /**
   * Looks once.
   *
   * @param pay Pays for a page, if there is money.
   * @returns how many new posts it has found.
   */
  look(time: number, maxPages: number, pay: () => boolean): number {
    const now = countUntil(this.#posts, time)
    const wanted = [[this.#top, now] as const, ...this.#gaps]
    this.#top = now
    this.#gaps = []
    let [left, found] = [maxPages, 0]
    for (const [from, to] of wanted) {
      // Down to some known posts, of which the first page may have too few.
      const known = Math.min(this.#overlap, from)
      let read = 0
      while (read < Math.max(1, to - from + known) && left > 0 && pay()) {
        left--
        read += microblogPageSize
      }
      const reached = Math.max(from, to - read)
      for (let post = reached; post < to; post++) this.delays.push(time - (this.#posts[post] ?? 0))
      found += to - reached
      if (reached > from) this.#gaps.push([from, reached])
    }
    return found
  }
}

/** How many times are at most `time`. */
function countUntil(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= time) low = middle + 1
    else high = middle
  }
  return low
}
