import { decodeNotice } from './notice.ts'
import { OwnPart } from './own-part.ts'
import type { SharedText } from './shared-text.ts'
import { StateExchange } from './state-exchange.ts'
import type { Rules } from './state.ts'
import { type Ask, type Grant, type Refusal, turnMs } from './turns.ts'
import { UpdateLoop } from './update-loop.ts'

/** Longest random delay, so that processes do not all answer or ask at once, in milliseconds. */
const spreadMs = 40

/** Shortest time between two looks at the store, in case a notice was lost or a process has ended, in milliseconds. */
const lookMs = 1000

/** First time between two looks at a store without notices, in milliseconds. It grows to `lookMs` while a call waits. */
const firstPollMs = 25

/** What comes of an ask; undefined if the store is unavailable. */
type Outcome = Grant | Refusal | undefined

interface PendingAsk {
  readonly ask: Ask
  readonly settle: (outcome: Outcome) => void
}

/** Keeps the shared state and this process's part in it in step. */
export class StateSync extends UpdateLoop {
  readonly part = new OwnPart()
  readonly rules: Rules
  isClosed = false
  readonly #text: SharedText
  readonly #exchange: StateExchange
  #asks = new Map<string, PendingAsk>()
  /** The asks of the update that runs. */
  #pending = new Map<string, PendingAsk>()
  #hasToAnswer = false
  #unavailableSince: number | undefined
  #pollMs = firstPollMs
  /** When to look whether a process lives that may take a slot. */
  #lookAt = Infinity

  constructor(text: SharedText, rules: Rules) {
    super(text.log)
    this.rules = rules
    this.#text = text
    this.#exchange = new StateExchange(text, rules, this.part, (notice) => this.#onNotice(notice))
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

  /** Gives up the places, and stops listening. Requests in flight keep their slots until they end. */
  async stop(): Promise<void> {
    this.isClosed = true
    this.#exchange.stop()
    if (this.part.hasPlaces) this.touch()
    await this.settled()
    this.schedule()
  }

  protected async update(): Promise<void> {
    const startedAt = performance.now()
    const pending = this.#asks
    this.#pending = pending
    this.#asks = new Map()
    await this.#exchange.begin()
    const asks = Array.from(pending.values(), ({ ask }) => ask)
    const { outcomes } = await this.#exchange.change(asks, this.#hasToAnswer)
    this.#hasToAnswer = false
    // A process that slept for so long may have lost its slots to others.
    const isLate = performance.now() - startedAt >= this.rules.leaseMs
    for (const [surface, { settle }] of pending) {
      const outcome = outcomes.get(surface)
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

  #onNotice(text: string | undefined): void {
    if (text === undefined) {
      // The connection was lost: notices are missing, and the state may be.
      if (this.part.counts || this.part.isWaiting) this.change()
      if (this.part.counts) this.touch()
      return
    }
    const notice = decodeNotice(text)
    const { id } = this.#text
    if (notice === undefined || notice.from === id) return
    const { called = [], next, closed = [], state } = notice
    for (const [surface, ms] of closed) this.part.surfaces.get(surface)?.closedFor(ms)
    if (called.length > 0) {
      this.#lookAt = next === id ? performance.now() + turnMs + Math.random() * spreadMs : Infinity
      if (called.includes(id)) this.change()
      else this.schedule()
    }
    if (state === 'told') this.#hasToAnswer = false
    else if (state !== undefined && this.#exchange.hasCopy) this.#answerSoon()
  }

  /** Tells the time and what this process knows, unless another process does so first. */
  #answerSoon(): void {
    this.#hasToAnswer = true
    setTimeout(() => {
      if (this.#hasToAnswer) this.touch()
    }, Math.random() * spreadMs)
  }

  protected onAvailability(): void {
    this.#unavailableSince = this.isUnavailable ? (this.#unavailableSince ?? performance.now()) : undefined
    if (this.isUnavailable) {
      for (const { settle } of [...this.#pending.values(), ...this.#asks.values()]) settle(undefined)
      this.#asks = new Map()
    }
    this.change()
  }

  protected override onRenew(): void {
    this.#exchange.looksForEnded = true
    if (!this.isUnavailable) this.change()
  }

  protected get isRetried(): boolean {
    const { slots, isWaiting, counts } = this.part
    const unavailableMs = performance.now() - (this.#unavailableSince ?? Infinity)
    // By then, the others no longer count what this process could tell.
    const isOver = unavailableMs > Math.max(this.rules.leaseMs, this.rules.spanMs)
    const hasReason = !this.isClosed && (isWaiting || (counts && !isOver))
    return hasReason || (slots > 0 && !isOver)
  }

  protected renewMs(): number {
    const { slots, surfaces, isWaiting } = this.part
    if (slots === 0 && this.isClosed) this.#exchange.leave()
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
      if (this.#text.store.watch !== undefined) continue
      ms = Math.min(ms, this.#pollMs * (1 + Math.random()))
      this.#pollMs = Math.min(this.#pollMs * 1.5, lookMs)
    }
    return ms
  }
}
