import type { SocialSearchError } from '../../errors/index.ts'
import type { CallCredits } from '../../extend.ts'
import type { Observer } from '../../index.ts'
import type { NamedSearch, WatchSettings } from './options.ts'
import { type WatchPace, pageSize, paceAfter } from './pace.ts'
import { type AnyPost, type Pages, poll, timeOf } from './poll.ts'
import { gapsOf } from './spans.ts'
import type { SearchBatch, WatchSpan, WatchState } from './types.ts'

/** The least that ids of a span are limited to. */
const fewestIds = 1000

/** Looks at one search for new posts, one time after another. */
export class Looks<Post extends AnyPost> {
  readonly search: NamedSearch<Post>
  readonly #settings: WatchSettings
  #spans: readonly WatchSpan[]
  #pace: WatchPace | null
  /** Whether the last look could have read a page of a gap. */
  #hasRoom = true
  /** What no batch has told yet, in credits. */
  #credits: CallCredits = { spent: 0, uncertain: 0 }

  constructor(search: NamedSearch<Post>, settings: WatchSettings) {
    this.search = search
    this.#settings = settings
    this.#spans = search.state?.spans ?? []
    this.#pace = search.state?.pace ?? null
  }

  get pace(): WatchPace | null {
    return this.#pace
  }

  /** Whether another look would fill a gap. */
  get hasMore(): boolean {
    return this.#hasRoom && this.#spans.some(({ next }) => next !== null)
  }

  /** The state as it is now. */
  batch(
    posts: Post[] = [],
    known: Post[] = [],
    error: SocialSearchError | null = null,
  ): SearchBatch<string, Post> {
    const credits = this.#credits
    this.#credits = { spent: 0, uncertain: 0 }
    const state: WatchState = {
      ...{ search: this.search.key, spans: this.#spans },
      ...(this.#pace !== null && { pace: this.#pace }),
    }
    return { name: this.search.name, posts, known, credits, state, gaps: gapsOf(this.#spans), error }
  }

  /** Yields at least one batch, unless the first page fails. */
  async *look(): AsyncGenerator<SearchBatch<string, Post>, void, undefined> {
    const { search } = this
    const { from, overlap, maxPages, pages } = this.#settings
    const observers = [pages.observers ?? [], this.#observer].flat()
    const pagesOf: Pages<Post> = (params, limit) => search.pages(params, { ...pages, observers, ...limit })
    const [now, before] = [Date.now(), this.#pace]
    const isFirst = this.#spans.length === 0
    const limits = { search: search.params, overlap, mostIds: Math.max(fewestIds, 2 * pageSize * maxPages) }
    const times: number[] = []
    let count = 0
    for await (const page of poll(pagesOf, this.#spans, { ...limits, maxPages: isFirst ? 1 : maxPages })) {
      this.#hasRoom = ++count > 1
      // Posts older than the first page are not wanted.
      this.#spans = isFirst ? page.spans.map((span) => ({ ...span, next: null })) : page.spans
      times.push(...page.fresh.map((post) => Date.parse(timeOf(post) ?? '')))
      this.#pace = paceAfter(before, now, times.length, times.filter(Number.isFinite))
      const isUnwanted = isFirst && from === 'now'
      const [posts, others] = isUnwanted ? [[], [...page.fresh, ...page.known]] : [page.fresh, page.known]
      yield this.batch(posts.toReversed(), others.toReversed())
    }
  }

  readonly #observer: Observer = {
    onCall: ({ credits: { spent, uncertain } }) => {
      this.#credits.spent += spent
      this.#credits.uncertain += uncertain
    },
  }
}
