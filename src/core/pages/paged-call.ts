import type { AnyCallOptions } from '../options/types.ts'
import { attempted, itemsOf, missingItems } from '../lib/items.ts'
import { isRecord } from '../../contract/is-record.ts'
import type { Operation } from '../../contract/operation.ts'
import { PaginationError, SocialSearchError, annotate } from '../../errors.ts'
import { wholeNumber } from '../lib/assert.ts'
import type { InvalidItem } from '../call/decode.ts'
import { type Step, WalkGuard, nextStep, resolveWalk } from './next-step.ts'
import type { Answer, Transport } from '../call/transport.ts'
import { type WithResponse, describe } from './with-response.ts'

/** What the SDK adds to the body of a page. */
export interface PageFields<Params> {
  /** Params of the next page as plain JSON, or null on the last one. Store them to go on later. */
  next: Params | null
  /** With `validation: 'lenient'`: the items that were set apart. */
  invalid?: InvalidItem[]
}

/**
 * A search or list that may have many pages. Nothing is sent before it is used: await it for the first page, or iterate
 * it for the items of all pages. The first page is fetched once, however often and in whatever way it is used; a second
 * walk over the same call buys the further pages again.
 */
export class PagedCall<Page, Item> implements Promise<Page>, AsyncIterable<Item> {
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

  get [Symbol.toStringTag](): string {
    return 'PagedCall'
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
    return describe(answer, page)
  }

  /**
   * Walks the pages, each fetched when it is asked for: leaving the loop buys nothing further. The walk ends with the
   * last page, at `limit` or `maxPages`, or after three empty pages in a row; then `next` of the last page tells whether
   * there would be more. An error on the way has the failed page's params in `next`.
   *
   * @throws {PaginationError} if the pages contradict each other, before the next one is bought.
   */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const limits = resolveWalk(this.#options)
    const guard = new WalkGuard()
    const ahead = new Map<string, Promise<Fetched<Page>>>()
    let fetched = await this.#fetchFirst()
    let params = this.#params
    let items = 0
    for (let pages = 1; ; pages++) {
      const { answer, page, step } = fetched
      if (step.kind === 'wrong') throw this.#astray(step.why, params, page)
      // The reader may do to the page what it likes.
      const { length } = this.#items(page)
      // A schema may make the same of different items, so it is what was sent that is compared.
      const sent = itemsOf(this.#operation, answer.sent, this.#options.paging)
      if (this.#operation.paging?.kind !== 'cursor' && guard.repeats(sent ?? [])) {
        throw this.#astray('the page has the very items of the one before', params, page)
      }
      guard.enter(params)
      yield page

      items += length
      const isEmpty = length === 0 && fetched.invalid === 0
      if (step.kind === 'end' || pages >= limits.pages || items >= limits.items || !guard.goesOn(isEmpty))
        return
      if (step.kind === 'lost') throw this.#astray(step.why, null)
      params = step.params
      if (guard.knows(params)) throw this.#astray('the next page is one that this walk has been to', params)
      this.#fetchAhead(ahead, params, fetched, limits.pages - pages)
      const key = JSON.stringify(params)
      fetched = await (ahead.get(key) ?? this.#fetch(params))
      ahead.delete(key)
    }
  }

  /** Walks the items of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let left = resolveWalk(this.#options).items
    for await (const page of this.pages()) {
      for (const item of this.#items(page)) {
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
    const { signal, paging } = this.#options
    try {
      // Checked before anything is bought, though only a walk needs them.
      resolveWalk(this.#options)
      const answer = await this.#transport.request(this.#operation, params, this.#options)
      const { body, invalid } = answer.decoded
      const step = nextStep(this.#operation, params, body, paging, invalid?.length)
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
      if (error instanceof SocialSearchError && !isAbort)
        annotate(error, { next: snapshot(this.#operation, params) })
      throw error
    }
  }

  /** Where pages are free and counted, two of them are fetched at a time. */
  #fetchAhead(
    ahead: Map<string, Promise<Fetched<Page>>>,
    params: object,
    { answer }: Fetched<Page>,
    most: number,
  ): void {
    const { paging, price } = this.#operation
    if (paging?.kind !== 'counted' || price.kind !== 'free') return
    const { meta } = answer.decoded.body as { meta?: { pageCount?: unknown } }
    const page = Number((params as Record<string, unknown>)[paging.param])
    const isLast = page >= Number(meta?.pageCount) || most === 1
    const wanted = isLast ? [params] : [params, { ...params, [paging.param]: page + 1 }]
    for (const each of wanted) {
      const key = JSON.stringify(each)
      if (ahead.has(key)) continue
      const fetching = this.#fetch(each)
      // Its failure is nobody's before its turn has come, and then it is fetched again.
      fetching.catch(() => ahead.delete(key))
      ahead.set(key, fetching)
    }
  }

  #items(page: Page): readonly unknown[] {
    const { paging } = this.#options
    const items = itemsOf(this.#operation, page, paging)
    if (items !== null) return items
    // Documented lists have been checked; where nothing is to be checked, nothing can be missed.
    if (this.#operation.documented) return []
    throw this.#astray(missingItems(this.#operation, page, paging), this.#params, page)
  }

  #astray(message: string, next: object | null, page?: unknown): PaginationError {
    return new PaginationError(message, next, { operation: this.#operation.id, page })
  }
}

interface Fetched<Page> {
  readonly answer: Answer
  readonly page: Page
  readonly step: Step
  /** Items that were set apart. */
  readonly invalid: number
}

/**
 * A copy, so that what the caller does to the object later does not change the pages to come. A body that passes through
 * is copied as JSON will have it; what cannot be copied will be refused, and told why.
 */
function snapshot(operation: Operation, params: object): object {
  const asJson = (value: object): object => JSON.parse(JSON.stringify(value)) as object
  const { method, documented } = operation
  try {
    if (method === 'GET') return withTextForBigints(structuredClone(params))
    return documented ? structuredClone(params) : asJson(params)
  } catch {
    // Proxies, as state libraries make them, cannot be cloned.
    return attempted(() => (operation.request(params).length === 0 ? asJson(params) : params)) ?? params
  }
}

/** In a query they are the same; a page's `next` has to be plain JSON. */
function withTextForBigints(query: object): object {
  if (!isRecord(query)) return query
  const text = (value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
  const entries = Object.entries(query).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(text) : text(value),
  ])
  return Object.fromEntries(entries) as object
}
