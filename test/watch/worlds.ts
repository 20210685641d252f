/**
 * Worlds in which a service lies to a watch, and what the watch makes of them. Everything follows from a seed. The oracle knows the
 * service, and nothing of how a watch works.
 */
import { type Budget, CreditBudget, SocialSearch, SocialSearchError } from '../../src/index.ts'
import { type WatchGap, type WatchState, watchSearch } from '../../src/extensions/watch/index.ts'
import { type Random, createRandom } from '../../src/extensions/sandbox/random.ts'
import { timedPage } from '../support/pages.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

export interface WorldOptions {
  readonly seed: string
  readonly days?: number
  /** The share of answers that lie. */
  readonly faulty?: number
  /** The share of posts that are listed late, at the place of their time. */
  readonly late?: number
  /** Many posts, and much money. */
  readonly isBusy?: boolean
  /** The clock of the machine is set forward and back. */
  readonly hasJumps?: boolean
}

/** What became of a world. */
export interface World {
  /** Posts that were neither seen nor in a gap, at the worst moment, but for late ones. */
  readonly lost: number
  /** Posts that nobody has seen when the service has become honest, and nothing is missing, but for late ones. */
  readonly lostForGood: number
  /** How often a post was new again. */
  readonly doubles: number
  readonly found: number
  readonly pages: number
  /** By how many credits a day has exceeded its limit, by the clock of the machine; at most 0. */
  readonly excess: number
  /** Gaps that are left in the end. */
  readonly gaps: number
  /** Spans at the most. */
  readonly spans: number
}

type Lie = 'empty' | 'emptymore' | 'cut' | 'loop' | 'half' | 'nocursor' | 'gone' | 'lost' | 'failed' | 'stale'

interface Entry {
  readonly id: string
  readonly time: number
  /** When the service begins to list it. */
  readonly from: number
  readonly isLate: boolean
}

const lieSets: readonly (readonly Lie[])[] = [
  ['empty', 'emptymore', 'loop', 'half', 'nocursor', 'gone', 'lost', 'failed', 'stale'],
  ['empty', 'emptymore', 'half', 'lost', 'stale'],
  ['loop', 'nocursor', 'gone', 'lost'],
  ['empty', 'cut', 'half', 'stale'],
]

/** A service that lists posts newest first, and lies now and then. */
class LyingService {
  /** Newest first. */
  readonly posts: Entry[] = []
  /** In the order of their publication. */
  readonly published: Entry[] = []
  /** The true time. */
  now: number
  pages = 0
  faulty: number
  isOut = false
  readonly client: SocialSearch
  readonly isNumbered: boolean
  readonly #random: Random
  readonly #lies: Random
  readonly #rate: number
  readonly #late: number
  readonly #set: readonly Lie[]
  readonly #forgets: 'never' | 'refuses' | 'restarts'
  readonly #made = new Map<string, number>()
  readonly #waiting: Entry[] = []
  #until: number
  #old: object | undefined
  #isEmptyAtFirst: boolean | undefined
  #serial = 0

  constructor({ seed, faulty = 0.25, late = 0, isBusy = false }: WorldOptions, start: number) {
    const random = createRandom(`${seed} posts`)
    this.#random = random
    this.#lies = createRandom(`${seed} lies`)
    this.now = start
    this.#until = start - day
    this.faulty = faulty
    this.#late = late
    this.#rate = random.pick(isBusy ? [60, 200] : [0.5, 2, 10, 60])
    this.#forgets = random.pick(['never', 'never', 'refuses', 'restarts'])
    this.isNumbered = random.next() < 0.25
    this.#set = random.pick(lieSets)
    this.client = new SocialSearch({
      ...{ baseUrl: 'https://api.example/v1', apiKey: 'org_live_key', organization: crypto.randomUUID() },
      ...{ limits: { perMinute: false }, retry: false, logger: false },
      fetch: (request) => this.answer(request),
    })
  }

  /** Publishes what is due. */
  grow(): void {
    for (;;) {
      const time = this.#until - (Math.log(1 - this.#random.next()) / this.#rate) * hour
      if (time > this.now) break
      this.#until = time
      const isLate = this.#random.next() < this.#late
      const from = isLate ? time - Math.log(1 - this.#random.next()) * 10 * minute : time
      this.#waiting.push({ id: `p${++this.#serial}`, time: Math.round(time), from, isLate })
    }
    // What is published later is not published at a time that has passed.
    this.#until = Math.max(this.#until, this.now)
    for (const entry of this.#waiting.splice(0)) {
      if (entry.from > this.now) this.#waiting.push(entry)
      else {
        const at = this.posts.findIndex(({ time }) => time < entry.time)
        this.posts.splice(at === -1 ? this.posts.length : at, 0, entry)
        this.published.push(entry)
      }
    }
  }

  async answer(request: Request): Promise<Response> {
    const { cursor, page: number = 1 } = (await request.json()) as { cursor?: string; page?: number }
    this.grow()
    this.now += 1000
    this.pages++
    const isTop = cursor === undefined && number === 1
    const lie = this.#lies.next() < this.faulty ? this.#lies.pick(this.#set) : undefined
    this.#isEmptyAtFirst ??= lie === 'empty' || lie === 'emptymore'
    if (this.isOut || lie === 'lost') throw new TypeError('fetch failed')
    if (lie === 'failed') {
      this.pages--
      return Response.json(
        { requestId: 'r', error: { code: 'upstream_error', message: 'x' } },
        { status: 502 },
      )
    }
    const age = cursor === undefined ? 0 : this.now - (this.#made.get(cursor) ?? -Infinity)
    const isForgotten = this.#forgets !== 'never' && age > 6 * hour
    if (cursor !== undefined && (lie === 'gone' || (isForgotten && this.#forgets === 'refuses'))) {
      this.pages--
      return Response.json(
        { requestId: 'r', error: { code: 'validation_error', message: 'x' } },
        { status: 400 },
      )
    }
    const from = this.isNumbered
      ? 20 * (number - 1)
      : cursor === undefined || isForgotten
        ? 0
        : this.posts.findIndex(({ id }) => id === cursor) + 1
    const whole = this.posts.slice(from, from + 20)
    const isEnd = from + 20 >= this.posts.length
    const good = this.#page(whole, isEnd ? undefined : whole.at(-1)?.id, number)
    if (lie === 'empty') return this.#page([], undefined, number)
    if (lie === 'emptymore') return this.#page([], cursor ?? whole[0]?.id ?? 'x', number)
    // A short page of numbers hides posts that nobody can find.
    if (lie === 'half' && this.isNumbered) return good
    // If nothing was listed at first, nobody can tell such an end from the true one.
    if (lie === 'cut' && (this.isNumbered || this.#old === undefined || this.#isEmptyAtFirst)) return good
    if (lie === 'cut') return this.#page(whole.slice(0, 3), undefined, number)
    if (lie === 'loop') return this.#page(whole, cursor ?? 'x', number)
    if (lie === 'half') return this.#page(whole.slice(0, 7), whole[6]?.id, number)
    if (lie === 'nocursor') return this.#page(whole, null, number)
    if (lie === 'stale' && isTop && this.#old !== undefined) return Response.json(this.#old)
    if (isTop) this.#old = (await good.clone().json()) as object
    return good
  }

  /** @param next A cursor; null if there is one, but the service forgets to say it. */
  #page(entries: readonly Entry[], next: string | null | undefined, number: number): Response {
    const timed = entries.map(({ id, time }) => ({ id, time: new Date(time).toISOString() }))
    if (this.isNumbered) return Response.json(timedPage(timed, { number }))
    if (typeof next === 'string') this.#made.set(next, this.now)
    const meta = {
      returnedCount: timed.length,
      hasMore: next !== undefined,
      ...(next && { nextCursor: next }),
    }
    return Response.json({ ...timedPage(timed, {}), meta })
  }
}

/** What a watch has told, and what its service knows. */
class Oracle {
  readonly delivered = new Map<string, number>()
  gaps: readonly WatchGap[] = []
  worst = 0
  /** Those that it should see, and has not seen. */
  readonly #unseen = new Map<string, number>()
  readonly #times = new Map<string, number>()
  readonly #service: LyingService
  /** Posts that were published later are new. */
  #since = Infinity
  /** How many of the posts of the service are unseen or seen. */
  #counted = 0
  /** When the newest post was published that it has seen. */
  #top = -Infinity

  constructor(service: LyingService) {
    this.#service = service
  }

  /** The watch has begun: older posts are not wanted. */
  begin(): void {
    if (this.#since === Infinity) this.#since = this.#service.posts[0]?.time ?? this.#service.now
  }

  add(fresh: readonly string[], known: readonly string[], gaps: readonly WatchGap[]): void {
    const { published } = this.#service
    for (; this.#counted < published.length; this.#counted++) {
      const { id, time, isLate } = published[this.#counted] as Entry
      this.#times.set(id, time)
      if (!isLate && time > this.#since) this.#unseen.set(id, time)
    }
    for (const id of fresh) this.delivered.set(id, (this.delivered.get(id) ?? 0) + 1)
    for (const id of [...fresh, ...known]) {
      this.#unseen.delete(id)
      this.#top = Math.max(this.#top, this.#times.get(id) ?? 0)
    }
    this.gaps = gaps
    this.worst = Math.max(this.worst, this.lost())
  }

  /** Posts below the newest one that it has seen, which neither it nor a gap knows. */
  lost(): number {
    const ranges = this.gaps.map(
      ({ from, to }) => [Date.parse(from ?? '1970'), Date.parse(to ?? '9999')] as const,
    )
    const isLost = (time: number): boolean =>
      time < this.#top && !ranges.some(([from, to]) => from <= time && time <= to)
    return [...this.#unseen.values()].filter(isLost).length
  }

  get doubles(): number {
    return [...this.delivered.values()].reduce((sum, times) => sum + times - 1, 0)
  }
}

/** @param setClock Sets the clock of the machine, in milliseconds since 1970. */
export async function world(options: WorldOptions, setClock: (time: number) => void): Promise<World> {
  const { seed, days = 5, isBusy = false, hasJumps = false } = options
  const random = createRandom(seed)
  const start = Date.UTC(2026, 2, 1)
  const service = new LyingService(options, start)
  const oracle = new Oracle(service)
  const price = service.isNumbered ? 4 : 2
  const limit = price * random.pick(isBusy ? [400, 2000] : [20, 100, 400])
  const budget = new CreditBudget(limit, { every: 'day' })
  const terms = {
    maxPages: random.pick(isBusy ? [1, 10] : [1, 2, 10]),
    from: random.pick([undefined, undefined, 'now' as const]),
    every: random.pick([15 * minute, 15 * minute, hour, 21 * hour]),
  }
  /** How far the clock of the machine is ahead. */
  let ahead = 0
  let state: WatchState | null = null
  let spans = 0
  const spent = new Map<number, number>()
  const check = async (budget: Budget | undefined, maxPages: number): Promise<boolean> => {
    setClock(service.now + ahead)
    const { microblog, professionalnet } = service.client
    const watchOptions = { once: true, from: terms.from, state, maxPages, budget, minInterval: 1 }
    const watch = service.isNumbered
      ? watchSearch(professionalnet.posts, { query: 'a' }, watchOptions)
      : watchSearch(microblog, { query: 'a' }, watchOptions)
    const idOf = (post: { id: string } | { urn: string }): string => ('urn' in post ? post.urn : post.id)
    service.grow()
    if (terms.from === 'now') oracle.begin()
    try {
      for await (const batch of watch) {
        if (batch.error === null && batch.dueAt === null) oracle.begin()
        oracle.add(batch.posts.map(idOf), batch.known.map(idOf), batch.gaps)
        ;({ state } = batch)
        spans = Math.max(spans, state.spans.length)
        const date = Math.floor(Date.now() / day)
        const { spent: credits, uncertain } = batch.credits
        if (budget) spent.set(date, (spent.get(date) ?? 0) + credits + uncertain)
        if (batch.dueAt !== null) return false
      }
      return oracle.gaps.length === 0
    } catch (error) {
      if (!(error instanceof SocialSearchError)) throw error
      return true
    } finally {
      // The next check is one of another process.
      state = JSON.parse(JSON.stringify(state)) as WatchState | null
    }
  }
  const until = start + days * day
  while (service.now < until) {
    if (hasJumps && random.chance(0.02)) ahead = random.pick([0, 0, -3 * hour, 3 * hour, -2 * day, 2 * day])
    const isDone = await check(budget, terms.maxPages)
    service.now += isDone || terms.every > hour ? terms.every : random.pick([1000, minute, terms.every])
  }
  const { pages } = service
  const found = oracle.delivered.size
  const { doubles } = oracle
  // In the end the service is honest, and nobody counts the credits: what is still missing is lost.
  service.faulty = 0
  for (let n = 0; n < 400 && (n < 3 || oracle.gaps.length > 0); n++) {
    await check(undefined, 30)
    service.now += hour
  }
  return {
    ...{
      lost: oracle.worst,
      lostForGood: oracle.lost(),
      doubles: Math.max(doubles, oracle.doubles),
      found,
      pages,
    },
    ...{ excess: Math.max(0, ...spent.values()) - limit, gaps: oracle.gaps.length, spans },
  }
}
