import { firstIssues } from '../../api/issues.ts'
import type { Operation } from '../../api/operation.ts'
import { ConfigurationError, InvalidRequestError } from '../../errors/index.ts'
import { isInstance } from '../../lib/thrown.ts'
import { assertOptions, shown } from '../../errors/check-options.ts'
import type { Credits } from '../credits/ledger.ts'
import { callChanges, merge, sharedChanges } from '../options/merge.ts'
import { resolveOptions } from '../options/resolve.ts'
import type { CallSettings, ClientSettings } from '../options/settings.ts'
import type { AnyCallOptions, ClientOptions, SharedOptions } from '../options/types.ts'
import type { Answer, Call } from './call.ts'
import { type ComposedRequest, composeRequest, contextOf } from './compose-request.ts'
import type { CancelRules, Sharers } from './cancellation.ts'
import { assertNotNested } from './nested-calls.ts'
import { type ClientStatus, OpenCalls } from './open-calls.ts'
import { Run } from './run.ts'

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
  /** What the calls have cost so far, in credits; a copy. */
  readonly credits: Credits
  /** Queued calls and requests in flight. */
  status(): ClientStatus
  /** A transport with other options. It shares limits, ledger and credential with this one, and they close together. */
  withOptions(options: SharedOptions): Transport
  /** Rejects open and future calls with a `ClosedError`; resolves when all have settled. */
  close(): Promise<void>
}

/** A cache as the calls of one client use it. */
export interface CallCache {
  /**
   * Answers a call from the cache, or with a request that equal calls share.
   *
   * @param open Opens the run of a request that calls share.
   * @param before The answer with the page before this one, in a walk.
   */
  answer(run: Run, open: (call: Call, sharers: Sharers) => Run, before?: Answer): Promise<Answer>
}

/** The transport of a client. */
export class ClientTransport implements Transport {
  readonly #client: ClientSettings
  readonly #defaults: CallSettings
  readonly #openCalls: OpenCalls

  /** `withOptions` passes on the open calls. */
  constructor(client: ClientSettings, defaults: CallSettings, openCalls = new OpenCalls(client.maxQueued)) {
    this.#client = client
    this.#defaults = defaults
    this.#openCalls = openCalls
  }

  get credits(): Credits {
    return this.#client.ledger.credits()
  }

  status(): ClientStatus {
    return this.#openCalls.status(this.#client.limiter, this.#client.share)
  }

  withOptions(options: SharedOptions): ClientTransport {
    assertOptions(options, sharedChanges)
    const defaults = merge(this.#defaults, options, sharedChanges, this.#client.redactor)
    return new (this.constructor as typeof ClientTransport)(this.#client, defaults, this.#openCalls)
  }

  close(): Promise<void> {
    return this.#openCalls.close()
  }

  /**
   * Makes one call.
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
    return composeRequest(operation, params, id, this.#client.dialect)
  }

  /** The client's limit of requests a minute for each surface. */
  get perMinute(): number {
    return this.#client.share.perMinute
  }

  /**
   * The operation with the user's price and surface.
   *
   * @throws {InvalidRequestError} if a request is given and has issues.
   */
  configured(operation: Operation, request?: ComposedRequest): Operation {
    const { prices, surfaces, redactor } = this.#client
    const { id, price } = operation
    if (request === undefined || request.issues.length === 0) {
      const { [id]: credits } = prices
      const { [id]: surface = operation.surface } = surfaces
      if (credits === undefined && surface === operation.surface) return operation
      return {
        ...operation,
        surface,
        price: price.kind === 'free' ? price : { ...price, credits: credits ?? price.credits },
      }
    }
    const issues = firstIssues(request.issues, (text) => redactor.text(text))
    for (const issue of issues)
      if (Object.hasOwn(callChanges, issue.path))
        issue.message += '; it is an option, passed after the params'
    const subject = operation.method === 'PATCH' || operation.method === 'PUT' ? 'the body' : 'params'
    throw new InvalidRequestError(issues, { ...contextOf(operation, request), subject })
  }

  /**
   * Makes one call of a composed request.
   *
   * @param before The answer with the page before this one, in a walk.
   */
  send(
    operation: Operation,
    request: ComposedRequest,
    options?: AnyCallOptions,
    cancelRules?: CancelRules,
    before?: Answer,
  ): Promise<Answer> {
    try {
      assertNotNested(this.#client.limiter)
      const settings = options === undefined ? this.#defaults : this.#settingsOf(options)
      const configured = this.configured(operation, request)
      const cache = this.#client.cache as CallCache | undefined
      if (!cache && settings.cache === 'only')
        throw new ConfigurationError('cache: only needs a client with a cache')
      const run = new Run({ client: this.#client, settings, operation: configured, request }, this.#openCalls)
      run.cancelBy(settings, cancelRules)
      const open = (call: Call, sharers: Sharers) => new Run(call, this.#openCalls, sharers)
      const answer = () => cache?.answer(run, open, before) ?? run.start()
      return run.observer?.observe(answer, run) ?? answer()
    } catch (error) {
      if (!isInstance(error, ConfigurationError)) return Promise.reject(error)
      // An invalid option does not know its operation.
      return Promise.reject(new ConfigurationError(error.message, contextOf(operation, request)))
    }
  }

  #settingsOf(options: AnyCallOptions): CallSettings {
    assertOptions(options, callChanges)
    return merge(this.#defaults, options, callChanges, this.#client.redactor)
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
  const { client, defaults } = resolveOptions(options)
  return new ClientTransport(client, defaults)
}

/** @throws {ConfigurationError} if {@link createTransport} has not made it. */
export function clientTransport(transport: Transport): ClientTransport {
  if (transport instanceof ClientTransport) return transport
  throw new ConfigurationError(`expected a transport of createTransport(), got ${shown(transport)}`)
}
