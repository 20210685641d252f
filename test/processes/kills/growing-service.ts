import { type IncomingMessage, type Server, createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { closed, listening } from '../../support/listening.ts'
import { postWith } from '../../support/pages.ts'

export interface GrowingPost {
  readonly id: string
  readonly time: string
  body: string
  isDeleted: boolean
}

/** An answer that the service has charged for. */
export interface PaidAnswer {
  /** Its number, from 1, which every post of it has as its views. */
  readonly number: number
  /** The run whose key it was sent to. */
  readonly run: string
  readonly query: string
  readonly bodies: ReadonlyMap<string, string>
  /** How many answers there were when its run was seen again or had ended: by then it had come. */
  seenAt: number
}

const pageSize = 20

/** A service whose world changes with every answer: posts come, and are edited and deleted. */
export class GrowingService {
  readonly answers: PaidAnswer[] = []
  /** Credits charged for each query. */
  readonly charged: Record<string, number> = {}
  /** Runs that have sent a request. */
  readonly seen = new Set<string>()
  /** All posts of each query, newest first. */
  readonly posts: Readonly<Record<string, GrowingPost[]>>
  readonly #server: Server
  #published = 0
  /** Before any command starts: none has seen a later post. */
  readonly #start = Date.now() - 4 * 3_600_000

  constructor(queries: readonly string[]) {
    this.posts = Object.fromEntries(queries.map((query) => [query, []]))
    for (const query of queries) this.publish(query, 60)
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
        () => response.destroy(),
      )
    })
  }

  async listen(): Promise<string> {
    return `${await listening(this.#server)}/v1`
  }

  close(): Promise<void> {
    return closed(this.#server).then(() => undefined)
  }

  /** The run has ended: whatever came of it, it has. */
  end(run: string): void {
    for (const answer of this.answers)
      if (answer.run === run) answer.seenAt = Math.min(answer.seenAt, this.answers.length)
  }

  async #answer(request: IncomingMessage): Promise<object> {
    const run = String(request.headers.authorization).replace('Bearer sk_', '')
    let text = ''
    for await (const part of request) text += String(part)
    const { query, cursor } = JSON.parse(text) as { query: string; cursor?: string }
    this.end(run)
    this.seen.add(run)
    await sleep(Math.random() * 40)
    const all = this.posts[query] ?? []
    const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1
    const listed = all.slice(start).filter(({ isDeleted }) => !isDeleted)
    const page = listed.slice(0, pageSize)
    const number = this.answers.length + 1
    const bodies = new Map(page.map(({ id, body }) => [id, body]))
    this.answers.push({ number, run, query, bodies, seenAt: Infinity })
    this.charged[query] = (this.charged[query] ?? 0) + 2
    const posts = page.map(({ id, time, body }) =>
      postWith(id, { viewsCount: number }, { body, timestamp: time }),
    )
    const next = listed.length > pageSize && { nextCursor: page.at(-1)?.id }
    this.#change()
    const meta = { returnedCount: page.length, hasMore: next !== false, ...next }
    return { requestId: `req_${number}`, posts, meta }
  }

  #change(): void {
    for (const [query, posts] of Object.entries(this.posts)) {
      this.publish(query, Math.random() < 0.5 ? 1 : 0)
      const recent = () => posts[Math.floor(Math.random() * 40)]
      const [edited, deleted] = [recent(), recent()]
      if (edited !== undefined && Math.random() < 0.3) edited.body += ' edited'
      if (deleted !== undefined && Math.random() < 0.1) deleted.isDeleted = true
    }
  }

  /** Some posts are about two queries. */
  publish(query: string, count: number): void {
    for (let left = count; left > 0; left--) {
      const number = ++this.#published
      const time = new Date(this.#start + number * 1000).toISOString()
      const post = { id: `post ${number}`, time, body: `about ${query}`, isDeleted: false }
      const [first] = Object.keys(this.posts)
      this.posts[query]?.unshift(post)
      if (query !== first && number % 5 === 0) this.posts[first ?? '']?.unshift(post)
    }
  }
}
