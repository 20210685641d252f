import type { Port } from './client.ts'
import { hex } from './keys.ts'

/** A Lua script, which Redis runs as a whole or not at all. */
export class Script {
  readonly source: string
  #sha1: Promise<string> | undefined

  constructor(source: string) {
    this.source = source
  }

  /** What Redis knows it by once it has run. */
  get sha1(): Promise<string> {
    return (this.#sha1 ??= hex('SHA-1', this.source))
  }
}

/** Redis did not do what it was asked, or did not say so in time. */
class Unavailable extends Error {}

/** Commands that may be overdue before further ones are refused: some clients keep them in memory while offline. */
const mostOverdue = 64

/** Runs scripts, each within a time of its own. */
export class Link {
  readonly #port: Port
  readonly #timeoutMs: number
  readonly #loaded = new Set<Script>()
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
    script: Script,
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
      this.#send(script, keys, args).then(
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

  async #send(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const sha1 = await script.sha1
    // Commands keep their order only if none of them has to be sent again.
    if (!this.#loaded.has(script)) {
      this.#loaded.add(script)
      return this.#port.eval(script.source, keys, args)
    }
    try {
      return await this.#port.evalSha(sha1, keys, args)
    } catch (error) {
      if (!reasonOf(error).startsWith('NOSCRIPT')) throw error
      return this.#port.eval(script.source, keys, args)
    }
  }
}

/** An error of a connection that was refused at several addresses has its words inside. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
