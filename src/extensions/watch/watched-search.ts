import { microblogPageSize, microblogSearch } from '../../api/endpoints/microblog.ts'
import { professionalnetPostsSearch } from '../../api/endpoints/professionalnet/posts.ts'
import { assertMethod } from '../../errors/check-options.ts'
import { type SocialSearchError, ValidationError } from '../../errors/index.ts'
import type { CallCredits } from '../../extend.ts'
import type { InvalidItem, Observer, PagedOptions } from '../../index.ts'
import { fnv1a } from '../../lib/hash.ts'
import { canonicalJson } from '../../lib/json.ts'
import { parseTime } from '../../lib/time.ts'
import { type DueSearch, type WatchPace, paceAfter } from './due.ts'
import { type WatchSettings, paramsOf, stateOf } from './options.ts'
import { type ReadPage, type ReadTerms, type Reading, read } from './read.ts'
import { type Spans, gapsOf, hasGapToFill, nextGap, withNextAbove } from './spans.ts'
import type { SearchBatch, WatchSpan, WatchState } from './types.ts'

/** The least that ids of a span are limited to. */
const fewestIds = 1000
/** How far the clocks of this machine and of the service may differ, in milliseconds. */
const drift = 3_600_000
/** The same while no post is listed, which old ones would be: a machine may take its local time for UTC. */
const mostDrift = 24 * drift

/** A page of either network. */
interface Page<Post> {
  readonly posts: readonly Post[]
  readonly invalid?: InvalidItem[] | undefined
  readonly next: object | null
  readonly meta?: { readonly hasMore?: boolean } | null
}

/** What both networks have in common. */
interface AnySource<Post> {
  search(
    params: object,
    options: PagedOptions,
  ): { pages(): AsyncIterable<Page<Post>>; readonly closing?: AbortSignal }
}

/** One search of a watch: what is known of it, and its checks for new posts, one after another. */
export class WatchedSearch<Post> implements DueSearch {
  /** Credits of a page, as far as is known. */
  price: number
  pace: WatchPace | null
  failedAt: number | undefined
  retryAt = 0
  /** With `once`: it had its check. */
  isOver = false
  readonly #name: string
  readonly #source: AnySource<Post>
  /** Of the page with the newest posts. */
  readonly #params: object
  readonly #settings: WatchSettings
  #spans: Spans
  /** Whether the next check, if it is of one page, reads one of a gap. */
  #isGapNext: boolean
  /** Whether the last check of gaps has found no new posts, and closed no gap. */
  #isStuck = false
  /** What no batch has told yet, in credits. */
  #credits: CallCredits = { spent: 0, uncertain: 0 }

  constructor(
    name: string,
    source: unknown,
    params: object,
    state: WatchState | null,
    settings: WatchSettings,
  ) {
    assertMethod('the client of a watch', source, 'search')
    const isProfessionalnet = 'comments' in (source as object)
    this.#name = name
    this.#source = source as AnySource<Post>
    this.#params = paramsOf(params, isProfessionalnet)
    this.#settings = settings
    this.price = (isProfessionalnet ? professionalnetPostsSearch : microblogSearch).price.credits
    const known: Partial<WatchState> = state === null ? {} : stateOf(state, this.#params)
    const { spans = [], pace = null, failedAt, isGapNext = false } = known
    this.#spans = spans
    this.pace = pace
    this.failedAt = failedAt
    this.#isGapNext = isGapNext
  }

  /** Aborts when the client is closed. */
  get closing(): AbortSignal | undefined {
    // A search that is not read sends nothing.
    return this.#search(this.#params, {}).closing
  }

  /** Whether another check would fill a gap at once. */
  get hasGapToFill(): boolean {
    return !this.#isStuck && hasGapToFill(this.#spans)
  }

  /** Checks no earlier than in so many milliseconds. */
  postpone(ms: number, price = this.price): void {
    this.retryAt = Date.now() + ms
    this.price = price
  }

  /** The state as it is now, and the credits that no batch has told yet. */
  nextBatch({
    posts = [],
    known = [],
    error = null,
    dueAt = null,
  }: Partial<SearchBatch<string, Post>> = {}): SearchBatch<string, Post> {
    const credits = this.#credits
    this.#credits = { spent: 0, uncertain: 0 }
    const state: WatchState = {
      ...{ search: canonicalJson(this.#params) ?? '', spans: this.#spans },
      ...(this.pace !== null && { pace: this.pace }),
      ...(this.failedAt !== undefined && { failedAt: this.failedAt }),
      ...(this.#isGapNext && { isGapNext: true }),
    }
    const { hasGapToFill } = this
    const gaps = gapsOf(this.#spans)
    return { name: this.#name, posts, known, credits, state, gaps, hasGapToFill, error, dueAt }
  }

  /** The batch of a check that has failed. */
  failed(error: SocialSearchError): SearchBatch<string, Post> {
    if (error.charged !== 'no') this.failedAt = Date.now()
    this.begin()
    return this.nextBatch({ error })
  }

  /** Posts that come after the first attempt are new, whether it fails or not. Returns whether this was the first. */
  begin(): boolean {
    if (this.#settings.from !== 'now' || this.#spans.length > 0) return false
    this.#spans = [spanSince(Date.now() - drift)]
    return true
  }

  /** Yields at least one batch, unless the first page fails. */
  async *check(): AsyncGenerator<SearchBatch<string, Post>, void, undefined> {
    this.isOver = true
    this.retryAt = 0
    const { from, overlap, maxPages, pages } = this.#settings
    const observers = [pages.observers ?? [], this.#observer].flat()
    const pagesOf: Pages<Post> = (params, limit) =>
      this.#search(params, { ...pages, observers, ...limit }).pages()
    const now = Date.now()
    const isFirst = this.#spans.length === 0
    /** Until a page has posts, no post is known. Those that are published meanwhile are new. */
    const isEmpty = hasNoPosts(this.#spans)
    // The clock may have been set back.
    const since = isFirst ? Infinity : Math.min(parseTime(this.#spans[0]?.oldest), now - drift)
    if (isEmpty && !isFirst) this.#spans = [spanSince(since)]
    const isOld = (time: number): boolean => isEmpty && (isFirst || time < since)
    const before = this.pace
    const gap = maxPages === 1 && this.#isGapNext ? nextGap(this.#spans, now) : undefined
    const start = gap ?? 'newest'
    const times: number[] = []
    const mostIds = Math.max(fewestIds, 2 * microblogPageSize * maxPages)
    const terms = { search: this.#params, overlap, mostIds, now }
    const gaps = gapsOf(this.#spans).length
    if (start !== 'newest' || maxPages > 1) this.#isStuck = true
    for await (const page of readPages(pagesOf, this.#spans, start, isFirst ? 1 : maxPages, terms)) {
      const { added, fresh, known, invalid } = page
      this.failedAt = undefined
      this.#isGapNext = maxPages === 1 && start === 'newest'
      // Posts older than the first page are not wanted.
      this.#spans = isFirst ? page.spans.map((span) => ({ ...span, next: null })) : page.spans
      if (hasNoPosts(this.#spans)) this.#spans = [spanSince(Math.min(since, now - mostDrift))]
      if (added.length > 0 || gapsOf(this.#spans).length < gaps) this.#isStuck = false
      times.push(...added)
      const pace = times.some(isOld) ? null : before
      this.pace = paceAfter(pace, now, times.length, times.filter(Number.isFinite))
      const isUnwanted = (post: Post): boolean => from === 'now' && isOld(parseTime(publishedAt(post)))
      const batch = this.nextBatch({
        posts: fresh.filter((post) => !isUnwanted(post)).toReversed(),
        known: [...fresh.filter(isUnwanted), ...known].toReversed(),
      })
      yield invalid === undefined ? batch : { ...batch, invalid }
    }
  }

  /** A stored page has no new posts. */
  #search(params: object, options: PagedOptions): ReturnType<AnySource<Post>['search']> {
    return this.#source.search(params, { cache: false, ...options })
  }

  readonly #observer: Observer = {
    onCall: ({ credits: { spent, uncertain } }) => {
      this.#credits.spent += spent
      this.#credits.uncertain += uncertain
    },
  }
}

function hasNoPosts(spans: Spans): boolean {
  return spans.every(({ ids }) => ids.length === 0)
}

/** Before the first post: those from before some time, in milliseconds since 1970, are not wanted. */
function spanSince(ms: number): WatchSpan {
  const time = new Date(ms).toISOString()
  return { ids: [], next: null, newest: time, oldest: time }
}

type Pages<Post> = (params: object, options: { readonly maxPages: number }) => AsyncIterable<Page<Post>>

/** Where the last page was. */
type Found = Pick<Reading, 'at' | 'isJoined' | 'isSilent'>

/** What a page has brought. */
interface Brought<Post> extends Pick<Page<Post>, 'invalid'>, Pick<Reading, 'spans'> {
  readonly fresh: Post[]
  readonly known: Post[]
  /** When its new items were published, valid or not, in milliseconds since 1970. */
  readonly added: readonly number[]
}

/** What to read: the newest posts, or the gap below a span. */
type Part = 'newest' | number

/**
 * Reads pages from the newest post down to known ones, and then fills gaps, the newest first.
 *
 * @param start What to read first.
 */
async function* readPages<Post>(
  pagesOf: Pages<Post>,
  known: Spans,
  start: Part,
  maxPages: number,
  terms: Omit<ReadTerms, 'fallback'>,
): AsyncGenerator<Brought<Post>> {
  const { search, now } = terms
  let spans = known
  let left = maxPages
  let part = start
  /** From where the gap may be reached if the service has lost its beginning: below the page that has met its span. */
  let fallback = search
  let isRefused = false
  while (left > 0) {
    let found: Found = { at: undefined, isJoined: true, isSilent: true }
    let asked = (part === 'newest' ? null : spans[part]?.next) ?? search
    let next: object | null = null
    try {
      for await (const page of pagesOf(asked, { maxPages: left })) {
        left--
        const list = listOf(page)
        const reading = read(spans, { ...list, asked }, { ...terms, fallback })
        found = reading
        spans = reading.spans
        next = page.next
        const added = [...reading.fresh].map((id) => parseTime(list.posts.get(id)))
        yield { spans, added, invalid: page.invalid, ...sorted(page.posts, reading.fresh) }
        if (found.isJoined) break
        asked = next ?? asked
      }
    } catch (error) {
      // The service may refuse an old cursor.
      if (!(error instanceof ValidationError) || part === 'newest' || (isRefused && fallback === search))
        throw error
      spans = withNextAbove(spans, found.at ?? part, { search, fallback })
      yield { spans, added: [], fresh: [], known: [] }
      if (fallback === search) {
        isRefused = true
        part = 'newest'
      }
      fallback = search
      continue
    }
    const gap = nextGap(spans, now, spanAfter(part, found))
    if (gap === undefined) return
    fallback = (gap === found.at && next) || search
    part = gap
  }
}

/** The first span whose gap may be read next. */
function spanAfter(part: Part, { at, isJoined, isSilent }: Found): number {
  // An old copy of the newest page may be one of a gap.
  if (at === undefined || (part === 'newest' && at > 0)) return 0
  return isJoined && !isSilent ? at : at + 1
}

/** A page as `read()` needs it. What failed validation has its place in the list, too: it was paid for, and handed over. */
function listOf({ posts, invalid = [], next, meta }: Page<unknown>): Omit<ReadPage, 'asked'> {
  const items = [...posts]
  for (const { index, item } of invalid) items.splice(index, 0, item)
  const times = new Map(items.map((item) => [idOf(item), publishedAt(item)]))
  return { posts: times, next, isEnd: next === null && meta?.hasMore !== true }
}

/** The new posts of a page, and the others, each once. */
function sorted<Post>(posts: readonly Post[], fresh: ReadonlySet<string>): Record<'fresh' | 'known', Post[]> {
  const all = [...new Map(posts.map((post) => [idOf(post), post])).values()]
  const isFresh = (post: Post): boolean => fresh.has(idOf(post))
  return { fresh: all.filter(isFresh), known: all.filter((post) => !isFresh(post)) }
}

/** What tells an item from others: its id or, if it has none, its texts, which stay the same as its counts grow. */
function idOf(item: unknown): string {
  const { id, urn } = Object(item) as Record<string, unknown>
  for (const each of [id, urn])
    if (each !== '' && ['string', 'number'].includes(typeof each)) return String(each)
  const texts = Object.values(Object(item) as object).filter((value) => typeof value === 'string')
  return `no id ${fnv1a(canonicalJson(texts.length > 0 ? texts : item) ?? '')}`
}

/** When a post was published, as the service says it. */
function publishedAt(item: unknown): string | undefined {
  const { timestamp, postedAt } = Object(item) as Readonly<Record<string, string | undefined>>
  return timestamp ?? postedAt
}
