import { type AnswerCache, type Send, wrap } from '../../extend.ts'
import { assertMethod, assertOptions, milliseconds, wholeNumber } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { keepSelf, unproxied } from '../../lib/unproxied.ts'
import { ClientCache } from './client-cache.ts'
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
 * Stores paid answers, so that you don't pay twice for the same call. Equal calls at the same time share one request.
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
  }

  /** Called by the client. */
  connect(baseUrl: string, owner: unknown): object {
    const name = typeof owner === 'string' ? `${owner} ${baseUrl}` : undefined
    const self = unproxied(this)
    const cache = new ClientCache(self.#store, self.#maxAge, name)
    return {
      [wrap]:
        (send: Send): Send =>
        (call) =>
          cache.answer(call, send),
    }
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
