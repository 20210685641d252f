import type { Middleware } from '../core/http/middleware.ts'
import { CommandError } from './command-errors.ts'

/** Ends a job on Ctrl-C: after the page under way, which may have been charged, or at once if there is none or on a second. */
export class Stop {
  readonly #controller = new AbortController()
  #isWanted = false
  #isUnderWay = false
  readonly #onSignal = (): void => {
    if (!this.#isUnderWay) this.#end()
    else if (this.#isWanted)
      this.#end('interrupted; the page under way may have been charged, and is not written')
    this.#isWanted = true
  }

  readonly #message: string

  /** @param message What an interruption says, unless a page is under way. */
  constructor(message = 'interrupted; what was bought is written') {
    this.#message = message
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, this.#onSignal)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Notes when a request is under way. */
  readonly middleware: Middleware = async (request, next) => {
    this.#isUnderWay = true
    let isSuccess = false
    try {
      const response = await next(request)
      isSuccess = response.ok
      return response
    } finally {
      // After a success the page is yet to be read and written.
      this.#isUnderWay = isSuccess
      if (!isSuccess && this.#isWanted) this.#end()
    }
  }

  /** The page has been read: what was bought of it cannot be lost any more. */
  pageIsRead(): void {
    this.#isUnderWay = false
    if (this.#isWanted) this.#end()
  }

  /** @throws {CommandError} if no further page should be bought. */
  pageIsWritten(): void {
    this.pageIsRead()
    this.signal.throwIfAborted()
  }

  end(): void {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, this.#onSignal)
  }

  #end(message = this.#message): void {
    this.#controller.abort(new CommandError('interrupted', message))
  }
}
