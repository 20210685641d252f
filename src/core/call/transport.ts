import { firstIssues } from '../../contract/issues.ts'
import type { Operation } from '../../contract/operation.ts'
import { ConfigurationError, InvalidRequestError } from '../../errors.ts'
import { type Credits, Ledger, Purchase, priced, worstCase } from '../credits/ledger.ts'
import { resolveCall, resolveOptions, resolveShared } from '../options/resolve.ts'
import type { Settings } from '../options/settings.ts'
import type { AnyCallOptions, ClientOptions, SharedOptions } from '../options/types.ts'
import type { Answer } from './answer.ts'
import { Call } from './call.ts'
import type { ClientStatus } from './client-status.ts'
import { type ComposedRequest, composeRequest, nextOf } from './compose-request.ts'
import { type CallerPatience, endEarly } from './end-early.ts'
import { OpenCalls } from './open-calls.ts'
import { FirstTurn, prepare } from './run-call.ts'

/** What clients of one family share. */
interface SharedByFamily {
  readonly ledger: Ledger
  readonly openCalls: OpenCalls
}

/**
 * Carries calls to the service and keeps account of them. Made by {@link createTransport}; resources such as
 * `microblog(transport)` put typed methods on top.
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

  /** What the calls of this transport have cost so far, in credits; a copy. */
  get credits(): Credits {
    return this.#family.ledger.credits()
  }

  /** What waits, and for what. */
  status(): ClientStatus {
    return this.#family.openCalls.status(this.#settings.limiter, this.#settings.share)
  }

  /** A transport with other options, which shares limits, ledger, credential and closing with this one. */
  withOptions(options: SharedOptions): Transport {
    return new Transport(resolveShared(this.#settings, options), this.#family)
  }

  /** Ends every pending call with a `ClosedError` and refuses further ones; resolves when all have settled. */
  close(): Promise<void> {
    return this.#family.openCalls.close()
  }

  /**
   * Makes one call; the typed methods of the resources are the way to get here.
   *
   * @param params The body, or the query of a GET.
   * @param id What stands for the id in the path.
   */
  request(
    operation: Operation,
    params: object,
    options?: AnyCallOptions,
    id?: unknown,
    patience?: CallerPatience,
  ): Promise<Answer> {
    return this.send(operation, this.compose(operation, params, id), options, patience)
  }

  /** The request of a call, as its params are now. */
  compose(operation: Operation, params: object, id?: unknown): ComposedRequest {
    return composeRequest(operation, params, id, this.#settings.dialect)
  }

  /** The operation at the price of this transport; throws what a call of the request would throw. */
  priced(operation: Operation, request: ComposedRequest): Operation {
    if (request.issues.length > 0) throw invalidRequest(operation, this.#settings, request)
    return priced(operation, this.#settings.prices)
  }

  /** Makes one call of a request that has been composed before. */
  send(
    operation: Operation,
    request: ComposedRequest,
    options?: AnyCallOptions,
    patience?: CallerPatience,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call = this.#make(operation, request, options)
      const turn = new FirstTurn(call, resolve, reject)
      this.#family.openCalls.add(call)
      const { signal, deadlineMs } = call.settings
      if (signal !== undefined || deadlineMs !== Infinity || patience !== undefined) endEarly(call, patience)
      const preparing = prepare(call)
      if (preparing === undefined) call.enterQueue(turn)
      else
        preparing.then(
          () => call.enterQueue(turn),
          (reason: unknown) => turn.refused(reason),
        )
    })
  }

  #make(operation: Operation, request: ComposedRequest, options: AnyCallOptions | undefined): Call {
    const settings = options === undefined ? this.#settings : this.#settingsOf(operation, request, options)
    if (request.issues.length > 0) throw invalidRequest(operation, settings, request)
    const { ledger, openCalls } = this.#family
    const pricedOperation = priced(operation, settings.prices)
    const worst = worstCase(pricedOperation.price, request.maxItems, settings.ceiling)
    const purchase = new Purchase(ledger, pricedOperation, worst, settings.budgets)
    return new Call({ operation: pricedOperation, request, settings, purchase, openCalls })
  }

  /** The settings of a call; what is wrong with its options is said of its operation. */
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

/** What the methods call the value that is sent. */
function subjectOf({ method }: Operation): string {
  return method === 'PATCH' || method === 'PUT' ? 'the body' : 'params'
}

/**
 * Makes a transport.
 *
 * @throws {ConfigurationError} for options that cannot work; the message holds no secret.
 * @example
 * const { posts } = await microblog(createTransport({ baseUrl, apiKey })).search({ query })
 */
export function createTransport(options: ClientOptions): Transport {
  return transportOf(resolveOptions(options))
}

/** A transport of a family of its own. */
export function transportOf(settings: Settings): Transport {
  return new Transport(settings, { ledger: new Ledger(), openCalls: new OpenCalls(settings.maxQueued) })
}
