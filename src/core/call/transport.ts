import { type ClientOptions, type AnyCallOptions, type SharedOptions } from '../options/types.ts'
import type { Operation } from '../../contract/operation.ts'
import { type Attempt, ClosedError, ConfigurationError, InvalidRequestError } from '../../errors.ts'
import { resolveCall, resolveOptions, resolveShared } from '../options/resolve.ts'
import { type Success, attempt } from './attempt.ts'
import { Call } from './call.ts'
import { type Credits, Ledger } from '../credits/ledger.ts'
import { composeMessage } from './compose-request.ts'
import { priced, worstCase } from '../credits/price.ts'
import { type CallCredits, Purchase } from '../credits/purchase.ts'
import { retrying } from '../retry/retry.ts'
import type { CallSettings, Settings } from '../options/settings.ts'

/** A success, with what is known of the call behind it. */
export interface Answer extends Success {
  readonly attempts: readonly Attempt[]
  readonly credits: CallCredits
}

/** What clients of one family have in common. */
interface Family {
  readonly ledger: Ledger
  readonly closing: AbortController
  readonly pending: Set<Promise<unknown>>
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

  /** Ends every pending call with a {@link ClosedError} and refuses further ones; resolves when all have settled. */
  async close(): Promise<void> {
    this.#family.closing.abort(new ClosedError())
    await Promise.allSettled(this.#family.pending)
  }

  /**
   * Makes one call; the typed methods of the resources are the way to get here.
   *
   * @param params The body, or the query of a GET.
   * @param id What stands for the id in the path.
   */
  request(operation: Operation, params: object, options: AnyCallOptions = {}, id?: unknown): Promise<Answer> {
    const answer = this.#call(operation, params, options, id)
    this.#family.pending.add(answer)
    const settled = (): void => void this.#family.pending.delete(answer)
    answer.then(settled, settled)
    return answer
  }

  async #call(operation: Operation, params: object, options: AnyCallOptions, id?: unknown): Promise<Answer> {
    const { ledger, closing } = this.#family
    const settings = settingsOf(operation, this.#settings, options)
    const message = composeMessage(operation, params, id, settings.dialect)
    if (!('path' in message)) {
      const issues = settings.redactor.data(message.map((issue) => ({ ...issue })))
      throw new InvalidRequestError(issues, { operation: operation.id, subject: subjectOf(operation) })
    }

    const offer = priced(operation, settings.prices)
    const worst = worstCase(offer.price, params, settings.ceiling)
    const purchase = new Purchase(ledger, operation.id, worst, settings.budgets)
    const call = new Call(offer, message, settings, purchase, closing.signal)
    try {
      const success = await retrying(
        () => attempt(call),
        (failure) => call.proceeds(failure),
      )
      return { ...success, attempts: call.attempts, credits: purchase.credits }
    } catch (failure) {
      throw call.conclude(failure)
    } finally {
      call.dispose()
    }
  }
}

/** The settings of a call; what is wrong with its options is said of its operation. */
function settingsOf({ id }: Operation, settings: Settings, options: AnyCallOptions): CallSettings {
  try {
    return resolveCall(settings, options)
  } catch (error) {
    throw error instanceof ConfigurationError
      ? new ConfigurationError(error.message, { operation: id })
      : error
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
  return new Transport(settings, {
    ledger: new Ledger(),
    closing: new AbortController(),
    pending: new Set(),
  })
}
