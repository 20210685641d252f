import type { Operation } from '../../contract/operation.ts'
import { ConfigurationError, PaginationError, type SocialSearchError } from '../../errors.ts'
import { type ComposedRequest, paramsOf } from '../call/compose-request.ts'
import type { InvalidItem } from '../call/decode.ts'
import type { Answer } from '../call/call.ts'
import type { Transport } from '../call/transport.ts'
import { wholeNumber } from '../../lib/assert.ts'
import { itemsOf, missingItems } from '../../lib/list-items.ts'
import type { AnyCallOptions } from '../options/types.ts'
import { type Step, nextStep } from './next-step.ts'
import { WalkGuard } from './walk-guard.ts'
import { type WalkState, nextOfState } from './walk-state.ts'
import { type WithResponse, withResponse } from './api-call.ts'

/** What the SDK adds to the body of a page. */
export interface PageFields<Params> {
  /** Params of the next page as plain JSON, or null on the last one. Store `{ next }` to `resume()` later. */
  next: Params | null
  /** With `validation: 'lenient'`: the items that failed validation. */
  invalid?: InvalidItem[]
}

/**
 * A search or list with any number of pages. Await it for the first page, or iterate it for the items of all pages;
 * nothing is sent before. The first page is fetched once; a second walk buys the further pages again.
 *
 * @example
 * const call = client.microblog.search({ query }, { maxPages: 10 })
 * for await (const page of call.pages()) await save(page.posts, { next: page.next })
 */
export class PagedCall<Page, Item> implements Promise<Page>, AsyncIterable<Item> {
  readonly #transport: Transport
  readonly #operation: Operation
  readonly #options: AnyCallOptions | undefined
  /** Composed at once: later changes to the params have no effect. */
  readonly #request: ComposedRequest
  #first: Promise<Fetched<Page>> | undefined
  /** Whether it resumes after the last page. */
  #isEnded = false

  constructor(transport: Transport, operation: Operation, params: object, options?: AnyCallOptions) {
    this.#transport = transport
    this.#operation = operation
    this.#options = options && { ...options }
    this.#request = transport.compose(operation, params)
  }

  get [Symbol.toStringTag](): string {
    return 'PagedCall'
  }

  then<A = Page, B = never>(
    onfulfilled?: ((page: Page) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#fetchFirst().then(
      ({ page }) => (onfulfilled ? onfulfilled(page) : (page as never)),
      onrejected,
    )
  }

  catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page | B> {
    return this.then(undefined, onrejected)
  }

  finally(onfinally?: (() => void) | null): Promise<Page> {
    return this.then().finally(onfinally)
  }

  /** The first page with its HTTP response, attempts and credits. */
  async withResponse(): Promise<WithResponse<Page>> {
    const { page, answer } = await this.#fetchFirst()
    return withResponse(answer, page)
  }

  /**
   * Resumes the walk from a stored state. Without a state it starts at the first page; after the last page it yields
   * nothing. `limit` and `maxPages` count from there.
   *
   * @param state The stored `{ next: page.next }`, or the error that ended the walk.
   * @throws {ConfigurationError} if the state lacks `next`, or belongs to a walk with other params.
   */
  resume(state: WalkState<NextOf<Page>> | SocialSearchError | null | undefined): PagedCall<Page, Item> {
    if (state === null || state === undefined) return this
    const params = paramsOf(this.#request) ?? {}
    const next = nextOfState(this.#operation, params, state, this.#options?.paging)
    const call = new PagedCall<Page, Item>(this.#transport, this.#operation, next ?? params, this.#options)
    call.#isEnded = next === null
    return call
  }

  /**
   * Yields the pages. It fetches a page when the loop asks for it. The walk ends with the last page, at `limit` or
   * `maxPages`, or after three empty pages in a row; `next` of the last page is null if there is nothing more. An error
   * has the failed page's params in `next`.
   *
   * @throws {PaginationError} if the pages contradict each other, before the next one is bought.
   */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const { limit = Infinity, maxPages = Infinity } = this.#options ?? {}
    if (this.#isEnded) return
    const guard = new WalkGuard()
    let request = this.#request
    guard.visit(request.params)
    const ahead = new Map<string | undefined, Promise<Fetched<Page>>>()
    let fetched = await this.#fetchFirst()
    let items = 0
    for (let pages = 1; ; pages++) {
      const { answer, page, step } = fetched
      if (step.kind === 'wrong') throw this.#paginationError(step.why, paramsOf(request), page)
      // Counted before the yield: the caller may change the page.
      const { length } = this.#items(page, request)
      // Compares items as sent: a schema may make two different items equal.
      const sent = itemsOf(this.#operation, answer.parsed, this.#options?.paging)
      if (this.#operation.paging?.kind !== 'cursor' && guard.repeatsLatest(sent ?? [])) {
        throw this.#paginationError(
          'the page has the same items as the previous page',
          paramsOf(request),
          page,
        )
      }
      yield page

      items += length
      const isEmpty = length === 0 && !answer.invalid?.length
      if (step.kind === 'end' || pages >= maxPages || items >= limit || !guard.mayContinue(isEmpty)) return
      if (step.kind === 'lost') throw this.#paginationError(step.why, null)
      request = this.#transport.compose(this.#operation, JSON.parse(step.params) as object)
      if (!guard.visit(request.params))
        throw this.#paginationError('pagination loop: the next page was already fetched', paramsOf(request))
      this.#fetchAhead(ahead, request, fetched, maxPages - pages)
      fetched = await (ahead.get(request.params) ?? this.#fetch(request))
      ahead.delete(request.params)
    }
  }

  /** Yields the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let left = this.#options?.limit ?? Infinity
    for await (const page of this.pages()) {
      for (const item of this.#items(page, this.#request)) {
        yield item as Item
        if (--left === 0) return
      }
    }
  }

  /**
   * Collects items from as many pages as needed.
   *
   * @param options `limit`: maximum items, a whole number of at least 1.
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
    if (this.#isEnded) {
      const message = 'the walk has ended: its last page was already fetched'
      return Promise.reject(new ConfigurationError(message, { next: paramsOf(this.#request) }))
    }
    return (this.#first ??= this.#fetch(this.#request))
  }

  #fetch(request: ComposedRequest): Promise<Fetched<Page>> {
    return this.#transport
      .send(this.#operation, request, this.#options)
      .then((answer) => this.#toPage(answer, request))
  }

  /** Adds `next` and `invalid` to the body. */
  #toPage(answer: Answer, request: ComposedRequest): Fetched<Page> {
    const { body, invalid } = answer
    const step = nextStep(this.#operation, request, body, this.#options?.paging, invalid?.length)
    const next = step.kind === 'next' ? (JSON.parse(step.params) as object) : null
    // Without validation, a body need not be an object; it is returned unchanged.
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      Object.assign(body, { next, ...(invalid !== null && { invalid: [...invalid] }) })
    }
    return { answer, page: body as Page, step }
  }

  /** If pages are free and counted, fetches two of them at a time. */
  #fetchAhead(
    ahead: Map<string | undefined, Promise<Fetched<Page>>>,
    request: ComposedRequest,
    { answer }: Fetched<Page>,
    most: number,
  ): void {
    const { paging, price } = this.#operation
    if (paging?.kind !== 'counted' || price.kind !== 'free') return
    const { meta } = answer.body as { meta?: { pageCount?: unknown } }
    const params = paramsOf(request) as Record<string, unknown>
    const page = Number(params[paging.param])
    const wanted = [request]
    if (page < Number(meta?.pageCount) && most > 1)
      wanted.push(this.#transport.compose(this.#operation, { ...params, [paging.param]: page + 1 }))
    for (const each of wanted) {
      if (ahead.has(each.params)) continue
      const fetching = this.#fetch(each)
      // A page that fails is fetched again when it is needed.
      fetching.catch(() => ahead.delete(each.params))
      ahead.set(each.params, fetching)
    }
  }

  #items(page: Page, request: ComposedRequest): readonly unknown[] {
    const paging = this.#options?.paging
    const items = itemsOf(this.#operation, page, paging)
    if (items !== null) return items
    // Documented lists were validated, or validation is off.
    if (this.#operation.documented) return []
    throw this.#paginationError(missingItems(this.#operation, page, paging), paramsOf(request), page)
  }

  #paginationError(message: string, next: object | null | undefined, page?: unknown): PaginationError {
    return new PaginationError(message, next ?? null, { operation: this.#operation.id, page })
  }
}

/** What `next` of a page may be. */
type NextOf<Page> = Page extends PageFields<infer Params> ? Params : object

interface Fetched<Page> {
  readonly answer: Answer
  readonly page: Page
  readonly step: Step
}
