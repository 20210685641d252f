import { firstIssues } from '../../contract/issues.ts'
import type { Operation } from '../../contract/operation.ts'
import { ConfigurationError, InvalidRequestError } from '../../errors.ts'
import { type Credits, Ledger, Purchase, withUserPrice, worstCase } from '../credits/ledger.ts'
import type { Lease } from '../../limits/limiter.ts'
import { resolveCall, resolveShared } from '../options/merge.ts'
import { resolveOptions } from '../options/resolve.ts'
import type { Settings } from '../options/settings.ts'
import type { AnyCallOptions, ClientOptions, SharedOptions } from '../options/types.ts'
import { attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { type Answer, Call, type OnLease } from './call.ts'
import { type ComposedRequest, composeRequest, contextOf } from './compose-request.ts'
import { type CancelRules, endEarly } from './end-early.ts'
import { type ClientStatus, OpenCalls } from './open-calls.ts'
import { waitForRetry } from './wait-for-retry.ts'

/**
 * Sends calls and counts their credits. {@link createTransport} makes it; resources such as `microblog(transport)` add
 * typed methods.
 *
 * @example
 * const transport = createTransport({ baseUrl, apiKey })
 * await microblog(transport).search({ query })
 * console.log(transport.credits.spent) // 2
 */
export class Transport {
  readonly #settings: Settings
  readonly #ledger: Ledger
  readonly #openCalls: OpenCalls

  /** `withOptions` passes on the ledger and the open calls. */
  constructor(
    settings: Settings,
    ledger: Ledger = new Ledger(),
    openCalls: OpenCalls = new OpenCalls(settings.maxQueued),
  ) {
    this.#settings = settings
    this.#ledger = ledger
    this.#openCalls = openCalls
  }

  /** What the calls have cost so far, in credits; a copy. */
  get credits(): Credits {
    return this.#ledger.credits()
  }

  /** Queued calls and requests in flight. */
  status(): ClientStatus {
    return this.#openCalls.status(this.#settings.limiter, this.#settings.share)
  }

  /** A transport with other options. It shares limits, ledger and credential with this one, and they close together. */
  withOptions(options: SharedOptions): Transport {
    return new Transport(resolveShared(this.#settings, options), this.#ledger, this.#openCalls)
  }

  /** Rejects open and future calls with a `ClosedError`; resolves when all have settled. */
  close(): Promise<void> {
    return this.#openCalls.close()
  }

  /**
   * Makes one call. Prefer the typed methods of the resources.
   *
   * @param params The body, or the query of a GET.
   * @param id The id in the path.
   */
  request(
    operation: Operation,
    params: object,
    options?: AnyCallOptions,
    id?: unknown,
    cancelRules?: CancelRules,
  ): Promise<Answer> {
    return this.send(operation, this.compose(operation, params, id), options, cancelRules)
  }

  /** Composes the request of a call; later changes to the params have no effect. */
  compose(operation: Operation, params: object, id?: unknown): ComposedRequest {
    return composeRequest(operation, params, id, this.#settings.dialect)
  }

  /**
   * The operation with the user's price.
   *
   * @throws {InvalidRequestError} if a request is given and has issues.
   */
  priced(operation: Operation, request?: ComposedRequest): Operation {
    const { prices, redactor } = this.#settings
    if (request === undefined || request.issues.length === 0) return withUserPrice(operation, prices)
    const issues = firstIssues(request.issues, (text) => redactor.text(text))
    const subject = operation.method === 'PATCH' || operation.method === 'PUT' ? 'the body' : 'params'
    throw new InvalidRequestError(issues, { ...contextOf(operation, request), subject })
  }

  /** Makes one call of a composed request. */
  send(
    operation: Operation,
    request: ComposedRequest,
    options?: AnyCallOptions,
    cancelRules?: CancelRules,
  ): Promise<Answer> {
    return new Promise((resolve) => {
      const settings = options === undefined ? this.#settings : this.#settingsOf(operation, request, options)
      const priced = this.priced(operation, request)
      const worst = worstCase(priced.price, request.maxItems, settings.ceiling)
      const purchase = new Purchase(this.#ledger, priced, worst, settings.budgets, settings.log)
      const call = new Call(priced, request, settings, purchase, this.#openCalls, resolve)
      this.#openCalls.add(call)
      if (settings.signal !== undefined || settings.deadlineMs !== Infinity || cancelRules !== undefined)
        endEarly(call, cancelRules)
      prepareAndQueue(call, runCall)
    })
  }

  /** The settings of a call. An error names its operation. */
  #settingsOf(operation: Operation, request: ComposedRequest, options: AnyCallOptions): Settings {
    try {
      return resolveCall(this.#settings, options)
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      throw new ConfigurationError(error.message, contextOf(operation, request))
    }
  }
}

/**
 * Makes a transport.
 *
 * @throws {ConfigurationError} for invalid options; the message contains no secret.
 * @example
 * const { posts } = await microblog(createTransport({ baseUrl, apiKey })).search({ query })
 */
export function createTransport(options: ClientOptions): Transport {
  return new Transport(resolveOptions(options))
}

/** Runs a call when it leaves the queue for the first time, and settles the caller's promise. */
function runCall(call: Call, lease: Lease | null, reason?: unknown): void {
  call.settle(makeAttempts(call, lease, reason))
}

/** Makes attempts until one succeeds or the retry policy stops; rejects with the error that the caller gets. */
async function makeAttempts(call: Call, first: Lease | null, reason: unknown): Promise<Answer> {
  try {
    if (first === null) throw reason
    for (let lease = first; ;) {
      if (call.settings.credential.fixed === undefined) await updateStaleToken(call, lease)
      const result = await attempt(call, lease)
      if (!(result instanceof AttemptFailure)) return result
      if (!(await waitForRetry(call, result))) throw result.error
      lease = await new Promise((resolve, reject) => {
        prepareAndQueue(call, (_, next, reason) => (next === null ? reject(reason) : resolve(next)))
      })
    }
  } catch (error) {
    throw call.errorOf(error)
  } finally {
    call.close()
  }
}

/** Reserves credits and gets the token before the call queues, so that a slow budget or provider holds no slot. */
function prepareAndQueue(call: Call, onLease: OnLease): void {
  const { credential, budgets } = call.settings
  call.token = credential.fixed ?? null
  if (credential.fixed !== undefined && budgets.length === 0) {
    void call.purchase.reserve()
    call.enterQueue(onLease)
    return
  }
  // Inside race(), so that an aborted call reserves nothing, and no rejection is without a handler.
  const preparing = call.race(async () => {
    await call.purchase.reserve()
    call.token = await credential.token()
  })
  preparing.then(
    () => call.enterQueue(onLease),
    (reason: unknown) => onLease(call, null, reason),
  )
}

/** After this time in the queue, in milliseconds, a call asks for its token again: it may have been refreshed. */
const staleMs = 1000

async function updateStaleToken(call: Call, lease: Lease): Promise<void> {
  if (lease.queued + lease.paced <= staleMs) return
  try {
    call.token = await call.race(() => call.settings.credential.token())
  } catch (error) {
    lease.release()
    throw error
  }
}
