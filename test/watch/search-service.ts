import { type ClientOptions, SocialSearch } from '../../src/index.ts'
import { settle } from '../support/clock.ts'
import { timedPage } from '../support/pages.ts'

/** When a query was asked for, and for what. */
export interface Asked {
  readonly at: number
  readonly query: string
}

/** A service where posts about a query come every so many minutes by the clock; 0 for none. */
export class SearchService {
  readonly asked: Asked[] = []
  /** Runs before a request is answered. */
  onRequest: (query: string, cursor: string | undefined) => Response | undefined = () => undefined
  readonly client: SocialSearch
  readonly #minutes: Readonly<Record<string, number>>
  readonly #start = Date.now() - 7 * 86_400_000

  constructor(minutes: Readonly<Record<string, number>>, options: Partial<ClientOptions> = {}) {
    this.#minutes = minutes
    this.client = new SocialSearch({
      ...{ baseUrl: 'https://api.example/v1', apiKey: 'org_live_key', organization: crypto.randomUUID() },
      ...{ limits: { perMinute: false }, retry: false, logger: false, ...options },
      fetch: (request) => this.#answer(request),
    })
  }

  /** Times of the requests for a query, in minutes since `from`. */
  minutesOf(query: string, from: number): number[] {
    const asked = this.asked.filter((each) => each.query === query)
    return asked.map(({ at }) => Math.round((at - from) / 60_000))
  }

  /** When a post was published. */
  timeOf(query: string, number: number): number {
    return this.#start + number * (this.#minutes[query] ?? 0) * 60_000
  }

  async #answer(request: Request): Promise<Response> {
    const body = (await request.json()) as { query: string; cursor?: string; page?: number }
    const { query, cursor } = body
    this.asked.push({ at: Date.now(), query })
    const answer = this.onRequest(query, cursor)
    if (answer !== undefined) return answer
    const minutes = this.#minutes[query] ?? 0
    const newest = minutes === 0 ? -1 : Math.floor((Date.now() - this.#start) / (minutes * 60_000))
    const isNumbered = request.url.includes('professionalnet')
    const first = isNumbered ? newest - 20 * ((body.page ?? 1) - 1) : Number(cursor ?? newest)
    const numbers = Array.from({ length: 20 }, (_, n) => first - n).filter((number) => number >= 0)
    const entries = numbers.map((number) => ({
      id: `${query} ${number}`,
      time: new Date(this.timeOf(query, number)).toISOString(),
    }))
    const rest = isNumbered ? { number: body.page ?? 1 } : first >= 20 && { next: String(first - 20) }
    return Response.json(timedPage(entries, { ...rest }))
  }
}

/** All batches of a watch, and the error that ended it. */
export async function run<Batch>(batches: AsyncIterable<Batch>) {
  const all: Batch[] = []
  const { error } = await settle(
    (async () => {
      for await (const batch of batches) all.push(batch)
    })(),
  )
  return { all, error }
}
