import { type AnswerCache, type Wrapping, wrap } from '../../extend.ts'
import { assertMethod, assertOptions, milliseconds, wholeNumber } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { keepSelf, unproxied } from '../../lib/runtime.ts'
import { wrapOf } from './client-cache.ts'
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
    const wrapCalls: Wrapping[typeof wrap] = ({ baseUrl, owner }) =>
      wrapOf(this.#store, this.#maxAge, typeof owner === 'string' ? `${owner} ${baseUrl}` : undefined)
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
