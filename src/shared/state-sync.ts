import type { Log } from '../lib/logger.ts'
import { maxTimerMs, sleep } from '../lib/time.ts'
import { type Changed, changeState } from './change.ts'
import { type Reading, SharedClock } from './clock.ts'
import { decodeNotice, encodeNotice } from './notice.ts'
import { OwnPart } from './own-part.ts'
import { type LimiterState, decode } from './state.ts'
import { type ChangeText, type TimedStore, randomId, reasonOf } from './store.ts'
import { type Ask, type Refusal, type Report, type Rules, turnMs } from './update.ts'

/** How long a store keeps an unused state, in milliseconds: longer than a 429 closes a surface. */
const keepMs = 2 * 86_400_000

/** The longest time that processes take to notice that the store has lost the state, in milliseconds. */
const maxQuietMs = 3000

/** A new process asks the others for the time if none has told it for this long, in milliseconds. */
const unsureMs = 200

/** How long a new process waits for that answer, besides the time of two round trips, in milliseconds. */
const answerMs = 100

/** Longest random delay, so that processes do not all answer or ask at once, in milliseconds. */
const spreadMs = 40

/** Shortest time between two looks at the store, in case a notice was lost or a process has ended, in milliseconds. */
const lookMs = 1000

/** Shortest time between two looks at a store without notices, in milliseconds. It grows to the other one. */
const firstPollMs = 25

/** Shortest time between two attempts to reach an unavailable store, in milliseconds; the longest is twice that. */
const retryMs = 500

/** A slot, and why the next call waits; or why there is none; undefined if the store is unavailable. */
type Outcome = { readonly slot: number; readonly next: Refusal | undefined } | Refusal | undefined

interface PendingAsk {
  readonly ask: Ask
  readonly settle: (outcome: Outcome) => void
}

/** What a {@link StateSync} is made with. */
export interface SyncOptions {
  readonly store: TimedStore
  /** The key of the state. */
  readonly key: () => Promise<string>
  readonly rules: Rules
  readonly log: Log
}

/** Keeps the shared state and this process's part in it in step: one update at a time, with all that has happened by then. */
export class StateSync {
  readonly part = new OwnPart()
  readonly rules: Rules
  isUnavailable = false
  isClosed = false
  readonly #store: TimedStore
  readonly #key: SyncOptions['key']
  readonly #log: Log
  readonly #clock: SharedClock
  #id = ''
  #asks = new Map<string, PendingAsk>()
  /** The state that this process has made last, and when. */
  #copy: { state: LimiterState; at: number } | undefined
  #isDue = false
  #hasToAnswer = false
  #looksForEnded = false
  #failedAt = 0
  #pollMs = firstPollMs
  /** When to look whether a process lives that may take a slot. */
  #lookAt = Infinity
  #running: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #unwatch = (): void => {}
  #leave = (): void => {}

  constructor({ store, key, rules, log }: SyncOptions) {
    this.rules = rules
    this.#store = store
    this.#key = key
    this.#log = log
    this.#clock = new SharedClock(log)
  }

  /** Asks for a slot. */
  ask(ask: Ask): Promise<Outcome> {
    return new Promise((settle) => {
      this.#asks.set(ask.surface, { ask, settle })
      this.touch()
    })
  }

  /** Lets all surfaces ask again. */
  change(): void {
    this.#lookAt = Infinity
    for (const surface of [...this.part.surfaces.values()]) surface.retry()
    // A process that no longer waits leaves its place to others.
    if (this.part.hasPlaces) this.touch()
  }

  /** Updates the state soon. */
  touch(): void {
    this.#isDue = true
    if (!this.isUnavailable) this.#running ??= this.#run()
    // Calls that wait ask for the reason again and again, which must not postpone the next attempt.
    else if (this.#timer === undefined) this.#schedule()
  }

  /** Gives up the places, and stops listening. Requests in flight keep their slots until they end. */
  async stop(): Promise<void> {
    this.isClosed = true
    this.#unwatch()
    if (this.part.hasPlaces) this.touch()
    await this.#running
    this.#schedule()
  }

  async #run(): Promise<void> {
    // What happens at the same time goes into one update: a release and the next call.
    await Promise.resolve()
    while (this.#isDue) {
      this.#isDue = false
      const asks = this.#asks
      this.#asks = new Map()
      try {
        await this.#begin()
        await this.#update(asks)
        this.#succeeded()
      } catch (error) {
        this.#failed(error, asks)
        break
      }
    }
    this.#running = undefined
    this.#schedule()
  }

  /** Listens to the others. The clock may have been set, or the state lost, since they have told: it asks them to tell again. */
  async #begin(): Promise<void> {
    if (this.#copy !== undefined && performance.now() - this.#copy.at < keepMs / 2) return
    this.#copy = undefined
    const { store } = this.#store
    const key = await this.#key()
    if (this.#id === '') {
      this.#id = randomId()
      this.#unwatch = store.watch?.(key, (text) => this.#onNotice(text)) ?? this.#unwatch
      this.#leave = (await store.join?.(this.#id)) ?? this.#leave
    }
    if (store.watch === undefined) return
    const notice = encodeNotice({ from: this.#id, state: 'ask' })
    const readAt = performance.now()
    const isSure = await this.#store.update(key, (text, clock) => {
      const state = decode(text)
      const ago = state && clock + state.shift - state.time
      return ago !== undefined && ago >= 0 && ago < unsureMs ? { result: true } : { notice, result: false }
    })
    if (!isSure) await sleep(answerMs + 2 * (performance.now() - readAt))
  }

  async #update(pending: ReadonlyMap<string, PendingAsk>): Promise<void> {
    const startedAt = performance.now()
    const asks = Array.from(pending.values(), ({ ask }) => ask)
    const ended = await this.#findEnded()
    const change: ChangeText<{ changed: Changed; reading: Reading }> = (text, clock, readAt) => {
      const receivedAt = performance.now()
      const bounds = this.#clock.bounds(readAt, receivedAt)
      const report = (now: number): Report => this.part.report(this.#id, now - receivedAt, asks, ended)
      const quietMs = Math.min(maxQuietMs, this.rules.spanMs)
      const seen = { state: this.#copy?.state, bounds }
      const changed = changeState(text, clock, seen, report, this.rules, quietMs, randomId())
      const { epoch, time } = changed.state
      const reading = { epoch, time, clock, readAt, receivedAt }
      return {
        value: changed.text,
        notice: this.#notice(changed),
        keepMs,
        result: { changed, reading },
      }
    }
    const { changed, reading } = await this.#store.update(await this.#key(), change)
    this.#copy = { state: changed.state, at: performance.now() }
    this.#hasToAnswer = false
    this.#clock.observe(reading)
    this.part.confirm()
    for (const [surface, { settle }] of pending) {
      const outcome = changed.outcomes.get(surface)
      // A process that slept for so long may have lost its slot to another.
      const isLate = performance.now() - startedAt >= this.rules.leaseMs
      if (typeof outcome !== 'number') {
        settle(outcome)
      } else if (isLate) {
        this.touch()
        settle(undefined)
      } else {
        this.part.slots.add(outcome)
        settle({ slot: outcome, next: changed.nextRefusals.get(surface) })
      }
    }
  }

  #notice({ called, next, hasBegun }: Changed): string | undefined {
    const closed = this.part.closedSurfaces()
    const state = hasBegun ? 'begun' : this.#hasToAnswer ? 'told' : undefined
    if (called.length + closed.length === 0 && state === undefined) return undefined
    return encodeNotice({ from: this.#id, called, next: called.length > 0 ? next : undefined, closed, state })
  }

  #onNotice(text: string | undefined): void {
    const notice = text === undefined ? undefined : decodeNotice(text)
    // The connection was lost: notices are missing, and the state may be.
    if (text === undefined && (this.part.counts || this.part.isWaiting)) this.change()
    if (text === undefined && this.part.counts) this.touch()
    if (notice === undefined || notice.from === this.#id) return
    const { called = [], next, closed = [], state } = notice
    for (const [surface, ms] of closed) this.part.surfaces.get(surface)?.closedFor(ms)
    const lookAt = this.#lookAt
    const isCalled = called.includes(this.#id)
    if (called.length > 0)
      this.#lookAt = next === this.#id ? performance.now() + turnMs + Math.random() * spreadMs : Infinity
    if (isCalled) this.change()
    else if (this.#lookAt !== lookAt) this.#schedule()
    if (state === 'told') this.#hasToAnswer = false
    if (state !== 'told' && state !== undefined && this.#copy !== undefined) {
      this.#hasToAnswer = true
      setTimeout(() => {
        if (this.#hasToAnswer) this.touch()
      }, Math.random() * spreadMs)
    }
  }

  /** Processes that have ended, if the store can tell. */
  async #findEnded(): Promise<string[]> {
    const { store } = this.#store
    if (!this.#looksForEnded || store.findEnded === undefined) return []
    this.#looksForEnded = false
    const others = Object.keys(this.#copy?.state.processes ?? {}).filter((id) => id !== this.#id)
    return store.findEnded(others)
  }

  #succeeded(): void {
    if (!this.isUnavailable) return
    this.isUnavailable = false
    this.#log('info', 'the shared store is available again', {})
    this.change()
  }

  #failed(error: unknown, asks: ReadonlyMap<string, PendingAsk>): void {
    this.#isDue = true
    if (!this.isUnavailable) {
      this.isUnavailable = true
      this.#failedAt = performance.now()
      this.#log('warn', 'the shared store is unavailable', { reason: reasonOf(error) })
    }
    for (const { settle } of [...asks.values(), ...this.#asks.values()]) settle(undefined)
    this.#asks = new Map()
    this.change()
  }

  /** Sets the timer of the next update that nothing else causes. */
  #schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#running !== undefined) return
    const ms = this.isUnavailable ? this.#retryMs() : this.#renewMs()
    if (ms === Infinity) {
      if (this.isClosed) this.#leave()
      return
    }
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#looksForEnded = true
        if (this.isUnavailable) this.#running ??= this.#run()
        else {
          this.change()
          this.touch()
        }
      },
      Math.min(Math.max(0, ms), maxTimerMs),
    )
  }

  #retryMs(): number {
    const { slots, isWaiting, counts } = this.part
    const unavailableMs = performance.now() - this.#failedAt
    // By then, the others no longer count what this process could tell.
    const isOver = unavailableMs > Math.max(this.rules.leaseMs, this.rules.spanMs)
    const hasReason = !this.isClosed && (isWaiting || (counts && !isOver))
    return hasReason || (slots.size > 0 && !isOver) ? retryMs * (1 + Math.random()) : Infinity
  }

  #renewMs(): number {
    const { slots, surfaces, isWaiting } = this.part
    if (slots.size === 0 && (this.isClosed || !isWaiting)) return Infinity
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
      if (this.#store.store.watch === undefined) ms = Math.min(ms, this.#pollMs * (1 + Math.random()))
    }
    this.#pollMs = Math.min(this.#pollMs * 1.5, lookMs)
    return ms
  }
}
