import type { Operation } from '../contract/operation.ts'
import { type Attempt, PaginationError, SocialSearchError, annotate } from '../errors.ts'
import { type AnyCallOptions, resolveWalk } from '../options.ts'
import { wholeNumber } from './assert.ts'
import type { InvalidItem } from './decode.ts'
import { type Step, WalkGuard, itemsOf, nextStep } from './paginate.ts'
import type { CallCredits } from './purchase.ts'
import type { Answer, Transport } from './transport.ts'

/** What the SDK adds to the body of a page. */
export interface PageFields<Params> {
  /** Params of the next page as plain JSON, or null on the last one. Store them to go on later. */
  next: Params | null
  /** With `validation: 'lenient'`: the items that were set apart. */
  invalid?: InvalidItem[]
}

/** A result with what is known of the call behind it. */
export interface WithResponse<T> {
  data: T
  /** The HTTP response; its body can be read again. */
  response: Response
  requestId: string | undefined
  attempts: readonly Attempt[]
  credits: CallCredits
}

/**
 * A search or list that may have many pages. Nothing is sent before it is used: await it for the first page, or iterate
 * it for the items of all pages. The first page is fetched once, however often and in whatever way it is used; a second
 * walk over the same call buys the further pages again.
 */
export class PagedCall<Page, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #transport: Transport
  readonly #operation: Operation
  readonly #params: object
  readonly #options: AnyCallOptions
  #first: Promise<Fetched<Page>> | undefined

  constructor(transport: Transport, operation: Operation, params: object, options: AnyCallOptions = {}) {
    this.#transport = transport
    this.#operation = operation
    this.#params = snapshot(operation, params)
    this.#options = { ...options }
  }

  then<A = Page, B = never>(
    onfulfilled?: ((page: Page) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#fetchFirst()
      .then(({ page }) => page)
      .then(onfulfilled, onrejected)
  }

  catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page | B> {
    return this.then(undefined, onrejected)
  }

  finally(onfinally?: (() => void) | null): Promise<Page> {
    return this.then().finally(onfinally)
  }

  /** The first page, with the HTTP response, the attempts and the credits it took. */
  async withResponse(): Promise<WithResponse<Page>> {
    const { page, answer } = await this.#fetchFirst()
    const { requestId, attempts, credits } = answer
    return { data: page, response: replay(answer), requestId, attempts, credits }
  }

  /**
   * Walks the pages, each fetched when it is asked for: leaving the loop buys nothing further. The walk ends with the
   * last page, at `limit` or `maxPages`, or after three empty pages in a row; then `next` of the last page tells whether
   * there would be more. An error on the way has the failed page's params in `next`.
   *
   * @throws {PaginationError} if the pages contradict each other, before the next one is bought.
   */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const operation = this.#operation
    const limits = resolveWalk(this.#options)
    const guard = new WalkGuard()
    let fetched = await this.#fetchFirst()
    let params = this.#params
    let items = 0
    for (let pages = 1; ; pages++) {
      const { page, step } = fetched
      guard.enter(params)
      yield page

      const found = itemsOf(operation, page).length
      items += found
      const isEmpty = found === 0 && fetched.invalid === 0
      if (step.kind === 'end' || pages >= limits.pages || items >= limits.items || !guard.goesOn(isEmpty))
        return
      if (step.kind === 'lost')
        throw this.#astray('the page says that there is more, but has no cursor', null)
      params = step.params
      if (guard.knows(params)) throw this.#astray('the cursor leads back to a page of this walk', params)
      fetched = await this.#fetch(params)
    }
  }

  /** Walks the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let left = resolveWalk(this.#options).items
    for await (const page of this.pages()) {
      for (const item of itemsOf(this.#operation, page)) {
        yield item as Item
        if (--left === 0) return
      }
    }
  }

  /**
   * Collects the items of as many pages as it takes.
   *
   * @param options `limit`: most items, a whole number of at least 1. Items of the last page beyond it are left out.
   */
  async toArray(options: { limit: number }): Promise<Item[]> {
    const limit = wholeNumber('limit', (options as { limit?: number } | undefined)?.limit)
    const items: Item[] = []
    for await (const item of this) {
      items.push(item)
      if (items.length === limit) break
    }
    return items
  }

  #fetchFirst(): Promise<Fetched<Page>> {
    return (this.#first ??= this.#fetch(this.#params))
  }

  async #fetch(params: object): Promise<Fetched<Page>> {
    const { signal } = this.#options
    try {
      // Checked before anything is bought, though only a walk needs them.
      resolveWalk(this.#options)
      const answer = await this.#transport.request(this.#operation, params, this.#options)
      const { body, invalid } = answer.decoded
      const step = nextStep(this.#operation, params, body)
      const fields: PageFields<object> = {
        // A copy, so that what the caller does to it does not change the pages to come.
        next: step.kind === 'next' ? structuredClone(step.params) : null,
        ...(invalid !== null && { invalid: [...invalid] }),
      }
      // Without validation a body may be anything, and is handed over as it is.
      const page = (isRecord(body) ? { ...body, ...fields } : body) as Page
      return { answer, page, step, invalid: invalid?.length ?? 0 }
    } catch (error) {
      const isAbort = signal?.aborted === true && error === signal.reason
      if (error instanceof SocialSearchError && !isAbort) annotate(error, { next: params })
      throw error
    }
  }

  #astray(message: string, next: object | null): PaginationError {
    return new PaginationError(message, next, { operation: this.#operation.id })
  }
}

interface Fetched<Page> {
  readonly answer: Answer
  readonly page: Page
  readonly step: Step
  /** Items that were set apart. */
  readonly invalid: number
}

/** A copy, so that what the caller does to the object later does not change the pages to come. */
function snapshot(operation: Operation, params: object): object {
  try {
    return structuredClone(params)
  } catch {
    // Proxies, as state libraries make them, cannot be cloned; what is not plain data will be refused, and told why.
    return operation.request(params).length === 0 ? (JSON.parse(JSON.stringify(params)) as object) : params
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The response as it came, with a body that can be read again. */
function replay({ response, text }: Answer): Response {
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  // They describe the body on the wire, not the decoded text.
  headers.delete('content-encoding')
  headers.delete('content-length')
  return new Response(text, { status, statusText, headers })
}
