import type { Log } from '../lib/logger.ts'
import { after } from '../lib/time.ts'
import { reasonOf } from './script-runner.ts'

/** Shortest and longest time between two attempts to send an item, in milliseconds. */
const firstRetryMs = 250
const lastRetryMs = 5000

/** Sends items one after the other, and retries each until it succeeds. */
export class Outbox<Item> {
  readonly #send: (item: Item) => Promise<unknown>
  readonly #log: Log
  #length = 0
  #isBehind = false
  #isStopped = false
  #endPause: () => void = () => {}
  #allSent = Promise.resolve()

  constructor(send: (item: Item) => Promise<unknown>, log: Log) {
    this.#send = send
    this.#log = log
  }

  /** Items that have not been sent. */
  get length(): number {
    return this.#length
  }

  /** Whether sending has failed since the last time that every item had been sent. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  add(item: Item): void {
    if (this.#isStopped) return
    this.#length++
    this.#allSent = this.#allSent.then(() => this.#sendUntilAccepted(item))
  }

  /** Resolves when every item has been sent, or the outbox has stopped. */
  async flush(): Promise<void> {
    while (this.#length > 0 && !this.#isStopped) await this.#allSent
  }

  /** Drops the items that are left. */
  stop(): void {
    this.#isStopped = true
    this.#endPause()
  }

  async #sendUntilAccepted(item: Item): Promise<void> {
    for (let retryMs = firstRetryMs; !this.#isStopped; retryMs = Math.min(retryMs * 2, lastRetryMs)) {
      try {
        await this.#send(item)
        if (retryMs > firstRetryMs) this.#log('info', 'redis is available again', {})
        this.#length--
        this.#isBehind &&= this.#length > 0
        return
      } catch (error) {
        this.#isBehind = true
        if (retryMs === firstRetryMs) this.#log('warn', 'redis is unavailable', { reason: reasonOf(error) })
        await this.#pause(retryMs)
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return
    let cancel = (): void => {}
    await new Promise<void>((resolve) => {
      this.#endPause = resolve
      cancel = after(ms, resolve)
    })
    cancel()
  }
}
