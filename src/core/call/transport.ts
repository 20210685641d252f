import { firstIssues } from '../../contract/issues.ts'
import type { Operation } from '../../contract/operation.ts'
import { ConfigurationError, InvalidRequestError } from '../../errors.ts'
import { type Credits, Ledger, Purchase, withUserPrice, worstCase } from '../credits/ledger.ts'
import { resolveCall, resolveShared } from '../options/merge.ts'
import { resolveOptions } from '../options/resolve.ts'
import type { Settings } from '../options/settings.ts'
import type { AnyCallOptions, ClientOptions, SharedOptions } from '../options/types.ts'
import type { Answer } from './answer.ts'
import { Call } from './call.ts'
import type { ClientStatus } from './client-status.ts'
import { type ComposedRequest, composeRequest, nextOf } from './compose-request.ts'
import { type CancelRules, endEarly } from './end-early.ts'
import { OpenCalls } from './open-calls.ts'
import { CallRunner, prepare } from './run-call.ts'

/** Shared by a client and the clients made from it with `withOptions`. */
interface SharedByFamily {
  readonly ledger: Ledger
  readonly openCalls: OpenCalls
}

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
  readonly #family: SharedByFamily

  constructor(settings: Settings, family: SharedByFamily) {
    this.#settings = settings
    this.#family = family
  }

  /** What the calls have cost so far, in credits; a copy. */
  get credits(): Credits {
    return this.#family.ledger.credits()
  }

  /** Queued calls and requests in flight. */
  status(): ClientStatus {
    return this.#family.openCalls.status(this.#settings.limiter, this.#settings.share)
  }

  /** A transport with other options. It shares limits, ledger and credential with this one, and they close together. */
  withOptions(options: SharedOptions): Transport {
    return new Transport(resolveShared(this.#settings, options), this.#family)
  }

  /** Rejects open and future calls with a `ClosedError`; resolves when all have settled. */
  close(): Promise<void> {
    return this.#family.openCalls.close()
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
   * @throws {InvalidRequestError} if the request has issues.
   */
  priced(operation: Operation, request: ComposedRequest): Operation {
    if (request.issues.length > 0) throw invalidRequest(operation, this.#settings, request)
    return withUserPrice(operation, this.#settings.prices)
  }

  /** Makes one call of a composed request. */
  send(
    operation: Operation,
    request: ComposedRequest,
    options?: AnyCallOptions,
    cancelRules?: CancelRules,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call = this.#make(operation, request, options)
      const runner = new CallRunner(call, resolve, reject)
      this.#family.openCalls.add(call)
      const { signal, deadlineMs } = call.settings
      if (signal !== undefined || deadlineMs !== Infinity || cancelRules !== undefined)
        endEarly(call, cancelRules)
      const preparing = prepare(call)
      if (preparing === undefined) call.enterQueue(runner)
      else
        preparing.then(
          () => call.enterQueue(runner),
          (reason: unknown) => runner.refused(reason),
        )
    })
  }

  #make(operation: Operation, request: ComposedRequest, options: AnyCallOptions | undefined): Call {
    const settings = options === undefined ? this.#settings : this.#settingsOf(operation, request, options)
    if (request.issues.length > 0) throw invalidRequest(operation, settings, request)
    const { ledger, openCalls } = this.#family
    const pricedOperation = withUserPrice(operation, settings.prices)
    const worst = worstCase(pricedOperation.price, request.maxItems, settings.ceiling)
    const purchase = new Purchase(ledger, pricedOperation, worst, settings.budgets)
    return new Call({ operation: pricedOperation, request, settings, purchase, openCalls })
  }

  /** The settings of a call. An error names its operation. */
  #settingsOf(operation: Operation, request: ComposedRequest, options: AnyCallOptions): Settings {
    try {
      return resolveCall(this.#settings, options)
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      throw new ConfigurationError(error.message, {
        operation: operation.id,
        next: nextOf(operation, request),
      })
    }
  }
}

function invalidRequest(
  operation: Operation,
  { redactor }: Settings,
  request: ComposedRequest,
): InvalidRequestError {
  const issues = firstIssues(request.issues, (text) => redactor.text(text))
  const context = { operation: operation.id, next: nextOf(operation, request) }
  return new InvalidRequestError(issues, { ...context, subject: subjectOf(operation) })
}

/** The name of the input in error messages. */
function subjectOf({ method }: Operation): string {
  return method === 'PATCH' || method === 'PUT' ? 'the body' : 'params'
}

/**
 * Makes a transport.
 *
 * @throws {ConfigurationError} for invalid options; the message contains no secret.
 * @example
 * const { posts } = await microblog(createTransport({ baseUrl, apiKey })).search({ query })
 */
export function createTransport(options: ClientOptions): Transport {
  return transportOf(resolveOptions(options))
}

/** A transport with its own ledger and open calls. */
export function transportOf(settings: Settings): Transport {
  return new Transport(settings, { ledger: new Ledger(), openCalls: new OpenCalls(settings.maxQueued) })
}
