import type { Log } from '../lib/logger.ts'
import { maxTimerMs } from '../lib/time.ts'
import { decodeNotice } from './notice.ts'
import { OwnPart } from './own-part.ts'
import { type SharingOptions, StateExchange } from './state-exchange.ts'
import { reasonOf } from './store.ts'
import { type Ask, type Refusal, type Rules, turnMs } from './update.ts'

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

/** Keeps the shared state and this process's part in it in step: one update at a time, with all that has happened by then. */
export class StateSync {
  readonly part = new OwnPart()
  readonly rules: Rules
  isUnavailable = false
  isClosed = false
  readonly #log: Log
  readonly #exchange: StateExchange
  #asks = new Map<string, PendingAsk>()
  #isDue = false
  #hasToAnswer = false
  #failedAt = 0
  #pollMs = firstPollMs
  /** When to look whether a process lives that may take a slot. */
  #lookAt = Infinity
  #running: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: SharingOptions) {
    this.rules = options.rules
    this.#log = options.log
    this.#exchange = new StateExchange(options, this.part, (text) => this.#onNotice(text))
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
    this.#exchange.stop()
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

  async #update(pending: ReadonlyMap<string, PendingAsk>): Promise<void> {
    const startedAt = performance.now()
    await this.#exchange.begin()
    const asks = Array.from(pending.values(), ({ ask }) => ask)
    const changed = await this.#exchange.change(asks, this.#hasToAnswer)
    this.#hasToAnswer = false
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

  #onNotice(text: string | undefined): void {
    const { id } = this.#exchange
    const notice = text === undefined ? undefined : decodeNotice(text)
    // The connection was lost: notices are missing, and the state may be.
    if (text === undefined && (this.part.counts || this.part.isWaiting)) this.change()
    if (text === undefined && this.part.counts) this.touch()
    if (notice === undefined || notice.from === id) return
    const { called = [], next, closed = [], state } = notice
    for (const [surface, ms] of closed) this.part.surfaces.get(surface)?.closedFor(ms)
    const lookAt = this.#lookAt
    const isCalled = called.includes(id)
    if (called.length > 0)
      this.#lookAt = next === id ? performance.now() + turnMs + Math.random() * spreadMs : Infinity
    if (isCalled) this.change()
    else if (this.#lookAt !== lookAt) this.#schedule()
    if (state === 'told') this.#hasToAnswer = false
    if (state !== 'told' && state !== undefined && this.#exchange.hasCopy) {
      this.#hasToAnswer = true
      setTimeout(() => {
        if (this.#hasToAnswer) this.touch()
      }, Math.random() * spreadMs)
    }
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
      if (this.isClosed) this.#exchange.leave()
      return
    }
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#exchange.looksForEnded = true
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
      if (!this.#exchange.hasNotices) ms = Math.min(ms, this.#pollMs * (1 + Math.random()))
    }
    this.#pollMs = Math.min(this.#pollMs * 1.5, lookMs)
    return ms
  }
}
