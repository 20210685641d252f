import { SocialSearch } from '../../src/index.ts'
import { timedPage } from '../support/pages.ts'

interface Entry {
  readonly id: string
  /** The feed is sorted by it, highest first; a cursor names the place behind it. */
  rank: number
}

/** A search of both networks whose posts come, go and change places, newest first. */
export class Feed {
  readonly entries: Entry[] = []
  /** Cursors or page numbers of the requests; undefined for a first page, with which a poll begins. */
  readonly requests: (string | undefined)[] = []
  readonly bodies: Record<string, unknown>[] = []
  /** Runs before a request is answered. */
  onRequest: (cursor: string | undefined) => Response | undefined = () => undefined
  readonly client: SocialSearch
  pageSize = 20
  /** When the post of rank 0 was published. */
  start = Date.UTC(2026, 10, 19)
  #ids = 0

  constructor(organization: string) {
    const options = { baseUrl: 'https://api.example/v1', apiKey: 'org_live_key', organization }
    this.client = new SocialSearch({
      ...options,
      limits: { perMinute: false },
      fetch: (request) => this.#answer(request),
    })
  }

  get ids(): string[] {
    return this.entries.map(({ id }) => id)
  }

  /** Lists new posts, the newest last. */
  post(count: number): string[] {
    return Array.from({ length: count }, () => this.insert(0))
  }

  /** Lists a new post below so many others. */
  insert(wanted: number): string {
    const position = Math.min(wanted, this.entries.length)
    const above = this.entries[position - 1]?.rank
    const below = this.entries[position]?.rank ?? 0
    const id = String(++this.#ids)
    const rank = above === undefined ? Math.floor(below) + 1 : (above + below) / 2
    this.entries.splice(position, 0, { id, rank })
    return id
  }

  remove(position: number): void {
    this.entries.splice(position, 1)
  }

  /** Turns the order of so many posts round. */
  reverse(position: number, count: number): void {
    const part = this.entries.slice(position, position + count)
    const ranks = part.map(({ rank }) => rank).reverse()
    part.forEach((entry, index) => (entry.rank = ranks[index] ?? entry.rank))
    this.entries.sort((a, b) => b.rank - a.rank)
  }

  /** What is behind a cursor. */
  after(cursor: string | undefined): string[] {
    const limit = cursor === undefined ? Infinity : Number(cursor)
    return this.entries.filter(({ rank }) => rank < limit).map(({ id }) => id)
  }

  async #answer(request: Request): Promise<Response> {
    const body = (await request.json()) as { cursor?: string; page?: number }
    const isNumbered = request.url.includes('professionalnet')
    const { page: number = 1 } = body
    const cursor = isNumbered && number > 1 ? String(number) : body.cursor
    this.bodies.push(body)
    this.requests.push(cursor)
    const answer = this.onRequest(cursor)
    if (answer !== undefined) return answer
    if (isNumbered) {
      const ids = this.ids.slice(this.pageSize * (number - 1), this.pageSize * number)
      return Response.json(timedPage(this.#timed(ids), { number }))
    }
    const found = this.after(cursor)
    const ids = found.slice(0, this.pageSize)
    const last = this.entries.find(({ id }) => id === ids.at(-1))
    return Response.json(this.page(ids, found.length > this.pageSize ? String(last?.rank) : undefined))
  }

  /** A page of the microblog network. */
  page(ids: readonly string[], next?: string): object {
    return timedPage(this.#timed(ids), next === undefined ? {} : { next })
  }

  #timed(ids: readonly string[]) {
    return ids.map((id) => ({ id, time: this.timeOf(id) }))
  }

  /** When a post was published: a minute after the one below it. */
  timeOf(id: string): string {
    const rank = this.entries.find((entry) => entry.id === id)?.rank ?? 0
    return new Date(this.start + rank * 60_000).toISOString()
  }
}
