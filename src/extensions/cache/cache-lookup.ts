import { check } from '../../api/schema/check.ts'
import {
  type BodyFormat,
  type Call,
  type Answer,
  type Composed,
  composeRequest,
  nextStep,
} from '../../extend.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { sha256 } from '../../lib/hash.ts'
import { canonicalJson } from '../../lib/json.ts'
import { messageOf } from '../../lib/thrown.ts'
import { type CacheStore, MemoryStore, askStore } from './store.ts'
import type { Operation } from '../../api/operation.ts'

/** Raise it when stored answers cannot be used any more. */
const format = 3

/** The stored answers of one organization. */
export interface Answers {
  readonly store: CacheStore
  readonly owner: string
  readonly maxAge: number
}

/** What a call accepts. */
export interface Wanted {
  readonly name: string
  readonly isFresh: (entry: Entry) => boolean
  /** Whether it is fresh, and not older than the page that it follows. */
  readonly accepts: (entry: Entry) => boolean
}

/** The stored answer of one request. If the store fails, the call logs a warning and continues without it. */
export class CacheLookup {
  readonly #answers: Answers
  readonly #call: Call
  readonly #wanted: Wanted
  #key: string | undefined

  constructor(answers: Answers, call: Call, wanted: Wanted) {
    this.#answers = answers
    this.#call = call
    this.#wanted = wanted
  }

  /** The stored answer, if the call accepts it. */
  async find(): Promise<Entry | null> {
    const { name, accepts } = this.#wanted
    this.#key ??= await this.#try(() => this.#keyOf(name))
    const key = this.#key
    if (key === undefined) return null
    const { operation, client } = this.#call
    const { store } = this.#answers
    const entry = await this.#try(async () =>
      readEntry(await askStore(() => store.get(key)), operation, client.bodyFormat),
    )
    return entry && accepts(entry) ? entry : null
  }

  /** The answer as it is stored. */
  toEntry({ text, record }: Answer): Entry {
    return { at: Date.now(), text, cost: record.credits.spent }
  }

  /**
   * Deletes the stored page after this one: it was fetched behind an older page, so calls that ask for single pages would
   * get pages of two ages. It never rejects.
   */
  async deleteNext({ parsed: body }: Answer): Promise<void> {
    await this.#try(async () => {
      const { operation, request, settings, client } = this.#call
      const step = nextStep(operation, request.params, body, settings.paging)
      if (step.kind !== 'next') return
      const next = composeRequest(operation, step.params, undefined, client, undefined, request.extra)
      if (next instanceof InvalidRequestError) return
      const key = await this.#keyOf(nameOf(operation, next))
      await askStore(() => this.#answers.store.delete(key))
    })
  }

  /** Stores an answer that was fetched. It never rejects. */
  async store(entry: Entry, { parsed: body, record }: Answer): Promise<void> {
    await this.#try(async () => {
      const isPaid = record.attempts.at(-1)?.charged === 'yes'
      const key = this.#key
      if (key === undefined || !isPaid) return
      if (check(this.#call.operation.response, body).length > 0) return
      const { store, maxAge } = this.#answers
      await askStore(() => store.set(key, JSON.stringify(entry), maxAge))
    })
  }

  /** The key of a request. A store outside of this process gets a hash, which contains neither organization nor params. */
  async #keyOf(name: string): Promise<string> {
    const { store, owner } = this.#answers
    const key = JSON.stringify([format, owner, name])
    return store instanceof MemoryStore ? key : sha256(key)
  }

  async #try<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      this.#call.settings.logger?.('warn', 'the cache failed', { reason: messageOf(error) })
      return undefined
    }
  }
}

/** The name of a request: equal requests have the same. */
export function nameOf({ id, paging }: Operation, { path, params }: Composed): string {
  const isNumbered = paging !== undefined && paging.kind !== 'cursor'
  // Page 1 is the service's default.
  const named = isNumbered && params[paging.param] === 1 ? { ...params, [paging.param]: undefined } : params
  return canonicalJson([id, path, named]) ?? ''
}

/** An answer as a store keeps it. It holds no credential and no params. */
export interface Entry {
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number
  readonly text: string
  /** What it cost, in credits. */
  readonly cost: number
}

/**
 * Reads what a store has returned for a key; null if there is nothing.
 *
 * @throws if it has no answer to the operation.
 */
function readEntry(value: unknown, operation: Operation, { parse }: BodyFormat): Entry | null {
  if (value === undefined || value === null) return null
  const entry = (typeof value === 'string' ? JSON.parse(value) : value) as Entry
  if (check(operation.response, parse(entry.text)).length > 0)
    throw new TypeError('the store returned an answer that is not of the documented shape')
  // A copy, since what a store returns may change.
  return { ...entry }
}
