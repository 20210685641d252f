import type { Log } from '../lib/logger.ts'
import { reasonOf } from './script-runner.ts'

/** Shortest and longest time between two attempts to send an item, in milliseconds. */
const firstRetryMs = 250
const lastRetryMs = 5000

/** Sends items one after the other, and retries each until it succeeds. */
export class Outbox<Item> {
  readonly #send: (item: Item) => Promise<unknown>
  readonly #log: Log
  readonly #items: Item[] = []
  readonly #idle: (() => void)[] = []
  #isSending = false
  #isBehind = false
  #stopped = false
  #endPause: () => void = () => {}

  constructor(send: (item: Item) => Promise<unknown>, log: Log) {
    this.#send = send
    this.#log = log
  }

  get length(): number {
    return this.#items.length
  }

  /** Whether sending has failed since the last time that every item had been sent. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  add(item: Item): void {
    if (this.#stopped) return
    this.#items.push(item)
    if (!this.#isSending) void this.#sendAll()
  }

  /** Resolves when every item has been sent. */
  flush(): Promise<void> {
    if (!this.#isSending) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Drops the items that are left. */
  stop(): void {
    this.#stopped = true
    this.#endPause()
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    let retryMs = firstRetryMs
    for (let item = this.#items[0]; item !== undefined && !this.#stopped; item = this.#items[0]) {
      try {
        await this.#send(item)
        this.#items.shift()
        if (retryMs > firstRetryMs) this.#log('info', 'redis is available again', {})
        retryMs = firstRetryMs
      } catch (error) {
        this.#isBehind = true
        if (retryMs === firstRetryMs) {
          this.#log('warn', 'redis is unavailable', { reason: reasonOf(error) })
        }
        await this.#pause(retryMs)
        retryMs = Math.min(retryMs * 2, lastRetryMs)
      }
    }
    this.#isSending = this.#isBehind = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stopped) return
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
      this.#endPause = resolve
    })
    clearTimeout(timer)
  }
}
