import type { Operation } from '../../contract/operation.ts'
import { type Failure, type RetryPolicy, type Stake, nextWait, stakeOf } from './policy.ts'

/** The failed attempts of one call, and what follows from them. */
export class RetryState {
  /** Whether the credential has been renewed for this call. */
  isRenewed = false
  /** Milliseconds until the next attempt, or null for none. */
  wait: number | null = null
  readonly #policy: RetryPolicy
  readonly #stake: Stake
  readonly #failures: Failure[] = []

  constructor(policy: RetryPolicy, operation: Pick<Operation, 'method' | 'price'>) {
    this.#policy = policy
    this.#stake = stakeOf(operation)
  }

  /** Takes note of a failed attempt. */
  add(failure: Failure): void {
    this.#failures.push(failure)
    this.wait = nextWait(this.#failures, this.#stake, this.#policy, Math.random)
  }

  /** Forgets the latest failure: a refused token says nothing about how the call fares with a new one. */
  renew(): void {
    this.isRenewed = true
    this.#failures.pop()
  }
}
