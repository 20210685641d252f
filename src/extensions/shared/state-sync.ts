import { sleep } from '../../lib/time.ts'
import { type Changed, changeState } from './change.ts'
import { decodeNotice, encodeNotice } from './notice.ts'
import { OwnPart } from './own-part.ts'
import type { SharedText } from './shared-text.ts'
import { type LimiterState, type Rules, decode } from './state.ts'
import { randomId } from './store.ts'
import { type Ask, type Grant, type Refusal, turnMs } from './turns.ts'
import type { Report } from './update.ts'
import { type Asked, UpdateLoop } from './update-loop.ts'

/** How long a store keeps an unused state, in milliseconds: longer than a 429 closes a surface. */
const keepMs = 2 * 86_400_000

/** A new process asks the others for the time if none has told it for this long, in milliseconds. */
const unsureMs = 200

/** How long a new process waits for that answer, besides the time of two round trips, in milliseconds. */
const answerMs = 100

/** Longest random delay, so that processes do not all answer or ask at once, in milliseconds. */
const spreadMs = 40

/** Shortest time between two looks at the store, in case a notice was lost or a process has ended, in milliseconds. */
const lookMs = 1000

/** First time between two looks at a store without notices, in milliseconds. It grows to `lookMs` while a call waits. */
const firstPollMs = 25

/** A process that has heard no notice of its own for so long logs it, in milliseconds. */
const deafMs = 5000

/** What comes of an ask; undefined if the reply was late. */
export type Outcome = Grant | Refusal | undefined

/** Keeps the shared state and this process's part in it in step. */
export class StateSync extends UpdateLoop<Ask, Outcome> {
  readonly part = new OwnPart()
  readonly rules: Rules
  isClosed = false
  /** The state that this process has made last, to restore it, and when. */
  #copy: { state: LimiterState; at: number } | undefined
  #unwatch: (() => void) | undefined
  /** Whether another process has asked for the time. */
  #hasToAnswer = false
  #pollMs = firstPollMs
  /** Whether a notice of this process has come back to it. Until then it polls: a pooler or missing rights may swallow them. */
  #hears = false
  /** Since when it should hear its own notices; undefined before, and once it has logged that it does not. */
  #listensSince: number | undefined
  /** When to look whether a process lives that may take a slot. */
  #lookAt = Infinity

  constructor(text: SharedText, rules: Rules) {
    super(text)
    this.rules = rules
  }

  /** Lets all surfaces ask again. */
  change(): void {
    this.#lookAt = Infinity
    for (const surface of [...this.part.surfaces.values()]) surface.retry()
    // A process that no longer waits leaves its place to others.
    if (this.#hasPlaces) this.touch()
  }

  /** When requests of all processes arrived at a surface, as far as the latest known state tells, and when that was. */
  known(surface: string): { arrivals: number[]; at: number } {
    if (this.#copy === undefined) return { arrivals: [], at: -Infinity }
    const { state, at } = this.#copy
    const times = Object.values(state.processes).flatMap(({ arrivals }) => arrivals[surface] ?? [])
    return { arrivals: times.map((time) => time - state.time + at), at }
  }

  /** Gives up the places, and stops listening. Requests in flight keep their slots until they end. */
  async stop(): Promise<void> {
    this.isClosed = true
    this.#unwatch?.()
    if (this.#hasPlaces) this.touch()
    await this.settled()
    this.schedule()
  }

  /** Whether others may count this process as waiting. */
  get #hasPlaces(): boolean {
    const own = this.#copy?.state.processes[this.text.id]
    return Object.keys(own?.places ?? {}).length > 0
  }

  protected async update(asked: readonly Asked<Ask, Outcome>[]): Promise<void> {
    const startedAt = performance.now()
    await this.#begin()
    const { outcomes } = await this.#exchange(asked.map(({ ask }) => ask))
    // A process that slept for so long may have lost its slots to others.
    const isLate = performance.now() - startedAt >= this.rules.leaseMs
    for (const { ask, settle } of asked) {
      const outcome = outcomes.get(ask.surface)
      if (outcome?.reason !== 'granted') settle(outcome)
      else if (isLate) {
        this.touch()
        settle(undefined)
      } else {
        this.part.slots++
        this.#pollMs = firstPollMs
        settle(outcome)
      }
    }
  }

  /**
   * Before the first update, and the first after a long time: watches the store, and asks the others to tell their part again,
   * since the store's clock may have been set, or its state lost.
   */
  async #begin(): Promise<void> {
    if (this.#copy !== undefined && performance.now() - this.#copy.at < keepMs / 2) return
    this.#copy = undefined
    const { id, store } = this.text
    if (store.watch === undefined) return
    this.#unwatch ??= store.watch(await this.text.key(), (text) => this.#onNotice(text))
    const startedAt = performance.now()
    this.#listensSince = startedAt
    const isSure = await this.text.update((text, { clock }) => {
      const state = decode(text)
      const ago = state && clock + state.shift - state.time
      const isSure = store.isDurable === true || (ago !== undefined && ago >= 0 && ago < unsureMs)
      return { notice: JSON.stringify({ from: id, state: isSure ? undefined : 'ask' }), result: isSure }
    })
    if (!isSure) await sleep(answerMs + 2 * (performance.now() - startedAt))
  }

  /** Tells this process's part, and asks for slots. */
  async #exchange(asks: readonly Ask[]): Promise<Changed> {
    const { id } = this.text
    const changed = await this.text.update((text, moment) => {
      // The clock was read later: no request counts from a time before its arrival, and no surface opens early.
      const report = (now: number, epoch: string): Report =>
        this.part.report(id, now - moment.readAt, epoch, asks, this.text.slowestMs)
      const changed = changeState(text, moment, this.#copy?.state, report, this.rules, randomId())
      const { state, isChanged, called, next, turnMs, hasBegun } = changed
      const told = hasBegun ? 'begun' : this.#hasToAnswer ? 'told' : undefined
      const closed = this.part.closedSurfaces()
      const notice = encodeNotice({ from: id, called, next, turnMs, closed, state: told })
      return { state, isChanged, notice, keepMs, result: changed }
    })
    this.#copy = { state: changed.state, at: performance.now() }
    this.part.confirm()
    this.#hasToAnswer = false
    return changed
  }

  #onNotice(text: string | undefined): void {
    if (text === undefined) {
      // The connection is new: notices are missing, and the state may be.
      this.#hears = false
      const notice = JSON.stringify({ from: this.text.id })
      this.text.update(() => ({ notice, result: undefined })).catch(() => {})
      if (this.part.counts || this.part.isWaiting) this.change()
      if (this.part.counts) this.touch()
      return
    }
    const notice = decodeNotice(text)
    const { id } = this.text
    this.#hears ||= notice?.from === id
    if (notice === undefined || notice.from === id) return
    const { called = [], next, turnMs: ms = turnMs.least, closed = [], state } = notice
    for (const [surface, ms] of closed) this.part.surfaces.get(surface)?.closedFor(ms)
    if (called.length > 0) {
      this.#lookAt = next === id ? performance.now() + ms + Math.random() * spreadMs : Infinity
      if (called.includes(id)) this.change()
      else this.schedule()
    }
    if (state === 'told') this.#hasToAnswer = false
    else if (state !== undefined && this.#copy !== undefined) this.#answerSoon()
  }

  /** Tells the time and what this process knows, unless another process does so first. */
  #answerSoon(): void {
    this.#hasToAnswer = true
    setTimeout(() => {
      if (this.#hasToAnswer) this.touch()
    }, Math.random() * spreadMs)
  }

  protected override onAvailability(): void {
    // The connection for notices may come back later.
    this.#listensSince &&= performance.now()
    this.change()
  }

  protected override onRenew(): void {
    const isDeaf = !this.#hears && !this.isUnavailable && this.text.store.watch !== undefined
    if (isDeaf && performance.now() - (this.#listensSince ?? Infinity) > deafMs) {
      this.#listensSince = undefined
      this.text.log('warn', 'no notices of the shared store arrive, so this process polls', {})
    }
    if (!this.isUnavailable) this.change()
  }

  protected get isRetried(): boolean {
    const { slots, isWaiting, counts } = this.part
    const unavailableMs = performance.now() - (this.unavailableSince ?? Infinity)
    // By then, the others no longer count what this process could tell.
    const isOver = unavailableMs > Math.max(this.rules.leaseMs, this.rules.spanMs)
    const hasReason = !this.isClosed && (isWaiting || (counts && !isOver))
    return hasReason || (slots > 0 && !isOver)
  }

  protected renewMs(): number {
    const { slots, surfaces, isWaiting } = this.part
    if (slots === 0 && (this.isClosed || !isWaiting)) return Infinity
    let ms = Math.min(this.rules.leaseMs / 3, this.#lookAt - performance.now())
    for (const { refusal, waitingSince } of surfaces.values()) {
      if (refusal === undefined || waitingSince === undefined) continue
      const { reason, ahead } = refusal
      // Those surfaces have timers of their own.
      if (reason === 'pace' || reason === 'closed') continue
      // A look takes a slot from a process that has ended. The first in line are enough for it.
      const left = refusal.ms + refusal.at - performance.now()
      ms = Math.min(ms, Math.max(0, left) + Math.random() * spreadMs)
      if (reason === 'quiet' || reason === 'turn') continue
      if (ahead < 2) ms = Math.min(ms, lookMs * (1 + Math.random() / 2))
      if (this.#hears) continue
      ms = Math.min(ms, this.#pollMs * (1 + Math.random()))
      this.#pollMs = Math.min(this.#pollMs * 1.5, lookMs)
    }
    return ms
  }
}
