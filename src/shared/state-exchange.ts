import type { Log } from '../lib/logger.ts'
import { sleep } from '../lib/time.ts'
import { type Changed, changeState } from './change.ts'
import { type Reading, SharedClock } from './clock.ts'
import { encodeNotice } from './notice.ts'
import type { OwnPart } from './own-part.ts'
import { type LimiterState, decode } from './state.ts'
import { type ChangeText, type TimedStore, randomId } from './store.ts'
import type { Ask, Report, Rules } from './update.ts'

/** How long a store keeps an unused state, in milliseconds: longer than a 429 closes a surface. */
const keepMs = 2 * 86_400_000

/** The longest time that processes take to notice that the store has lost the state, in milliseconds. */
const maxQuietMs = 3000

/** A new process asks the others for the time if none has told it for this long, in milliseconds. */
const unsureMs = 200

/** How long a new process waits for that answer, besides the time of two round trips, in milliseconds. */
const answerMs = 100

/** What the state of an organization is shared with. */
export interface SharingOptions {
  readonly store: TimedStore
  /** The key of the state. */
  readonly key: () => Promise<string>
  readonly rules: Rules
  readonly log: Log
}

/** Changes the state in the store, and keeps a copy to restore it. */
export class StateExchange {
  /** This process in the state. */
  id = ''
  /** Whether to look for processes that have ended, if the store can tell. */
  looksForEnded = false
  readonly #options: SharingOptions
  readonly #part: OwnPart
  readonly #clock: SharedClock
  readonly #onNotice: (text?: string) => void
  /** The state that this process has made last, and when. */
  #copy: { state: LimiterState; at: number } | undefined
  #unwatch = (): void => {}
  #leave = (): void => {}

  constructor(options: SharingOptions, part: OwnPart, onNotice: (text?: string) => void) {
    this.#options = options
    this.#part = part
    this.#clock = new SharedClock(options.log)
    this.#onNotice = onNotice
  }

  /** Whether this process knows something that it could restore. */
  get hasCopy(): boolean {
    return this.#copy !== undefined
  }

  /** Whether the store calls back. */
  get hasNotices(): boolean {
    return this.#options.store.store.watch !== undefined
  }

  /** Listens to the others. The clock may have been set, or the state lost, since they have told: it asks them to tell again. */
  async begin(): Promise<void> {
    if (this.#copy !== undefined && performance.now() - this.#copy.at < keepMs / 2) return
    this.#copy = undefined
    const { store: timed } = this.#options
    const { store } = timed
    const key = await this.#options.key()
    if (this.id === '') {
      this.id = randomId()
      this.#unwatch = store.watch?.(key, (text) => this.#onNotice(text)) ?? this.#unwatch
      this.#leave = (await store.join?.(this.id)) ?? this.#leave
    }
    if (store.watch === undefined) return
    const notice = encodeNotice({ from: this.id, state: 'ask' })
    const readAt = performance.now()
    const isSure = await timed.update(key, (text, clock) => {
      const state = decode(text)
      const ago = state && clock + state.shift - state.time
      return ago !== undefined && ago >= 0 && ago < unsureMs ? { result: true } : { notice, result: false }
    })
    if (!isSure) await sleep(answerMs + 2 * (performance.now() - readAt))
  }

  /**
   * Tells this process's part, and asks for slots.
   *
   * @param answers Whether another process has asked for the time.
   */
  async change(asks: readonly Ask[], answers: boolean): Promise<Changed> {
    const { key, rules, store } = this.#options
    const ended = await this.#findEnded()
    const change: ChangeText<{ changed: Changed; reading: Reading }> = (text, clock, readAt) => {
      const receivedAt = performance.now()
      const bounds = this.#clock.bounds(readAt, receivedAt)
      const report = (now: number): Report => this.#part.report(this.id, now - receivedAt, asks, ended)
      const quietMs = Math.min(maxQuietMs, rules.spanMs)
      const seen = { state: this.#copy?.state, bounds }
      const changed = changeState(text, clock, seen, report, rules, quietMs, randomId())
      const { epoch, time } = changed.state
      const reading = { epoch, time, clock, readAt, receivedAt }
      return {
        value: changed.text,
        notice: this.#notice(changed, answers),
        keepMs,
        result: { changed, reading },
      }
    }
    const { changed, reading } = await store.update(await key(), change)
    this.#copy = { state: changed.state, at: performance.now() }
    this.#clock.observe(reading)
    this.#part.confirm()
    return changed
  }

  /** Stops listening. */
  stop(): void {
    this.#unwatch()
  }

  /** Marks this process as ended. */
  leave(): void {
    this.#leave()
  }

  #notice({ called, next, hasBegun }: Changed, answers: boolean): string | undefined {
    const closed = this.#part.closedSurfaces()
    const state = hasBegun ? 'begun' : answers ? 'told' : undefined
    if (called.length + closed.length === 0 && state === undefined) return undefined
    return encodeNotice({ from: this.id, called, next: called.length > 0 ? next : undefined, closed, state })
  }

  /** Processes that have ended, if the store can tell. */
  async #findEnded(): Promise<string[]> {
    const { store } = this.#options.store
    if (!this.looksForEnded || store.findEnded === undefined) return []
    this.looksForEnded = false
    const others = Object.keys(this.#copy?.state.processes ?? {}).filter((id) => id !== this.id)
    return store.findEnded(others)
  }
}
