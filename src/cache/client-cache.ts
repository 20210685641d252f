import type { Answer, Call, CallCache } from '../core/call/call.ts'
import { validateInTime, unusable } from '../core/call/success-response.ts'
import { run } from '../core/call/run.ts'
import type { CallSettings } from '../core/options/settings.ts'
import { ConfigurationError } from '../errors/index.ts'
import { isRecord } from '../lib/is-record.ts'
import { isTiedToRequests } from '../lib/browser.ts'
import { type Entry, contentOf, nameOf } from './entry.ts'
import { Flight, type Landed } from './flight.ts'
import { hooksName } from './hooks.ts'
import { type Answers, StoredRequest, type Wanted } from './stored-request.ts'
import type { CacheStore } from './store.ts'

/** The cache of one client, and of the clients made from it with `withOptions`. */
export class ClientCache implements CallCache {
  readonly #maxAge: number
  readonly #answers: Answers | undefined
  readonly #flights = new Map<string, Flight>()

  /** @param owner Undefined if the organization is not known. */
  constructor(store: CacheStore, maxAge: number, owner: string | undefined) {
    this.#maxAge = maxAge
    if (owner !== undefined) this.#answers = { store, owner, maxAge, changing: new Map() }
  }

  async answer(call: Call, open: (settings: CallSettings) => Call, before?: Answer): Promise<Answer> {
    if (call.stake !== 'metered' || call.settings.cache === false) return run(call)
    try {
      call.throwIfAborted()
      const wanted = wantedBy(call, before, this.#maxAge)
      for (;;) {
        const landed = await this.#flightOf(call, wanted, open).join(call)
        if (landed.fetched !== undefined || wanted.accepts(landed.entry)) return await deliver(call, landed)
      }
    } catch (error) {
      throw call.errorOf(error)
    } finally {
      call.close()
    }
  }

  /** The shared request in flight, or a new one. */
  #flightOf(call: Call, wanted: Wanted, open: (settings: CallSettings) => Call): Flight {
    const name = JSON.stringify([wanted.name, wanted.follows, hooksName(call.settings.hooks)])
    // In Cloudflare's workers, no call may wait for the request of another.
    const underWay = isTiedToRequests() ? undefined : this.#flights.get(name)
    if (underWay !== undefined) return underWay
    if (this.#answers === undefined)
      throw new ConfigurationError('a cache needs the option organization, unless apiKey is a string')
    const request = new StoredRequest(this.#answers, call, wanted)
    const flight = new Flight(request, open, () => {
      if (this.#flights.get(name) === flight) this.#flights.delete(name)
    })
    this.#flights.set(name, flight)
    return flight
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
  const cache: unknown = settings.cache === undefined ? {} : settings.cache
  const { maxAge = cacheMaxAge } = (cache ?? {}) as { maxAge?: unknown }
  const isKnown = isRecord(cache) || cache === 'refresh'
  if (!isKnown || typeof maxAge !== 'number' || !(maxAge >= 0))
    throw new ConfigurationError('cache must be false, refresh or { maxAge } with milliseconds of at least 0')
  if (maxAge === 0 || (cache === 'refresh' && isFirst)) return ({ at }) => at > start
  // The clock of the process that stored it may be ahead.
  return ({ at }) => Math.abs(Date.now() - at) <= maxAge
}

/** Validates a copy of the answer as the call asks. */
async function deliver(call: Call, { entry, fetched, isPayer }: Landed): Promise<Answer> {
  const { redactor, dialect } = call.client
  const { text, status, type } = entry
  const response =
    fetched?.response ??
    new Response(null, { status, headers: type === null ? {} : { 'content-type': type } })
  const free = { attempts: [], credits: { spent: 0, uncertain: 0 } }
  const { attempts, credits }: Pick<Answer, 'attempts' | 'credits'> = (isPayer && fetched) || free
  call.attempts = attempts
  const parsed = dialect.parse(text)
  const requestId = redactor.requestId(parsed)
  if (isPayer) Object.assign(call.purchase, credits)
  const { charged = 'no' } = attempts.at(-1) ?? {}
  call.settled = { risk: charged, body: parsed }
  const validated = await validateInTime(call, charged, parsed)
  if (!validated.ok) throw unusable(call, charged, validated, requestId, parsed)
  if (!isPayer) call.purchase.save(entry.cost)
  const { body, invalid } = validated
  const age = Math.max(0, Date.now() - entry.at)
  const cached = isPayer ? {} : { cached: { at: new Date(entry.at), age, saved: entry.cost } }
  return { response, redactor, text, parsed, requestId, body, invalid, attempts, credits, ...cached }
}
