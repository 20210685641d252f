import { type Answer, type Call, errorContext } from '../core/call/call.ts'
import type { Sharers } from '../core/call/cancellation.ts'
import { checkAnswer } from '../core/call/attempt.ts'
import type { Run } from '../core/call/run.ts'
import type { CallCache } from '../core/call/transport.ts'
import type { CallSettings } from '../core/options/settings.ts'
import { effectOf } from '../core/retry/policy.ts'
import { Failure } from '../core/retry/failure.ts'
import { ConfigurationError, NotCachedError } from '../errors/index.ts'
import { isTiedToRequests } from '../lib/browser.ts'
import { type Entry, contentOf, nameOf } from './entry.ts'
import { hooksName } from './hooks.ts'
import { type SharedAnswer, SharedRequest } from './shared-request.ts'
import { type Answers, StoredRequest, type Wanted } from './stored-request.ts'
import type { CacheStore } from './store.ts'

type Open = (call: Call, sharers: Sharers) => Run

/** The cache of one client, and of the clients made from it with `withOptions`. */
export class ClientCache implements CallCache {
  readonly #maxAge: number
  readonly #answers: Answers | undefined
  /** Those in flight, by name. */
  readonly #shared = new Map<string, SharedRequest>()

  /** @param owner Undefined if the organization is not known. */
  constructor(store: CacheStore, maxAge: number, owner: string | undefined) {
    this.#maxAge = maxAge
    if (owner !== undefined) this.#answers = { store, owner, maxAge, changing: new Map() }
  }

  async answer(run: Run, open: Open, before?: Answer): Promise<Answer> {
    const { operation, settings } = run.call
    const { cache } = settings
    if (cache !== 'only' && (effectOf(operation) !== 'metered' || cache === false)) return run.start()
    try {
      run.throwIfAborted()
      const wanted = wantedBy(run.call, before, this.#maxAge)
      if (cache === 'only') return await deliver(run, await this.#stored(run, wanted))
      for (;;) {
        const shared = await this.#sharedRequest(run.call, wanted, open).join(run)
        if (shared.fetched !== undefined || wanted.accepts(shared.entry)) return await deliver(run, shared)
      }
    } catch (error) {
      throw run.errorOf(error)
    } finally {
      run.close()
    }
  }

  /** @throws {NotCachedError} */
  async #stored(run: Run, wanted: Wanted): Promise<SharedAnswer> {
    const { call } = run
    const entry = await run.race(() => new StoredRequest(this.#known(), call, wanted).stored())
    if (entry !== null) return { entry, isPayer: false }
    const isFree = effectOf(call.operation) !== 'metered'
    const reason = isFree ? 'free calls are not stored' : 'the cache has no answer to these params'
    throw new NotCachedError(`nothing was sent: ${reason}`, errorContext(run))
  }

  #known(): Answers {
    if (this.#answers !== undefined) return this.#answers
    throw new ConfigurationError('a cache needs the option organization, unless apiKey is a string')
  }

  /** The shared request in flight, or a new one. */
  #sharedRequest(call: Call, wanted: Wanted, open: Open): SharedRequest {
    const name = JSON.stringify([wanted.name, wanted.follows, hooksName(call.settings.hooks)])
    // In Cloudflare's workers, no call may wait for the request of another.
    const inFlight = isTiedToRequests() ? undefined : this.#shared.get(name)
    if (inFlight !== undefined) return inFlight
    const stored = new StoredRequest(this.#known(), call, wanted)
    const shared = new SharedRequest(stored, open, () => {
      if (this.#shared.get(name) === shared) this.#shared.delete(name)
    })
    this.#shared.set(name, shared)
    return shared
  }
}

/** @param before The answer with the page before it, in a walk. */
function wantedBy(
  { operation, request, settings, client }: Call,
  before: Answer | undefined,
  cacheMaxAge: number,
): Wanted {
  const isFresh = freshness(settings, before === undefined, cacheMaxAge)
  // The caller may have changed the parsed body.
  const follows = before === undefined ? null : contentOf(operation, client.dialect.parse(before.text))
  const accepts = (entry: Entry) => isFresh(entry) && (follows === null || entry.follows === follows)
  return { name: nameOf(operation, request), follows, accepts }
}

/**
 * Whether a call accepts an answer of this age.
 *
 * @param isFirst Whether it is the first request of a walk, or a single call.
 */
function freshness(settings: CallSettings, isFirst: boolean, cacheMaxAge: number): (entry: Entry) => boolean {
  const start = Date.now()
  const { cache } = settings
  const { maxAge = cacheMaxAge } = typeof cache === 'object' ? cache : {}
  if (cache === 'only') return () => true
  if (maxAge === 0 || (cache === 'refresh' && isFirst)) return ({ at }) => at > start
  // The clock of the process that stored it may be ahead.
  return ({ at }) => Math.abs(Date.now() - at) <= maxAge
}

/** Checks and transforms a copy of the answer as the call asks. */
async function deliver(run: Run, { entry, fetched, isPayer }: SharedAnswer): Promise<Answer> {
  const { redactor, dialect } = run.call.client
  const { text, status, type, cost } = entry
  const response =
    fetched?.response ??
    new Response(null, { status, headers: type === null ? {} : { 'content-type': type } })
  const free = { attempts: [], credits: { spent: 0, uncertain: 0 } }
  const { attempts, credits }: Pick<Answer, 'attempts' | 'credits'> = (isPayer && fetched) || free
  const { charged: tookEffect = 'no' } = attempts.at(-1) ?? {}
  const value = dialect.parse(text)
  const requestId = redactor.requestId(value)
  const success = { response, complete: true, text, value, body: value, requestId, tookEffect, byHook: false }
  run.showProgressOf({
    progress: { phase: 'body', attempts, failures: [], tookEffect, settled: success },
    credits,
  })
  const answer = await checkAnswer(run, { ...success, cost: 'none' })
  if (answer instanceof Failure) throw answer
  if (isPayer) return answer
  run.purchase.save(cost)
  const age = Math.max(0, Date.now() - entry.at)
  return { ...answer, cached: { at: new Date(entry.at), age, saved: cost } }
}
