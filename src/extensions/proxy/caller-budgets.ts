import { CreditBudget } from '../../index.ts'

/** One budget per caller, all of the same size. */
export class CallerBudgets {
  readonly #credits: number
  readonly #max: number
  readonly #callers = new Map<string, { readonly budget: CreditBudget; calls: number }>()

  constructor(credits: number, max: number) {
    this.#credits = credits
    this.#max = max
  }

  /**
   * Returns a caller's budget for one call, and a function to call after it; null if there are too many callers. Callers
   * that have spent credits are kept: dropping one would give it all its credits again.
   */
  take(id: string): { budget: CreditBudget; release: () => void } | null {
    if (!this.#callers.has(id) && this.#callers.size >= this.#max) this.#forgetUnspent()
    if (!this.#callers.has(id) && this.#callers.size >= this.#max) return null
    const caller = this.#callers.get(id) ?? { budget: new CreditBudget(this.#credits), calls: 0 }
    this.#callers.set(id, caller)
    caller.calls += 1
    return { budget: caller.budget, release: () => void (caller.calls -= 1) }
  }

  #forgetUnspent(): void {
    for (const [id, { budget, calls }] of this.#callers) {
      if (calls === 0 && budget.spent + budget.uncertain === 0) this.#callers.delete(id)
    }
  }
}
