import { after, sleep } from '../../lib/time.ts'
import { type ClaimStore, askStore } from './store.ts'

/** For how long a claim holds without renewal, in milliseconds. */
const claimMs = 10_000

/** Milliseconds between two looks at the claim of another process. */
const pollMs = 50

/** Milliseconds for which the outcome of a claim is kept. */
const outcomeMs = 60_000

/** Looks for a claim that keeps vanishing; then the store does not keep its promise. */
const maxTries = 100

const tokenForm = /^[\da-f-]{36}$/

/** The right of one process to send a request. */
export class Claim {
  readonly #store: ClaimStore
  readonly #key: string
  readonly #token = crypto.randomUUID()
  #cancelRenewal = (): void => {}
  #renewal = Promise.resolve()

  constructor(store: ClaimStore, key: string) {
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
      if (await this.#add()) {
        this.#renewLater()
        return 'taken'
      }
      const holder = await this.#holder()
      if (holder === null) continue
      while (isWanted() && (await this.#holder()) === holder) await sleep(pollMs)
      if (!isWanted()) break
      const found = await look()
      if (found !== null) return found
      if ((await askStore(() => this.#store.get(`${this.#key}:${holder}`))) !== 'free') return 'lost'
    }
    return 'no longer wanted'
  }

  /**
   * Ends the claim. A process that finds no stored answer then sends the request itself if it may; if not, its call fails as
   * `lost`.
   */
  async release(mayResend: boolean): Promise<void> {
    this.#cancelRenewal()
    await this.#renewal
    // A renewal that has just ended may have set the timer of the next one.
    this.#cancelRenewal()
    if (mayResend) await askStore(() => this.#store.set(`${this.#key}:${this.#token}`, 'free', outcomeMs))
    if ((await this.#holder()) === this.#token) await askStore(() => this.#store.delete(this.#key))
  }

  async #add(): Promise<boolean> {
    const isAdded: unknown = await askStore(() => this.#store.setIfAbsent(this.#key, this.#token, claimMs))
    if (typeof isAdded === 'boolean') return isAdded
    throw new TypeError('setIfAbsent() of the store returned something else than true or false')
  }

  /** The token of the process that has the claim; null if none has it. */
  async #holder(): Promise<string | null> {
    const holder = await askStore(() => this.#store.get(this.#key))
    if (holder === null || holder === undefined) return null
    if (typeof holder === 'string' && tokenForm.test(holder)) return holder
    throw new TypeError('the store returned something else than a claim')
  }

  #renewLater(): void {
    this.#cancelRenewal = after(claimMs / 4, () => {
      // The next renewal may succeed. If none does, the claim ends.
      this.#renewal = this.#renew().catch(() => this.#renewLater())
    })
  }

  async #renew(): Promise<void> {
    // A process that was stopped for too long has lost its claim, perhaps to another one.
    if ((await this.#holder()) !== this.#token) return
    await askStore(() => this.#store.set(this.#key, this.#token, claimMs))
    this.#renewLater()
  }
}
