import type { Operation } from '../../api/operation.ts'
import { ConfigurationError, InvalidRequestError, failureFor } from '../../errors/index.ts'
import { describeValue } from '../../errors/check-options.ts'
import { type Credits, creditsIn } from '../credits/budget.ts'
import {
  type CallSettings,
  defaultTimeoutMs,
  withOptions,
  type AnyCallOptions,
  type ClientOptions,
  type CommonOptions,
} from '../options/options.ts'
import { type ClientSettings, resolveOptions } from '../options/client-settings.ts'
import { type Observer, CallObserver } from '../options/observer.ts'
import { type Call, type Answer, type Send, type Wrap, contextOf, newRecord, nextCallId } from './call.ts'
import { Cancellation } from './cancellation.ts'
import { type Composed, composeRequest } from './compose-request.ts'
import { observeRefusal, wrapOfCache, wrapped } from './wraps.ts'
import { type ClientStatus, OpenCalls } from './open-calls.ts'
import { isMarked } from '../../lib/thrown.ts'
import type { Limits } from '../../limits/interface.ts'
import { sendCalls } from './run.ts'

/**
 * Sends calls and counts their credits. {@link createTransport} makes it; resources such as `microblog(transport)` add
 * typed methods.
 *
 * @example
 * const transport = createTransport({ baseUrl, apiKey })
 * await microblog(transport).search({ query })
 * console.log(transport.credits.spent) // 2
 */
export interface Transport {
  /** Credits spent so far. A snapshot. */
  readonly credits: Credits
  /** What calls are waiting for. A snapshot. */
  status(): ClientStatus
  /** Returns a transport with other options, which shares limits, credits, key and `close()` with this one. */
  withOptions(options: CommonOptions): Transport
  /** Ends all pending calls with a `ClosedError`, and refuses new ones. Resolves when they have ended. */
  close(): Promise<void>
}

interface CallExtras {
  /** Aborts when nobody waits for the call any more. A request in flight may be charged, so it is finished, but not repeated. */
  readonly callerLeft?: AbortSignal | undefined
  /** The answer with the page before this one, in a walk. */
  readonly previousPage?: Answer | undefined
}

/** What every transport has: a client may come from another copy of this package. */
const brand: unique symbol = Symbol.for('social-search-sdk transport 1')

export class ClientTransport implements Transport {
  readonly [brand] = true
  readonly #client: ClientSettings
  readonly #defaults: CallSettings
  readonly #openCalls: OpenCalls
  readonly #cache: Wrap | undefined
  /** Answers calls that have the observers of the client. */
  readonly #send: Send

  /** `withOptions` passes on the cache and the open calls. */
  constructor(client: ClientSettings, defaults: CallSettings, cache?: Wrap, openCalls = new OpenCalls()) {
    this.#client = client
    this.#defaults = defaults
    this.#cache = cache
    this.#openCalls = openCalls
    this.#send = this.#sendFor(defaults.observers)
  }

  /** So that Vue does not wrap it. */
  get [Symbol.toStringTag](): string {
    return 'Transport'
  }

  get baseUrl(): string {
    return this.#client.baseUrl
  }

  get credits(): Credits {
    return creditsIn(this.#client.ledger, this.#cache?.saved?.())
  }

  status(): ClientStatus {
    return this.#openCalls.status(this.#client.limiter)
  }

  withOptions(options: CommonOptions): ClientTransport {
    const defaults = withOptions(this.#defaults, options, 'withOptions', this.#client.redactor)
    return new (this.constructor as typeof ClientTransport)(
      this.#client,
      defaults,
      this.#cache,
      this.#openCalls,
    )
  }

  close(): Promise<void> {
    return this.#openCalls.close()
  }

  /** Aborts when the client is closed. */
  get closing(): AbortSignal {
    return this.#openCalls.closing
  }

  /**
   * Makes one call.
   *
   * @param params The body, or the query of a GET.
   * @param id The id in the path.
   */
  request(operation: Operation, params: object, options?: AnyCallOptions, id?: unknown): Promise<Answer> {
    return this.send(operation, this.compose(operation, params, id, options ?? {}), options)
  }

  /**
   * Composes the request of a call, or says why it is invalid; later changes to the params have no effect.
   *
   * @param options Refuses options among params that are not documented. Undefined if this was done before.
   * @param extra The unchecked params, if `options` does not have them.
   */
  compose(
    operation: Operation,
    params: object,
    id?: unknown,
    options?: AnyCallOptions,
    extra: object | undefined = options?.extraParams,
  ): Composed | InvalidRequestError {
    return composeRequest(operation, params, id, this.#client, options, extra)
  }

  /** Derives something from the client's secret, which every process with the same key shares. */
  withSecret<T>(derive: (secret: string) => T): T {
    return derive(this.#client.credential.secret)
  }

  /** Those that its calls keep to. */
  get limits(): Limits {
    return this.#client.limiter.limits
  }

  /** The operation with the user's price and surface. */
  configured(operation: Operation): Operation {
    const { prices, surfaces } = this.#client
    const { id, price } = operation
    const { [id]: credits } = prices
    const { [id]: surface = operation.surface } = surfaces
    if (credits === undefined && surface === operation.surface) return operation
    const isFree = price.kind === 'free' || credits === undefined
    return { ...operation, surface, price: isFree ? price : { ...price, credits } }
  }

  /** Makes one call of a composed request. */
  send(
    operation: Operation,
    request: Composed | InvalidRequestError,
    options?: AnyCallOptions,
    { callerLeft, previousPage }: CallExtras = {},
  ): Promise<Answer> {
    try {
      const { redactor } = this.#client
      const settings =
        options === undefined ? this.#defaults : withOptions(this.#defaults, options, 'call', redactor)
      const configured = this.configured(operation)
      const id = nextCallId()
      const observed = { id, operation: operation.id, surface: configured.surface }
      const observer =
        settings.observers.length > 0
          ? new CallObserver(settings.observers, settings.logger, observed)
          : undefined
      if (request instanceof InvalidRequestError) {
        if (observer) observeRefusal(observer, request)
        throw request
      }
      if (this.#cache === undefined && settings.cache === 'only')
        throw new ConfigurationError("cache: 'only' requires a client with a cache")
      const call: Call = {
        id,
        client: this.#client,
        settings,
        operation: configured,
        request,
        timeoutMs: settings.timeout ?? operation.timeoutMs ?? defaultTimeoutMs,
        previousPage,
        cancellation: new Cancellation(),
        record: newRecord(this.#client.redactor),
        observer,
      }
      call.cancellation.start(settings, callerLeft)
      const { observers } = settings
      return (observers === this.#defaults.observers ? this.#send : this.#sendFor(observers))(call)
    } catch (error) {
      // An invalid option does not know its operation.
      const isOption = error instanceof ConfigurationError
      return Promise.reject(isOption ? failureFor(error, contextOf(operation, request)) : (error as Error))
    }
  }

  #sendFor(observers: readonly Observer[]): Send {
    return wrapped(sendCalls(this.#openCalls), this.#client, observers, this.#cache, this.#openCalls)
  }
}

/**
 * Creates a transport.
 *
 * @throws {ConfigurationError} for invalid options.
 * @example
 * const { posts } = await microblog(createTransport({ baseUrl, apiKey })).search({ query })
 */
export function createTransport(options: ClientOptions): Transport {
  const { client, defaults } = resolveOptions(options)
  const { cache } = options
  return new ClientTransport(client, defaults, cache && wrapOfCache(cache, client))
}

/** Whether it is a transport of this package, of any copy. */
export function isTransport(value: unknown): value is ClientTransport {
  return isMarked(value, brand)
}

/** @throws {ConfigurationError} if {@link createTransport} has not made it. */
export function clientTransport(transport: Transport): ClientTransport {
  if (isTransport(transport)) return transport
  throw new ConfigurationError(`expected a transport of createTransport(), got ${describeValue(transport)}`)
}
