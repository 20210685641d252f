import { sleep } from '../lib/time.ts'
import { type Changed, changeState } from './change.ts'
import type { Notice } from './notice.ts'
import type { OwnPart } from './own-part.ts'
import type { SharedText } from './shared-text.ts'
import { type LimiterState, type Rules, decode } from './state.ts'
import { randomId } from './store.ts'
import type { Ask } from './turns.ts'
import type { Report } from './update.ts'

/** How long a store keeps an unused state, in milliseconds: longer than a 429 closes a surface. */
const keepMs = 2 * 86_400_000

/** The longest time that processes take to notice that the store has lost the state, in milliseconds. */
const maxQuietMs = 3000

/** A new process asks the others for the time if none has told it for this long, in milliseconds. */
const unsureMs = 200

/** How long a new process waits for that answer, besides the time of two round trips, in milliseconds. */
const answerMs = 100

/** Changes the state in the store, and keeps a copy to restore it. */
export class StateExchange {
  /** Whether to look for processes that have ended, if the store can tell. */
  looksForEnded = false
  readonly #text: SharedText
  readonly #rules: Rules
  readonly #part: OwnPart
  readonly #onNotice: (text?: string) => void
  /** The state that this process has made last, and when. */
  #copy: { state: LimiterState; at: number } | undefined
  #hasJoined = false
  #unwatch = (): void => {}
  #leave = (): void => {}

  constructor(text: SharedText, rules: Rules, part: OwnPart, onNotice: (text?: string) => void) {
    this.#text = text
    this.#rules = rules
    this.#part = part
    this.#onNotice = onNotice
  }

  /** Whether this process knows something that it could restore. */
  get hasCopy(): boolean {
    return this.#copy !== undefined
  }

  /**
   * Before the first update, and the first after a long time: watches the store, and asks the others to tell their part again,
   * since the store's clock may have been set, or its state lost.
   */
  async begin(): Promise<void> {
    if (this.#copy !== undefined && performance.now() - this.#copy.at < keepMs / 2) return
    this.#copy = undefined
    const { id, store } = this.#text
    if (!this.#hasJoined) {
      this.#hasJoined = true
      this.#unwatch = store.watch?.(await this.#text.key(), (text) => this.#onNotice(text)) ?? this.#unwatch
      this.#leave = (await store.join?.(id)) ?? this.#leave
    }
    if (store.watch === undefined) return
    const notice = JSON.stringify({ from: id, state: 'ask' } satisfies Notice)
    const startedAt = performance.now()
    const isSure = await this.#text.update((text, { clock }) => {
      const state = decode(text)
      const ago = state && clock + state.shift - state.time
      return ago !== undefined && ago >= 0 && ago < unsureMs ? { result: true } : { notice, result: false }
    })
    if (!isSure) await sleep(answerMs + 2 * (performance.now() - startedAt))
  }

  /**
   * Tells this process's part, and asks for slots.
   *
   * @param answers Whether another process has asked for the time.
   */
  async change(asks: readonly Ask[], answers: boolean): Promise<Changed> {
    const { id } = this.#text
    const ended = await this.#findEnded()
    const quietMs = Math.min(maxQuietMs, this.#rules.spanMs)
    const changed = await this.#text.update((text, { clock, readAt, bounds }) => {
      // The clock was read later: no request counts from a time before its arrival, and no surface opens early.
      const report = (now: number): Report => this.#part.report(id, now - readAt, asks, ended)
      const seen = { state: this.#copy?.state, bounds }
      const changed = changeState(text, clock, seen, report, this.#rules, quietMs, randomId())
      const { state } = changed
      return {
        ...{ value: JSON.stringify(state), notice: this.#notice(changed, answers), keepMs },
        ...{ state, result: changed },
      }
    })
    this.#copy = { state: changed.state, at: performance.now() }
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
    const notice: Notice = {
      from: this.#text.id,
      ...(called.length > 0 && { called, next }),
      ...(closed.length > 0 && { closed }),
      state: hasBegun ? 'begun' : answers ? 'told' : undefined,
    }
    const isEmpty = called.length + closed.length === 0 && notice.state === undefined
    return isEmpty ? undefined : JSON.stringify(notice)
  }

  /** Processes that have ended, if the store can tell. */
  async #findEnded(): Promise<string[]> {
    const { id, store } = this.#text
    if (!this.looksForEnded || store.findEnded === undefined) return []
    this.looksForEnded = false
    const others = Object.keys(this.#copy?.state.processes ?? {}).filter((other) => other !== id)
    return store.findEnded(others)
  }
}
