import type { Operation } from '../../contract/operation.ts'
import { type Attempt, ConfigurationError, InvalidRequestError } from '../../errors.ts'
import { type Credits, Ledger } from '../credits/ledger.ts'
import { type CallCredits, Purchase, priced, worstCase } from '../credits/purchase.ts'
import type { Lease } from '../limits/limiter.ts'
import { resolveCall, resolveOptions, resolveShared } from '../options/resolve.ts'
import type { Settings } from '../options/settings.ts'
import type { AnyCallOptions, ClientOptions, SharedOptions } from '../options/types.ts'
import { Call, type CallerPatience } from './call.ts'
import { type ComposedRequest, composeRequest, nextOf } from './compose-request.ts'
import { OpenCalls } from './open-calls.ts'
import type { Success } from './read-answer.ts'
import { prepare, runAttempts } from './run-attempts.ts'

/** A success, with what is known of the call behind it. */
export interface Answer extends Success {
  readonly attempts: readonly Attempt[]
  readonly credits: CallCredits
}

/** What clients of one family share. */
interface Family {
  readonly ledger: Ledger
  readonly openCalls: OpenCalls
}

/**
 * Carries calls to the service and keeps account of them. Made by {@link createTransport}; resources such as
 * `microblog(transport)` put typed methods on top.
 */
export class Transport {
  readonly #settings: Settings
  readonly #family: Family

  constructor(settings: Settings, family: Family) {
    this.#settings = settings
    this.#family = family
  }

  /** What the calls of this transport have cost so far, in credits; a copy. */
  get credits(): Credits {
    return this.#family.ledger.credits()
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

  /** Makes one call of a request that has been composed before. */
  send(
    operation: Operation,
    request: ComposedRequest,
    options?: AnyCallOptions,
    patience?: CallerPatience,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const call = this.#open(operation, request, options, patience)
      const fail = (failure: unknown): void => {
        call.close()
        reject(call.errorOf(failure))
      }
      const enter = (): void => call.queue((lease) => resolve(answer(call, lease)), fail)
      const preparing = prepare(call)
      if (preparing === undefined) enter()
      else preparing.then(enter, fail)
    })
  }

  #open(
    operation: Operation,
    request: ComposedRequest,
    options: AnyCallOptions | undefined,
    patience: CallerPatience | undefined,
  ): Call {
    const settings = options === undefined ? this.#settings : this.#settingsOf(operation, request, options)
    if (request.issues.length > 0) {
      const issues = settings.redactor.data(request.issues.map((issue) => ({ ...issue })))
      const context = { operation: operation.id, next: nextOf(operation, request) }
      throw new InvalidRequestError(issues, { ...context, subject: subjectOf(operation) })
    }
    const { ledger, openCalls } = this.#family
    const offer = priced(operation, settings.prices)
    const worst = worstCase(offer.price, request.maxItems, settings.ceiling)
    const purchase = new Purchase(ledger, offer, worst, settings.budgets)
    const call = new Call({ operation: offer, request, settings, purchase, openCalls })
    call.open(patience)
    return call
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

async function answer(call: Call, lease: Lease): Promise<Answer> {
  try {
    const success = await runAttempts(call, lease)
    const { spent, uncertain } = call.purchase
    return { ...success, attempts: call.attempts, credits: { spent, uncertain } }
  } catch (failure) {
    throw call.errorOf(failure)
  } finally {
    call.close()
  }
}

/** What the methods call the value that is sent. */
function subjectOf({ method }: Operation): string {
  return method === 'PATCH' || method === 'PUT' ? 'the body' : 'params'
}

/**
 * Makes a transport.
 *
 * @throws {ConfigurationError} for options that cannot work; the message holds no secret.
 */
export function createTransport(options: ClientOptions): Transport {
  return transportOf(resolveOptions(options))
}

/** A transport of a family of its own. */
export function transportOf(settings: Settings): Transport {
  return new Transport(settings, { ledger: new Ledger(), openCalls: new OpenCalls(settings.maxQueued) })
}
