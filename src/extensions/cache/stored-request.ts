import { check } from '../../api/schema/check.ts'
import { type Answer, type Call, composeRequest, contextOf, nextStep } from '../../extend.ts'
import { type Attempt, ConnectionError } from '../../errors/index.ts'
import { messageOf } from '../../lib/thrown.ts'
import { Claim } from './claim.ts'
import { type Entry, contentOf, contentTypeOf, isEntry, keyOf, nameOf, readEntry } from './entry.ts'
import { type CacheStore, askStore, isShared } from './store.ts'

/** The stored answers of one organization. */
export interface Answers {
  readonly store: CacheStore
  readonly owner: string
  readonly maxAge: number
  /** By name: the pages whose stored answer is about to be deleted, since the page before them has changed. */
  readonly changing: Map<string, Promise<void>>
}

/** What a call accepts. */
export interface Wanted {
  readonly name: string
  /** The content of the page before it, in a walk; null for the first request of a walk, or a single call. */
  readonly follows: string | null
  readonly accepts: (entry: Entry) => boolean
}

/** The stored answer of one request. If the store fails, the call logs a warning and continues without it. */
export class StoredRequest {
  readonly #answers: Answers
  readonly #call: Call
  readonly #wanted: Wanted
  #key: string | undefined
  #claim: Claim | undefined

  constructor(answers: Answers, call: Call, wanted: Wanted) {
    this.#answers = answers
    this.#call = call
    this.#wanted = wanted
  }

  /** The stored answer, if the call accepts it. */
  async stored(): Promise<Entry | null> {
    const { name, follows, accepts } = this.#wanted
    if (follows === null) await this.#answers.changing.get(name)
    this.#key ??= await this.#try(() => this.#keyOf(name))
    const entry = this.#key === undefined ? null : await this.#read(this.#key)
    return entry && accepts(entry) ? entry : null
  }

  /**
   * Finds an answer that the call accepts; null if the caller should send the request. If another process is sending it,
   * its answer.
   *
   * @throws {ConnectionError} if that process ended without an answer, and may have been charged.
   */
  async find(isWanted: () => boolean): Promise<Entry | null> {
    const { store } = this.#answers
    const found = await this.stored()
    const key = this.#key
    if (found !== null || key === undefined) return found
    const taken = await this.#try(async () => {
      if (!isShared(store)) return 'no longer wanted'
      const claim = new Claim(store, key)
      const taken = await claim.take(isWanted, () => this.stored())
      if (taken === 'taken') this.#claim = claim
      return taken
    })
    if (typeof taken === 'object') return taken
    const { operation, request } = this.#call
    if (taken === 'lost')
      throw new ConnectionError('another process sent the same request and ended without its answer', {
        ...contextOf(operation, request),
        phase: 'exchange',
        reason: 'the other process ended',
        charged: 'unknown',
      })
    return null
  }

  /** The answer as it is stored. */
  toEntry({ response, text, credits }: Answer): Entry {
    const { follows } = this.#wanted
    const type = contentTypeOf(response)
    return { at: Date.now(), status: response.status, type, text, cost: credits.spent, follows }
  }

  /** Stores an answer that was fetched and lets other processes go on. It never rejects. */
  async store(entry: Entry, { parsed: body, attempts }: Answer): Promise<void> {
    const { operation } = this.#call
    const isStored = await this.#try(async () => {
      const isPaid = attempts.at(-1)?.charged === 'yes'
      const deleting = this.#deleteNext(body)
      const key = this.#key
      if (key === undefined || !isPaid || !isEntry({ ...entry })) return false
      if (check(operation.response, body).length > 0) return false
      const { store, maxAge } = this.#answers
      await askStore(() => store.set(key, JSON.stringify(entry), maxAge))
      await deleting
      return true
    })
    await this.release(isStored === true ? [] : attempts)
  }

  /**
   * Lets other processes go on. It never rejects.
   *
   * @param attempts Attempts whose answer is lost to them.
   */
  async release(attempts: readonly Attempt[]): Promise<void> {
    await this.#try(() => this.#claim?.release(attempts.every(({ charged }) => charged === 'no')))
  }

  /** Deletes the stored page after this one, unless it was fetched after a page with the same content. */
  async #deleteNext(body: unknown): Promise<void> {
    const { operation, request, settings, client } = this.#call
    const step = nextStep(operation, request, body, settings.paging)
    if (step.kind !== 'next') return
    const next = composeRequest(operation, JSON.parse(step.params), undefined, client.dialect)
    const name = nameOf(operation, next)
    const { store, changing } = this.#answers
    const deleting = this.#try(async () => {
      const key = await this.#keyOf(name)
      const entry = await this.#read(key)
      if (entry !== null && entry?.follows !== contentOf(operation, body))
        await askStore(() => store.delete(key))
    }).then(() => {})
    changing.set(name, deleting)
    await deleting
    if (changing.get(name) === deleting) changing.delete(name)
  }

  #keyOf(name: string): Promise<string> {
    return keyOf(this.#answers.store, this.#answers.owner, name)
  }

  /** What the store has for a key: null for nothing, undefined if it is not usable. */
  #read(key: string): Promise<Entry | null | undefined> {
    const { operation, client } = this.#call
    const { store } = this.#answers
    return this.#try(async () => readEntry(await askStore(() => store.get(key)), operation, client.dialect))
  }

  async #try<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#call.settings.log?.('warn', 'the cache failed', { reason: messageOf(error) })
      return undefined
    }
  }
}
