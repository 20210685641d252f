import { check } from '../api/schema/check.ts'
import type { Answer, Call } from '../core/call/call.ts'
import { type Attempt, ConnectionError } from '../errors/index.ts'
import { Claim, type SharedStore } from './claim.ts'
import { type Entry, type RequestNames, keyOf, readEntry, walkOf } from './entry.ts'
import { type CacheStore, tryStore } from './store.ts'

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
    const key = await this.#try(() => keyOf(this.#store, this.#owner, own))
    if (key === undefined) return null
    this.#key = key
    if (first !== null)
      this.#walk = (await this.#read(await keyOf(this.#store, this.#owner, first)))?.walk ?? null
    const look = async (): Promise<Entry | null> => {
      const entry = (await this.#read(key)) ?? null
      return entry && this.#isFresh(entry) && (first === null || entry.walk === this.#walk) ? entry : null
    }
    return (
      (await look()) ?? (isShared(this.#store) ? this.#takeClaim(this.#store, key, isWanted, look) : null)
    )
  }

  async #takeClaim(
    store: SharedStore,
    key: string,
    isWanted: () => boolean,
    look: () => Promise<Entry | null>,
  ): Promise<Entry | null> {
    const claim = new Claim(store, key)
    try {
      const taken = await claim.take(isWanted, look, () => this.#call.context())
      if (taken === true) this.#claim = claim
      return typeof taken === 'object' ? taken : null
    } catch (error) {
      if (error instanceof ConnectionError) throw error
      await this.#try(() => Promise.reject(error))
      return null
    }
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
      await this.#try(async () => {
        const isFirst = operation.paging !== undefined && this.#names.first === null
        const walk = isFirst ? walkOf(operation, body) : this.#walk
        await this.#store.set(key, JSON.stringify({ ...entry, walk }), this.#maxAge)
      })
    const isFree = attempts.every(({ charged }) => charged === 'no')
    await this.#try(() => this.#claim?.release(isFree))
  }

  #read(key: string): Promise<Entry | null | undefined> {
    const { operation, client } = this.#call
    return this.#try(async () => readEntry(await this.#store.get(key), operation, client.dialect))
  }

  #try<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    return tryStore(work, this.#call.settings.observers)
  }
}

function isShared(store: CacheStore): store is SharedStore {
  return store.setIfAbsent !== undefined
}
