import type { Log } from '../core/lib/logger.ts'
import { reasonOf } from './link.ts'

/** Bounds of the time between two attempts to say the same, in milliseconds. */
const firstRetryMs = 250
const lastRetryMs = 5000

/** Says one thing after the other, each for as long as it takes until it is understood. */
export class Outbox<Item> {
  readonly #say: (item: Item) => Promise<unknown>
  readonly #log: Log
  readonly #items: Item[] = []
  readonly #idle: (() => void)[] = []
  #saying = false
  #stopped = false
  #cutShort: () => void = () => {}

  constructor(say: (item: Item) => Promise<unknown>, log: Log) {
    this.#say = say
    this.#log = log
  }

  get length(): number {
    return this.#items.length
  }

  add(item: Item): void {
    if (this.#stopped) return
    this.#items.push(item)
    if (!this.#saying) void this.#sayAll()
  }

  /** Resolves when there is nothing left to say. */
  flush(): Promise<void> {
    if (!this.#saying) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Gives up what is left. */
  stop(): void {
    this.#stopped = true
    this.#cutShort()
  }

  async #sayAll(): Promise<void> {
    this.#saying = true
    let retryMs = firstRetryMs
    for (let item = this.#items[0]; item !== undefined && !this.#stopped; item = this.#items[0]) {
      try {
        await this.#say(item)
        this.#items.shift()
        if (retryMs > firstRetryMs) this.#log('info', 'redis is available again', {})
        retryMs = firstRetryMs
      } catch (error) {
        if (retryMs === firstRetryMs) {
          this.#log('warn', 'redis is unavailable', { reason: reasonOf(error) })
        }
        await this.#pause(retryMs)
        retryMs = Math.min(retryMs * 2, lastRetryMs)
      }
    }
    this.#saying = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#cutShort = resolve
    await promise
    clearTimeout(timer)
  }
}
