import type { RedisAdapter } from './client.ts'

/** Arguments of a script. */
export type Args = readonly (string | number)[]

/** Redis failed, or did not reply in time. */
class Unavailable extends Error {}

/** Further commands are refused while this many are overdue: some clients keep them in memory while offline. */
const maxOverdue = 64

/**
 * Runs Lua scripts in order, each with a timeout. It sends their source: an unknown digest would need a second round trip,
 * which later scripts could overtake.
 */
export class ScriptRunner {
  readonly #redis: RedisAdapter
  /** How long a script may take, in milliseconds. */
  readonly timeoutMs: number
  #overdue = 0

  constructor(redis: RedisAdapter, timeoutMs: number) {
    this.#redis = redis
    this.timeoutMs = timeoutMs
  }

  /**
   * @param onLateReply Called with a reply that came after the timeout.
   *
   * @throws {Unavailable} and no other error.
   */
  run(
    script: string,
    keys: readonly string[],
    args: readonly string[],
    onLateReply?: (reply: unknown) => void,
  ): Promise<unknown> {
    if (this.#overdue >= maxOverdue) {
      return Promise.reject(new Unavailable(`${this.#overdue} commands have no reply`))
    }
    return new Promise((resolve, reject) => {
      let overdue = false
      const timer = setTimeout(() => {
        overdue = true
        this.#overdue++
        reject(new Unavailable(`no reply within ${this.timeoutMs} ms`))
      }, this.timeoutMs)
      const settled = (): void => {
        clearTimeout(timer)
        if (overdue) this.#overdue--
      }
      this.#redis.eval(script, keys, args).then(
        (reply) => {
          settled()
          if (overdue) onLateReply?.(reply)
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

/** The message of an error. If several addresses refused the connection, the messages are in `errors`. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
