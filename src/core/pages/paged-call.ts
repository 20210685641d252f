import type { Operation } from '../../api/operation.ts'
import {
  ConfigurationError,
  InvalidRequestError,
  PaginationError,
  SocialSearchError,
  setNonEnumerable,
} from '../../errors/index.ts'
import { type Composed, paramsOf } from '../call/compose-request.ts'
import type { Answer, InvalidItem } from '../call/call.ts'
import type { ClientTransport } from '../call/transport.ts'
import { pageLoop, samePage } from '../../errors/words.ts'
import { wholeNumber } from '../../errors/check-options.ts'
import { isRecord, jsonText } from '../../lib/json.ts'
import { printShort, printed } from '../../lib/print.ts'
import { itemsOf, missingItems } from '../../api/list-items.ts'
import type { AnyCallOptions } from '../options/options.ts'
import { type Progress, type Step, type WalkState, isOver, nextOfState, nextStep } from './walk.ts'
import { ApiCall, rethrowWithCallerFrames } from './api-call.ts'

/** What the SDK adds to the body of a page. */
export interface PageFields<Params> {
  /** Params of the next page, as plain JSON; null on the last page. Save `{ next }` to `resume()` later. */
  next: Params | null
  /** The items that failed validation, with `validation: 'lenient'`. */
  invalid?: InvalidItem[]
}

/**
 * A search or list. Await it for the first page, or iterate it for the items of all pages; until then, nothing is sent. If
 * you iterate it twice, you pay twice for every page after the first.
 *
 * @example
 * const call = client.microblog.search({ query }, { maxPages: 10 })
 * for await (const page of call.pages()) await save(page.posts, { next: page.next })
 */
export class PagedCall<Page, Item, Limit extends number | undefined = number | undefined>
  extends ApiCall<Page>
  implements AsyncIterable<Item>
{
  readonly #transport: ClientTransport
  readonly #operation: Operation
  readonly #options: AnyCallOptions | undefined
  /** Composed at once: later changes to the params have no effect. */
  readonly #request: Composed | InvalidRequestError
  #first: Promise<FetchedPage> | undefined
  /** Aborts when the reader has left for whom the first page was asked. */
  #firstLeft: AbortSignal | undefined
  /** Whether it resumes after the last page. */
  #isEnded = false

  /** @internal */
  constructor(transport: ClientTransport, operation: Operation, params: object, options?: AnyCallOptions) {
    super()
    this.#transport = transport
    this.#operation = operation
    this.#request = transport.compose(operation, params, undefined, options ?? {})
    this.#options = options && { ...options, ...extraOf(this.#request) }
  }

  /** @internal */
  override [printed](): string {
    return `PagedCall ${this.#operation.id} (await it or iterate it)`
  }

  /**
   * Continues from a saved page or from an error. Null starts at the first page. `limit` and `maxPages` start again from
   * zero.
   *
   * @param state The saved `{ next: page.next }`, the params of a page, or an error.
   * @throws {ConfigurationError} if the state lacks `next`, or belongs to a call with other params.
   *
   * @example
   * const state = await load() // the { next } that you saved; undefined at first
   * for await (const page of client.microblog.search({ query }).resume(state).pages()) {
   *   await save(page.posts, { next: page.next })
   * }
   */
  resume(
    state: WalkState<NextOf<Page>> | NextOf<Page> | SocialSearchError | null | undefined,
  ): PagedCall<Page, Item, Limit> {
    if (state === null || state === undefined) return this
    const params = paramsOf(this.#request) ?? {}
    const next = nextOfState(this.#operation, params, state, this.#options?.paging)
    const Class = this.constructor as typeof PagedCall<Page, Item, Limit>
    const call = new Class(this.#transport, this.#operation, next ?? params, this.#options)
    call.#isEnded = next === null
    return call
  }

  /** @internal Aborts when its client is closed, so that who calls again and again need not wait for the next call. */
  get closing(): AbortSignal {
    return this.#transport.closing
  }

  /**
   * The pages, each fetched when your loop asks for it. Ends with the last page, at `limit` or `maxPages`, or after three
   * empty pages in a row. If a page fails, pass the error to `resume()`.
   *
   * @throws {PaginationError} if pages contradict each other; no further page is fetched.
   */
  pages(): AsyncGenerator<Page, void, undefined> {
    return this.#walk()
  }

  /** @param callerLeft Aborts when nobody waits for a page any more. */
  async *#walk(callerLeft?: AbortSignal): AsyncGenerator<Page, void, undefined> {
    if (this.#isEnded) return
    const { expectedItems } = this.#options ?? {}
    let progress: Progress = { pages: 0, items: 0, emptyPages: 0 }
    let request = this.#request
    const visited = new Set([this.#positionOf(request)])
    let fetched = await this.#fetchFirst(callerLeft).catch(rethrowWithCallerFrames)
    let latest = ''
    for (;;) {
      const { step, parsed, invalid } = fetched
      const page = fetched.body as Page
      if (step.kind === 'wrong') throw this.#paginationError(step.why, paramsOf(request), fetched, page)
      // Counted before the yield: the caller may change the page.
      const { length } = this.#items(page, request, fetched)
      const sent = this.#contentOf(parsed)
      if (sent === latest && sent !== '[]')
        throw this.#paginationError(samePage, paramsOf(request), fetched, page)
      latest = sent
      // Like the items, before the caller may change them.
      const next = step.kind === 'next' ? this.#compose(step.params, request) : request
      const position = this.#positionOf(next)
      const isLoop = step.kind === 'next' && visited.has(position)
      // A walk that resumes there would pay for the same pages again.
      if (isLoop) Object.assign(page as object, { next: null })
      yield page

      progress = {
        pages: progress.pages + 1,
        items: progress.items + length,
        emptyPages: length === 0 && !invalid?.length ? progress.emptyPages + 1 : 0,
      }
      if (isOver(step, progress, this.#options ?? {})) return
      if (step.kind === 'lost') throw this.#paginationError(step.why, null, fetched)
      if (isLoop) throw this.#paginationError(pageLoop, null, fetched)
      request = next
      visited.add(position)
      fetched = await this.#fetch(
        request,
        fetched,
        expectedItems && Math.max(1, expectedItems - progress.items),
        callerLeft,
      ).catch(rethrowWithCallerFrames)
    }
  }

  /** The items of all pages. */
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined>
  async *[Symbol.asyncIterator](callerLeft?: AbortSignal): AsyncGenerator<Item, void, undefined> {
    let left = this.#options?.limit ?? Infinity
    for await (const page of this.#walk(callerLeft)) {
      for (const item of this.#items(page, this.#request)) {
        yield item as Item
        if (--left === 0) return
      }
    }
  }

  /**
   * Collects items from as many pages as needed. If a page fails, the error has the items so far in `items`.
   *
   * @param options `limit`: maximum items, a whole number of at least 1. Default: the option `limit` of the call, without
   * which it is required.
   */
  toArray(
    ...options: undefined extends Limit
      ? [options: { limit: number }]
      : [options?: { limit?: number | undefined }]
  ): Promise<Item[]>
  async toArray(options?: { limit?: number | undefined }): Promise<Item[]> {
    const given = options?.limit ?? this.#options?.limit
    if (given === undefined) throw new ConfigurationError('pages cost credits; pass toArray({ limit })')
    const limit = wholeNumber('limit', given)
    const items: Item[] = []
    try {
      for await (const item of this) if (items.push(item) === limit) break
    } catch (error) {
      // No other error: one of your own function may be that of many calls.
      if (error instanceof SocialSearchError) setNonEnumerable(error, 'items', items)
      throw error
    }
    return items
  }

  /** @internal */
  protected override answer(): Promise<Answer> {
    return this.#fetchFirst()
  }

  /** Composes the request for the page after another one. */
  #compose(params: object, latest: Composed | InvalidRequestError): Composed | InvalidRequestError {
    return this.#transport.compose(
      this.#operation,
      params,
      undefined,
      undefined,
      extraOf(latest)?.extraParams,
    )
  }

  #fetchFirst(callerLeft?: AbortSignal): Promise<FetchedPage> {
    if (this.#isEnded) {
      const message = 'the last page was already fetched'
      return Promise.reject(new ConfigurationError(message, { next: paramsOf(this.#request) }))
    }
    if (this.#first === undefined) {
      this.#firstLeft = callerLeft
      this.#first = this.#fetch(this.#request, undefined, this.#options?.expectedItems, callerLeft)
    }
    const [first, left] = [this.#first, this.#firstLeft]
    if (left === callerLeft) return first
    return first.catch((error: unknown) => {
      if (error !== left?.reason) throw error
      // It was not sent, but is wanted still.
      if (this.#first === first) this.#first = undefined
      return this.#fetchFirst(callerLeft)
    })
  }

  /**
   * Fetches a page, and adds `next` and `invalid` to its body.
   *
   * @param expectedItems How many items are still expected.
   */
  #fetch(
    request: Composed | InvalidRequestError,
    previousPage: Answer | undefined,
    expectedItems: number | undefined,
    callerLeft: AbortSignal | undefined,
  ): Promise<FetchedPage> {
    const options = this.#options && { ...this.#options, expectedItems }
    const extras = { previousPage, callerLeft }
    return this.#transport.send(this.#operation, request, options, extras).then((answer) => {
      const { body, invalid } = answer
      const step = nextStep(this.#operation, paramsIn(request), body, this.#options?.paging, invalid?.length)
      const next = step.kind === 'next' ? step.params : null
      printShort(itemsOf(this.#operation, body, this.#options?.paging) ?? [])
      // Without validation, a body need not be an object; it is returned unchanged.
      const page = isRecord(body)
        ? { ...body, next, ...(invalid !== null && { invalid: [...invalid] }) }
        : body
      return { ...answer, body: page, step }
    })
  }

  /** What tells a page from the one before: its records, whose counters may grow, or all that was sent: a schema may make items equal. */
  #contentOf(body: unknown): string {
    const { unique } = this.#operation
    const items = itemsOf(this.#operation, body, this.#options?.paging) ?? []
    const ids = items.map((item) => (isRecord(item) && unique !== undefined ? item[unique] : undefined))
    // Items that nest too deeply are not compared.
    return jsonText(ids.every((id) => typeof id === 'string' && id !== '') ? ids : items) ?? '[]'
  }

  /** What tells the params of one page from those of another: its cursor or number, or all if `paging.next` makes them. */
  #positionOf(request: Composed | InvalidRequestError): unknown {
    const { paging } = this.#operation
    const params = paramsIn(request)
    if (paging === undefined || this.#options?.paging?.next !== undefined) return JSON.stringify(params)
    return params[paging.param]
  }

  #items(page: Page, request: Composed | InvalidRequestError, answer?: Answer): readonly unknown[] {
    const paging = this.#options?.paging
    const items = itemsOf(this.#operation, page, paging)
    if (items !== null) return items
    // Documented lists were validated, or validation is off.
    if (this.#operation.documented) return []
    throw this.#paginationError(missingItems(this.#operation, page, paging), paramsOf(request), answer, page)
  }

  /** @param body The page that contradicts the others, from `answer`. */
  #paginationError(
    message: string,
    next: object | null | undefined,
    answer?: Answer,
    body?: unknown,
  ): PaginationError {
    const { requestId, record } = answer ?? {}
    const { attempts = [], credits } = record ?? {}
    const charged = credits?.spent ? 'yes' : credits?.uncertain ? 'unknown' : 'no'
    // One from a cache has none.
    const sent = attempts.length > 0 ? attempts : undefined
    const { id: operation } = this.#operation
    const context = { operation, attempts: sent, requestId, charged, credits, body } as const
    return new PaginationError(message, next ?? null, context)
  }
}

/** The params themselves, which must not change. */
function paramsIn(request: Composed | InvalidRequestError): Readonly<Record<string, unknown>> {
  const params = request instanceof InvalidRequestError ? request.next : request.params
  return (params as Record<string, unknown> | null | undefined) ?? {}
}

/** The unchecked params as they were at first: later changes have no effect. */
function extraOf(request: Composed | InvalidRequestError): Pick<AnyCallOptions, 'extraParams'> | undefined {
  return request instanceof InvalidRequestError || request.extra === undefined
    ? undefined
    : { extraParams: request.extra }
}

/** What `next` of a page may be. */
type NextOf<Page> = Page extends PageFields<infer Params> ? Params : object

interface FetchedPage extends Answer {
  readonly step: Step
}
