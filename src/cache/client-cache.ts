import type { Answer, Call, CallCache } from '../core/call/call.ts'
import { validateInTime, unusable } from '../core/call/success-response.ts'
import { run } from '../core/call/run.ts'
import type { CallSettings } from '../core/options/settings.ts'
import { ConfigurationError } from '../errors/index.ts'
import { isRecord } from '../lib/is-record.ts'
import { isTiedToRequests } from '../lib/browser.ts'
import { type Entry, type RequestNames, namesOf } from './entry.ts'
import { Flight, type Landed } from './flight.ts'
import { StoredRequest } from './stored-request.ts'
import type { CacheStore } from './store.ts'

/** The cache of one client, and of the clients made from it with `withOptions`. */
export class ClientCache implements CallCache {
  readonly #store: CacheStore
  readonly #maxAge: number
  readonly #owner: string | undefined
  readonly #flights = new Map<string, Flight>()

  /** @param owner Undefined if the organization is not known. */
  constructor(store: CacheStore, maxAge: number, owner: string | undefined) {
    this.#store = store
    this.#maxAge = maxAge
    this.#owner = owner
  }

  async answer(call: Call, open: (settings: CallSettings) => Call): Promise<Answer> {
    if (call.stake !== 'metered' || call.settings.cache === false) return run(call)
    try {
      call.throwIfAborted()
      const names = namesOf(call.operation, call.request)
      const isFresh = freshness(call, names, this.#maxAge)
      for (;;) {
        const landed = await this.#flightOf(call, names, isFresh, open).join(call)
        if (landed.fetched !== undefined || isFresh(landed.entry)) return await deliver(call, landed)
      }
    } catch (error) {
      throw call.errorOf(error)
    } finally {
      call.close()
    }
  }

  /** The flight of equal calls under way, or a new one. */
  #flightOf(
    call: Call,
    names: RequestNames,
    isFresh: (entry: Entry) => boolean,
    open: (settings: CallSettings) => Call,
  ): Flight {
    // In Cloudflare's workers, no call may wait for the request of another.
    const underWay = isTiedToRequests() ? undefined : this.#flights.get(names.own)
    if (underWay !== undefined) return underWay
    if (this.#owner === undefined)
      throw new ConfigurationError('a cache needs the option organization, unless apiKey is a string')
    const request = new StoredRequest(this.#store, this.#owner, this.#maxAge, call, names, isFresh)
    const flight = new Flight(request, open, () => {
      if (this.#flights.get(names.own) === flight) this.#flights.delete(names.own)
    })
    this.#flights.set(names.own, flight)
    return flight
  }
}

/** Whether a call accepts a stored answer. */
function freshness(
  { settings }: Call,
  { first }: RequestNames,
  cacheMaxAge: number,
): (entry: Entry) => boolean {
  const start = Date.now()
  const cache: unknown = settings.cache === undefined ? {} : settings.cache
  const { maxAge = cacheMaxAge } = (cache ?? {}) as { maxAge?: unknown }
  const isKnown = isRecord(cache) || cache === 'refresh'
  if (!isKnown || typeof maxAge !== 'number' || !(maxAge >= 0))
    throw new ConfigurationError('cache must be false, refresh or { maxAge } with milliseconds of at least 0')
  if (maxAge === 0 || (cache === 'refresh' && first === null)) return ({ at }) => at > start
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
  const validated = await validateInTime(call, charged, parsed)
  if (!validated.ok) throw unusable(call, charged, validated, requestId, parsed)
  if (!isPayer) call.purchase.save(entry.cost)
  const { body, invalid } = validated
  const age = Math.max(0, Date.now() - entry.at)
  const cached = isPayer ? {} : { cached: { at: new Date(entry.at), age, saved: entry.cost } }
  return { response, redactor, text, parsed, requestId, body, invalid, attempts, credits, ...cached }
}
