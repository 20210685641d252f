import { check } from '../api/schema/check.ts'
import type { Answer, Call } from '../core/call/call.ts'
import { type Attempt, ConnectionError } from '../errors/index.ts'
import { logTo } from '../lib/logger.ts'
import { Claim } from './claim.ts'
import { type Entry, type RequestNames, keyOf, readEntry, walkOf } from './entry.ts'
import { type CacheStore, askStore, isShared } from './store.ts'

/** The stored answer of one request. If the store fails, a warning is logged, and the call goes on. */
export class StoredRequest {
  readonly #store: CacheStore
  readonly #owner: string
  readonly #maxAge: number
  readonly #call: Call
  readonly #names: RequestNames
  readonly #isFresh: (entry: Entry) => boolean
  #key: string | undefined
  /** The first page that a further page follows. */
  #walk: string | null = null
  #claim: Claim | undefined

  constructor(
    store: CacheStore,
    owner: string,
    maxAge: number,
    call: Call,
    names: RequestNames,
    isFresh: (entry: Entry) => boolean,
  ) {
    this.#store = store
    this.#owner = owner
    this.#maxAge = maxAge
    this.#call = call
    this.#names = names
    this.#isFresh = isFresh
  }

  /**
   * Finds a fresh answer; null if the caller should send the request. If another process is sending it, its answer.
   *
   * @throws {ConnectionError} if that process ended without an answer, and may have been charged.
   */
  async find(isWanted: () => boolean): Promise<Entry | null> {
    const { own, first } = this.#names
    const store = this.#store
    const key = await this.#try(() => keyOf(store, this.#owner, own))
    if (key === undefined) return null
    this.#key = key
    if (first !== null) this.#walk = (await this.#read(await keyOf(store, this.#owner, first)))?.walk ?? null
    const look = async (): Promise<Entry | null> => {
      const entry = (await this.#read(key)) ?? null
      return entry && this.#isFresh(entry) && (first === null || entry.walk === this.#walk) ? entry : null
    }
    const found = await look()
    if (found !== null || !isShared(store)) return found
    const claim = new Claim(store, key)
    const taken = (await this.#try(() => claim.take(isWanted, look))) ?? 'no longer wanted'
    if (typeof taken === 'object') return taken
    if (taken === 'taken') this.#claim = claim
    if (taken === 'lost')
      throw new ConnectionError('another process sent the same request and ended without its answer', {
        ...this.#call.context(),
        phase: 'exchange',
        reason: 'the other process ended',
        charged: 'unknown',
      })
    return null
  }

  /** The answer as it is stored; `walk` is added by {@link end}. */
  toEntry({ response, text, credits }: Answer): Entry {
    const type = response.headers.get('content-type')
    return { at: Date.now(), status: response.status, type, text, cost: credits.spent, walk: null }
  }

  /** Stores an answer that was paid for and is valid, and lets other processes go on. */
  async end(entry: Entry | undefined, body: unknown, attempts: readonly Attempt[]): Promise<void> {
    const { operation } = this.#call
    const key = this.#key
    if (
      key !== undefined &&
      entry &&
      attempts.at(-1)?.charged === 'yes' &&
      check(operation.response, body).length === 0
    )
      await this.#try(() => {
        const isFirst = operation.paging !== undefined && this.#names.first === null
        const walk = isFirst ? walkOf(operation, body) : this.#walk
        return askStore(() => this.#store.set(key, JSON.stringify({ ...entry, walk }), this.#maxAge))
      })
    const isFree = attempts.every(({ charged }) => charged === 'no')
    await this.#try(() => this.#claim?.release(isFree))
  }

  #read(key: string): Promise<Entry | null | undefined> {
    const { operation, client } = this.#call
    return this.#try(async () =>
      readEntry(await askStore(() => this.#store.get(key)), operation, client.dialect),
    )
  }

  async #try<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      logTo(this.#call.settings.observers, 'warn', 'the cache failed', { reason })
      return undefined
    }
  }
}
