import type { Port } from './client.ts'

/** Redis did not do what it was asked, or did not say so in time. */
class Unavailable extends Error {}

/** Commands that may be overdue before further ones are refused: some clients keep them in memory while offline. */
const mostOverdue = 64

/**
 * Runs Lua scripts, each as a whole or not at all, in the order in which they were asked for, and within a time of its own.
 * They are sent in full: by their digest, one that Redis does not know yet would be overtaken by others.
 */
export class Link {
  readonly #port: Port
  readonly #timeoutMs: number
  #overdue = 0

  constructor(port: Port, timeoutMs: number) {
    this.#port = port
    this.#timeoutMs = timeoutMs
  }

  /**
   * @param late Called with a reply that came when nobody waited for it any more.
   *
   * @throws {Unavailable} and nothing else.
   */
  run(
    script: string,
    keys: readonly string[],
    args: readonly string[],
    late?: (reply: unknown) => void,
  ): Promise<unknown> {
    if (this.#overdue >= mostOverdue) {
      return Promise.reject(new Unavailable(`${this.#overdue} commands are not answered`))
    }
    return new Promise((resolve, reject) => {
      let overdue = false
      const timer = setTimeout(() => {
        overdue = true
        this.#overdue++
        reject(new Unavailable(`no answer within ${this.#timeoutMs} ms`))
      }, this.#timeoutMs)
      const settled = (): void => {
        clearTimeout(timer)
        if (overdue) this.#overdue--
      }
      this.#port.eval(script, keys, args).then(
        (reply) => {
          settled()
          if (overdue) late?.(reply)
          else resolve(reply)
        },
        (error: unknown) => {
          settled()
          reject(new Unavailable(reasonOf(error)))
        },
      )
    })
  }
}

/** An error of a connection that was refused at several addresses has its words inside. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
