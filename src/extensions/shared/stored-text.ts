// Limiters and budgets keep one text of a store up to date, each with its own state in it: what is the same for both stands here.

import { assertMethod, milliseconds } from '../../errors/check-options.ts'
import { type LeveledLogger, type Log, type Logger, createLog, defaultLogger } from '../../lib/logger.ts'
import { Redactor } from '../../lib/redactor.ts'
import { messageOf } from '../../lib/thrown.ts'
import { maxTimerMs } from '../../lib/time.ts'
import { randomId } from '../../lib/hash.ts'
import {
  type ReadTimes,
  type Snapshot,
  type StateChange,
  type VersionedState,
  jumpOf,
} from './versioned-state.ts'
import { type ChangeText, type SharedStore, textKey, updateWithin } from './store.ts'

/** Options of everything that processes share. */
export interface SharedOptions {
  /** Where the state is: `redisStore(client)`, `postgresStore(pool)`, `sqliteStore(path)`, `memoryStore()` or your own. */
  store: SharedStore
  /** Timeout of one update, in milliseconds; after it, the store counts as unavailable. Default 2,000. */
  storeTimeout?: number | undefined
  /** Logs when the store becomes unavailable, when it is back, and when its clock jumps; false for no lines. By default, warnings go to `console.warn`. */
  logger?: Logger | LeveledLogger | false | undefined
}

/** Their names. */
export const sharedNames = { store: true, storeTimeout: true, logger: true }

/** Shortest time between two attempts to reach an unavailable store, in milliseconds; the longest is twice that. */
export const retryMs = 500

/**
 * One text of a store, in which this process keeps its part up to date: one update at a time, again when something has happened meanwhile,
 * and when its lease is due. Each update has a timeout. While the store is unavailable, it tries again every half second or so.
 */
export abstract class StoredText<S extends VersionedState> {
  readonly timeoutMs: number
  /** How long the store keeps an unused text, in milliseconds; undefined: for ever. */
  protected readonly ttlMs: number | undefined
  protected readonly store: SharedStore
  protected readonly log: Log
  isUnavailable = false
  /** The latest state that this process knows. */
  protected latest: Snapshot<S> | undefined
  /** Resolves when no update runs any more. */
  protected running: Promise<void> | undefined
  readonly #newKey: () => Promise<string>
  #key: string | undefined
  #id: string | undefined
  #isDue = false
  /** When the latest update ended, and, if it has failed, when the next one begins. */
  protected updatedAt = -Infinity
  #retryAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  protected constructor(
    { store, storeTimeout = 2000, logger = defaultLogger }: SharedOptions,
    kind: string,
    owner: string,
    ttlMs?: number,
  ) {
    this.ttlMs = ttlMs
    this.store = assertMethod('store', store, 'update')
    this.log = createLog(logger, new Redactor()) ?? (() => {})
    this.timeoutMs = milliseconds('storeTimeout', storeTimeout)
    this.#newKey = () => textKey(kind, owner)
  }

  /** This process. Some runtimes have no random numbers before the first request. */
  protected get id(): string {
    return (this.#id ??= randomId())
  }

  /** The key of the text in the store. */
  protected async key(): Promise<string> {
    return (this.#key ??= await this.#newKey())
  }

  /** Updates as soon as possible, even if the store was unavailable. */
  updateNow(): void {
    this.#isDue = true
    this.running ??= this.#run()
  }

  /** Updates the text once, with all that has happened by then. */
  protected abstract update(): Promise<void>

  /** When an update is due that nobody has asked for, in monotonic milliseconds; Infinity for none. */
  protected abstract nextUpdateAt(): number

  /** Whether to try an unavailable store again. */
  protected abstract get isRetried(): boolean

  /** Whether a process that does nothing else may end before its next update. */
  protected get mayEnd(): boolean {
    return false
  }

  /** The store has failed, perhaps again. */
  protected abstract onFailure(error: unknown): void

  /** Updates if that is due, or else sets the timer of the next update. */
  protected schedule(): void {
    if (this.running !== undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    const retryAt = this.isRetried ? this.#retryAt : Infinity
    const ms = (this.isUnavailable ? retryAt : this.nextUpdateAt()) - performance.now()
    if (ms === Infinity) return
    if (ms <= 0) {
      this.updateNow()
      return
    }
    this.#timer = setTimeout(() => this.schedule(), Math.min(Math.ceil(ms), maxTimerMs))
    // Timers of browsers are numbers.
    if (this.mayEnd) (this.#timer as { unref?(): void }).unref?.()
  }

  async #run(): Promise<void> {
    // What happens at the same time goes into one update: a release and the next call.
    await Promise.resolve()
    while (this.#isDue) {
      this.#isDue = false
      try {
        await this.update()
      } catch (error) {
        if (!this.isUnavailable)
          this.log('warn', 'the shared store is unavailable', { reason: messageOf(error) })
        this.isUnavailable = true
        this.#retryAt = performance.now() + retryMs * (1 + Math.random())
        this.onFailure(error)
        break
      }
    }
    this.running = undefined
    this.updatedAt = performance.now()
    this.schedule()
  }

  /** Rejects if the store fails, or does not reply in time; the text may be changed nevertheless. */
  protected async change<C extends StateChange<S>>(
    change: (text: string | undefined, times: ReadTimes) => C & { readonly message?: string | undefined },
  ): Promise<C> {
    const key = await this.key()
    const changeText: ChangeText<{ changed: C; times: ReadTimes }> = (text, clock, readAt) => {
      if (!Number.isFinite(clock)) throw new Error(`the clock of the store is no number: ${String(clock)}`)
      const times = { clock: Math.round(clock), readAt, receivedAt: performance.now() }
      const changed = change(text, times)
      // After a failure, a write is needed in any case: that of the failed update may still arrive, unless another came first.
      const isWritten = changed.isChanged || this.isUnavailable
      const value = isWritten ? JSON.stringify(changed.state) : undefined
      return { value, message: changed.message, ttlMs: this.ttlMs, result: { changed, times } }
    }
    const update = async (inTime: typeof changeText) => this.store.update(key, inTime)
    const { changed, times } = await updateWithin(this.timeoutMs, update, changeText)
    if (this.isUnavailable) this.log('info', 'the shared store is available again', {})
    this.isUnavailable = false
    const { latest } = this
    const jump = latest ? jumpOf(latest.clock, times.clock, latest, times) : 0
    this.latest = { ...times, state: changed.state }
    if (jump !== 0) this.log('warn', 'the clock of the store has jumped', { milliseconds: jump })
    return changed
  }
}
