import { within } from '../lib/abort.ts'
import type { RedisAdapter } from './client.ts'

/** Arguments of a script. */
export type Args = readonly (string | number)[]

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

  /** Rejects if Redis fails, or does not reply in time; the script may run nevertheless. */
  async run(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    if (this.#overdue >= maxOverdue) throw new Error(`${this.#overdue} commands have no reply`)
    const reply = this.#redis.eval(script, keys, args)
    const onTimeout = (): never => {
      this.#overdue++
      reply.finally(() => this.#overdue--).catch(() => {})
      throw new Error(`no reply within ${this.timeoutMs} ms`)
    }
    return within(this.timeoutMs, () => reply, onTimeout)
  }
}

/** The message of an error. If several addresses refused the connection, the messages are in `errors`. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
