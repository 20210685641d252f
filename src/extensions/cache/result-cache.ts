import { type OperationId, operationOf } from '../../api/operations.ts'
import { type Wrap, type AnswerCache, composeRequest, serviceDialect, nextStep } from '../../extend.ts'
import { assertMethod, assertOptions, milliseconds, wholeNumber } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { ClientCache } from './client-cache.ts'
import { keyOf, nameOf, readEntry } from './entry.ts'
import { type CacheStore, MemoryStore, askStore } from './store.ts'

/** Options of a {@link ResultCache}. */
export interface ResultCacheOptions {
  /** The greatest age of an answer that calls accept, in milliseconds. A call may set another. */
  maxAge: number
  /** Where the answers are kept. Default: in memory. */
  store?: CacheStore | undefined
  /** Answers in memory; the least recently used is dropped. Default 500. */
  maxEntries?: number | undefined
}

/**
 * Keeps paid answers, so that equal calls cost nothing. Equal calls at the same time share one request, also without a
 * stored answer. It keeps only valid answers that cost credits, for each organization apart.
 *
 * @example
 * const cache = new ResultCache({ maxAge: 60_000 })
 * const client = new SocialSearch({ baseUrl, apiKey, cache })
 */
export class ResultCache implements AnswerCache {
  readonly #store: CacheStore
  readonly #maxAge: number
  /** Of the clients that use this cache. */
  readonly #owners = new Set<string>()

  /** @throws {ConfigurationError} for invalid options. */
  constructor(options: ResultCacheOptions) {
    assertOptions(options, { maxAge: true, store: true, maxEntries: true })
    const { store, maxAge, maxEntries = 500 } = options
    this.#maxAge = milliseconds('maxAge', maxAge)
    if (store !== undefined && options.maxEntries !== undefined)
      throw new ConfigurationError('maxEntries is for a cache in memory; leave it out if you pass a store')
    for (const method of ['get', 'set', 'delete']) if (store) assertMethod('store', store, method)
    this.#store = store ?? new MemoryStore(wholeNumber('maxEntries', maxEntries))
  }

  /** Connects a client; the client calls it. */
  connect(baseUrl: string, owner: unknown): object {
    const name = typeof owner === 'string' ? `${owner} ${baseUrl}` : undefined
    if (name !== undefined) this.#owners.add(name)
    const cache = new ClientCache(this.#store, this.#maxAge, name)
    const wrap: Wrap = (send) => (call) => cache.answer(call, send)
    return wrap
  }

  /**
   * Removes all answers, or those for some params: each page of their walk that follows the stored first page. It knows
   * the organizations of the clients that this cache was passed to.
   *
   * @throws {ConfigurationError} if all are to be removed, and the store lacks `clear()`.
   */
  async clear(request?: { operation: OperationId; params: object }): Promise<void> {
    const store = this.#store
    if (request === undefined) {
      assertMethod('store', store, 'clear')
      await askStore(() => store.clear?.())
      return
    }
    assertOptions(request, { operation: true, params: true })
    const operation = operationOf(request.operation)
    if (operation === undefined) throw new ConfigurationError(`unknown operation ${request.operation}`)
    for (const owner of this.#owners) {
      let params: object | null = request.params
      while (params !== null) {
        const composed = composeRequest(operation, params, undefined, serviceDialect)
        const key = await keyOf(store, owner, nameOf(operation, composed))
        const value = await askStore(() => store.get(key))
        await askStore(() => store.delete(key))
        params = null
        try {
          const { text = '' } = readEntry(value, operation, serviceDialect) ?? {}
          const step = nextStep(operation, composed, JSON.parse(text))
          if (step.kind === 'next') params = JSON.parse(step.params) as object
        } catch {
          // Nothing follows an answer that cannot be read.
        }
      }
    }
  }
}
