import {
  type AnswerCache,
  type Call,
  type Answer,
  type CallSettings,
  type Send,
  type Wrapping,
  checkAnswer,
  contextOf,
  errorContext,
  newRecord,
  copyOf,
  requestIdOf,
  wrap,
} from '../../extend.ts'
import { effectOf } from '../../api/operation.ts'
import { assertMethod, assertOptions, milliseconds, wholeNumber } from '../../errors/check-options.ts'
import { ConfigurationError, NotCachedError } from '../../errors/index.ts'
import { notCached } from '../../errors/words.ts'
import { parsed } from '../../lib/json.ts'
import { isTiedToRequests, keepSelf, unproxied } from '../../lib/runtime.ts'
import { type Answers, type Entry, type Wanted, CacheLookup, nameOf } from './cache-lookup.ts'
import { type SharedAnswer, SharedRequest } from './shared-request.ts'
import { type CacheStore, MemoryStore, askStore } from './store.ts'

/** Options of a {@link ResultCache}. */
export interface ResultCacheOptions {
  /** How old an answer may be, in milliseconds. A call may set another age. */
  maxAge: number
  /** Where the answers are kept. Default: in memory. */
  store?: CacheStore | undefined
  /** How many answers to keep in memory. Default 500. */
  maxEntries?: number | undefined
}

/**
 * Stores paid answers, so that you don't pay twice for the same call. Identical calls of one client at the same time share
 * one request.
 *
 * @example
 * const cache = new ResultCache({ maxAge: 60_000 })
 * const client = new SocialSearch({ baseUrl, apiKey, cache })
 */
export class ResultCache implements AnswerCache {
  readonly #store: CacheStore
  readonly #maxAge: number

  /** @throws {ConfigurationError} for invalid options. */
  constructor(options: ResultCacheOptions) {
    keepSelf(this)
    assertOptions(options, { maxAge: true, store: true, maxEntries: true })
    const { store, maxAge, maxEntries = 500 } = options
    this.#maxAge = milliseconds('maxAge', maxAge)
    if (store !== undefined && options.maxEntries !== undefined)
      throw new ConfigurationError('maxEntries is for a cache in memory; leave it out if you pass a store')
    for (const method of ['get', 'set', 'delete']) if (store) assertMethod('store', store, method)
    this.#store = store ?? new MemoryStore(wholeNumber('maxEntries', maxEntries))
    const wrapCalls: Wrapping[typeof wrap] = ({ baseUrl, owner }) => {
      const name = typeof owner === 'string' ? `${owner} ${baseUrl}` : undefined
      const cache = new ClientCache(this.#store, this.#maxAge, name)
      return Object.assign((send: Send) => (call: Call) => cache.answer(call, send), {
        saved: () => cache.saved,
      })
    }
    // Only clients use it.
    Object.defineProperty(this, wrap, { value: wrapCalls, configurable: true })
  }

  /**
   * Deletes all answers.
   *
   * @throws {ConfigurationError} if the store lacks `clear()`.
   */
  async clear(): Promise<void> {
    const store = unproxied(this).#store
    assertMethod('store', store, 'clear')
    await askStore(() => store.clear?.())
  }
}

/** Answers the calls of one client, and of the clients made from it with `withOptions`. */
class ClientCache {
  /** Credits that its answers have saved. */
  saved = 0
  readonly #maxAge: number
  readonly #answers: Answers | undefined
  /** Those in flight, by name. */
  readonly #shared = new Map<string, SharedRequest>()

  /** @param owner Undefined if the organization is not known. */
  constructor(store: CacheStore, maxAge: number, owner: string | undefined) {
    this.#maxAge = maxAge
    if (owner !== undefined) this.#answers = { store, owner, maxAge }
  }

  /** Answers a call from the store, or with a request that equal calls share. */
  async answer(call: Call, send: Send): Promise<Answer> {
    const { operation, settings, cancellation } = call
    const { cache } = settings
    if (cache !== 'only' && (effectOf(operation) !== 'metered' || cache === false)) return send(call)
    // That error names the credential.
    if (this.#answers === undefined && call.client.credential.isMissing) return send(call)
    cancellation.throwIfAborted()
    const wanted = wantedBy(call, this.#maxAge)
    if (cache === 'only')
      return this.#deliver(call, { entry: await this.#stored(call, wanted), isPayer: false })
    for (;;) {
      const answer = await this.#sharedRequest(call, wanted, send).join(call)
      if (answer.fetched !== undefined || wanted.accepts(answer.entry)) return this.#deliver(call, answer)
    }
  }

  /** @throws {NotCachedError} */
  async #stored(call: Call, wanted: Wanted): Promise<Entry> {
    const { operation, request, cancellation } = call
    const entry = await cancellation.race(() => new CacheLookup(this.#known(), call, wanted).find())
    if (entry !== null) return entry
    const isFree = effectOf(operation) !== 'metered'
    throw new NotCachedError(notCached(isFree), contextOf(operation, request))
  }

  #known(): Answers {
    if (this.#answers !== undefined) return this.#answers
    throw new ConfigurationError('a cache needs the option organization, unless apiKey is a string')
  }

  /** The shared request in flight, or a new one. One whose answer is here must be fresh enough. */
  #sharedRequest(call: Call, wanted: Wanted, send: Send): SharedRequest {
    // The request has one timeout and one way to retry. In a walk, it may not have begun before the page that it follows came.
    const { timeout, retry } = call.settings
    const name = JSON.stringify([wanted.name, timeout, retry, call.previousPage?.requestId])
    // In Cloudflare's workers, no call may wait for the request of another.
    const inFlight = isTiedToRequests() ? undefined : this.#shared.get(name)
    const answer = inFlight?.fetched
    if (inFlight !== undefined && (answer === undefined || wanted.isFresh(answer))) return inFlight
    const stored = new CacheLookup(this.#known(), call, wanted)
    const shared = new SharedRequest(stored, send, () => {
      if (this.#shared.get(name) === shared) this.#shared.delete(name)
    })
    this.#shared.set(name, shared)
    return shared
  }

  /** Checks and transforms a copy of the answer as the call asks. */
  async #deliver(call: Call, { entry, fetched, isPayer }: SharedAnswer): Promise<Answer> {
    const { text, cost, at } = entry
    const response = fetched?.response ?? Response.json(null)
    const { redactor } = fetched?.record ?? call.client
    const record = isPayer ? call.record : newRecord(redactor)
    const { tookEffect } = record
    const value = fetched === undefined ? parsed(text, call.client.bodyFormat) : copyOf(fetched.parsed)
    const requestId = requestIdOf(value, redactor)
    const success = { response, complete: true, text, value, requestId, tookEffect }
    const answer = await checkAnswer({ ...call, record }, success)
    if ('toError' in answer) throw answer.toError({ ...errorContext({ ...call, record }), body: answer.body })
    if (isPayer) return answer
    this.saved += cost
    return { ...answer, cached: { at: new Date(at), age: Math.max(0, Date.now() - at), saved: cost } }
  }
}

function wantedBy({ operation, request, settings, previousPage }: Call, cacheMaxAge: number): Wanted {
  const isFresh = freshness(settings, cacheMaxAge)
  // Behind a page from the service, a walk takes no stored page, and behind a stored page none that is older.
  const since = previousPage && (previousPage.cached?.at.getTime() ?? Infinity)
  const accepts = (entry: Entry) => isFresh(entry) && (since === undefined || entry.at >= since)
  return { name: nameOf(operation, request), isFresh, accepts }
}

/** Whether a call accepts an answer of this age. */
function freshness(settings: CallSettings, cacheMaxAge: number): (entry: Entry) => boolean {
  const start = Date.now()
  const { cache } = settings
  const { maxAge = cacheMaxAge } = typeof cache === 'object' ? cache : {}
  if (cache === 'only') return () => true
  if (maxAge === 0 || cache === 'refresh') return ({ at }) => at > start
  // The clock of the process that stored it may be ahead.
  return ({ at }) => Math.abs(Date.now() - at) <= maxAge
}
