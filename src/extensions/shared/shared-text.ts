import { assertMethod, milliseconds } from '../../errors/check-options.ts'
import { within } from '../../lib/abort.ts'
import { sha256 } from '../../lib/hash.ts'
import { type Log, type Logger, createLog, defaultLogger } from '../../lib/logger.ts'
import { Redactor } from '../../lib/redact.ts'
import { messageOf } from '../../lib/thrown.ts'
import { type Moment, type Sight, type StateHead, jumpOf } from './clock.ts'
import { type ChangeText, type SharedStore, type TextChange, randomId } from './store.ts'

/** Options of everything that processes share. */
export interface SharedOptions {
  /** Where the state is: `redisStore(client)`, `postgresStore(pool)`, `sqliteStore(path)`, `memoryStore()` or your own. */
  store: SharedStore
  /** Timeout of one update, in milliseconds; after it, the store counts as unavailable. Default 2,000. */
  storeTimeout?: number | undefined
  /** Logs when the store becomes unavailable, when it is back, and when its clock jumps; false for no lines. By default, warnings go to `console.warn`. */
  logger?: Logger | false | undefined
}

export const sharedNames = { store: true, storeTimeout: true, logger: true }

/** Further updates are refused while so many are overdue: some clients keep their commands in memory while offline. */
const maxOverdue = 16

/** A change of a state. Without a state, and if nothing has changed, the store keeps the text that it has. */
export interface StateChange<T> extends Omit<TextChange<T>, 'value'> {
  readonly state?: StateHead | undefined
  readonly isChanged?: boolean
}

/** One text of a store: each update has a timeout, and knows when this process read the text before. */
export class SharedText {
  readonly store: SharedStore
  readonly log: Log
  readonly timeoutMs: number
  readonly #newKey: () => Promise<string>
  #seen: Sight | undefined
  #slowestMs = 0
  #key: Promise<string> | undefined
  #id: string | undefined
  #overdue = 0

  /**
   * @param kind Names the format of the text. It has a number that changes with the format.
   * @param owner Hashed, since it may be an API key.
   */
  constructor(
    { store, storeTimeout = 2000, logger = defaultLogger }: SharedOptions,
    kind: string,
    owner: string,
  ) {
    this.store = assertMethod('store', store, 'update')
    this.log = createLog(logger, new Redactor()) ?? (() => {})
    this.timeoutMs = milliseconds('storeTimeout', storeTimeout)
    this.#newKey = async () => `${kind}:${(await sha256(owner)).slice(0, 32)}`
  }

  /** This process. Some runtimes have no random numbers before the first request. */
  get id(): string {
    return (this.#id ??= randomId())
  }

  /** The key of the text in the store. */
  key(): Promise<string> {
    return (this.#key ??= this.#newKey())
  }

  /** How long updates have taken lately, in milliseconds. */
  get slowestMs(): number {
    return this.#slowestMs
  }

  /** Rejects if the store fails, or does not reply in time; the text may be changed nevertheless. */
  async update<T>(change: (text: string | undefined, moment: Moment) => StateChange<T>): Promise<T> {
    const startedAt = performance.now()
    const { result, sight, jump } = await this.#inTime(await this.key(), (text, clock, readAt) => {
      if (!Number.isFinite(clock)) throw new Error(`the clock of the store is no number: ${String(clock)}`)
      const moment = { clock: Math.round(clock), readAt, receivedAt: performance.now(), seen: this.#seen }
      const { state, isChanged = false, result, ...rest } = change(text, moment)
      const { seen, ...reading } = moment
      const sight = state && { ...reading, epoch: state.epoch, time: state.time }
      const jump = seen && sight ? jumpOf(seen.clock, sight.clock, seen, moment) : 0
      const value = isChanged ? JSON.stringify(state) : undefined
      return { ...rest, value, result: { result, sight, jump } }
    })
    this.#slowestMs = Math.max(performance.now() - startedAt, this.#slowestMs * 0.9)
    this.#seen = sight ?? this.#seen
    if (jump !== 0) this.log('warn', 'the clock of the store has jumped', { milliseconds: jump })
    return result
  }

  async #inTime<T>(key: string, change: ChangeText<T>): Promise<T> {
    if (this.#overdue >= maxOverdue) throw new Error(`${this.#overdue} updates have no reply`)
    let isLate = false
    // A store that is late must not compute a change that nobody waits for.
    const inTime: ChangeText<T> = (...args) => {
      if (isLate) throw new Error('too late')
      return change(...args)
    }
    const reply = Promise.resolve().then(() => this.store.update(key, inTime))
    const onTimeout = (): never => {
      isLate = true
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
  return messageOf(error)
}
