import { sleep } from '../lib/time.ts'
import { type SharedStore, askStore } from './store.ts'

/** For how long a claim holds without renewal, in milliseconds. */
const claimMs = 10_000

/** Milliseconds between two looks at the claim of another process. */
const pollMs = 50

/** Milliseconds for which the outcome of a claim is kept. */
const outcomeMs = 60_000

/** Looks for a claim that keeps vanishing; then the store does not keep its promise. */
const maxTries = 100

/** The right of one process to send a request. */
export class Claim {
  readonly #store: SharedStore
  readonly #key: string
  readonly #token = crypto.randomUUID()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(store: SharedStore, key: string) {
    this.#store = store
    this.#key = `${key}:claim`
  }

  /**
   * Claims a request, or waits for the process that has claimed it. Returns what `look` finds if that process has answered;
   * `lost` if it ended without an answer, and may have been charged.
   */
  async take<T>(
    isWanted: () => boolean,
    look: () => Promise<T | null>,
  ): Promise<T | 'taken' | 'lost' | 'no longer wanted'> {
    for (let tries = 0; tries < maxTries && isWanted(); tries++) {
      if (await askStore(() => this.#store.setIfAbsent(this.#key, this.#token, claimMs))) {
        this.#timer = setInterval(() => void this.#renew().catch(() => {}), claimMs / 4)
        return 'taken'
      }
      const holder = await askStore(() => this.#store.get(this.#key))
      if (typeof holder !== 'string') continue
      while (isWanted() && (await askStore(() => this.#store.get(this.#key))) === holder) await sleep(pollMs)
      if (!isWanted()) break
      const found = await look()
      if (found !== null) return found
      if ((await askStore(() => this.#store.get(`${this.#key}:${holder}`))) !== 'free') return 'lost'
    }
    return 'no longer wanted'
  }

  /** Ends the claim. Other processes may send the request if it is `free`: it was certainly not charged. */
  async release(isFree: boolean): Promise<void> {
    clearInterval(this.#timer)
    if (isFree) await askStore(() => this.#store.set(`${this.#key}:${this.#token}`, 'free', outcomeMs))
    await askStore(() => this.#store.delete(this.#key))
  }

  #renew(): Promise<unknown> {
    return askStore(() => this.#store.set(this.#key, this.#token, claimMs))
  }
}
