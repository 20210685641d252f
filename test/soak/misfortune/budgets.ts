import { type Budget, CreditBudgetError, type Reservation } from '../../../src/index.ts'
import type { Random } from '../../../src/sandbox/random.ts'
import { drawThrown } from './hooks.ts'
import type { Interference } from './interference.ts'

/** An error of the caller's own code, which may come back as it is. */
export class CallersError extends Error {}

const kinds = [
  'sync',
  'async',
  'slow',
  'throws',
  'rejects',
  'hangs',
  'settling throws',
  'settling rejects',
] as const

/** A caller's own budget, which may fail in every way. */
export class CallersBudget implements Budget {
  readonly kind: (typeof kinds)[number]
  readonly limit: number
  spent = 0
  uncertain = 0
  reserved = 0
  readonly #random: Random
  readonly #interference: Interference

  constructor(random: Random, interference: Interference) {
    this.#interference = interference
    this.#random = random
    this.kind = random.pick(kinds)
    this.limit = random.pick([10, 200, 1000, 5000])
  }

  reserve(credits: number, operation: string): Reservation | Promise<Reservation> {
    this.#interference.visit('reserve')
    switch (this.kind) {
      case 'throws':
        if (this.#random.chance(0.4)) throw new CallersError('the budget threw')
        return this.#take(credits, operation)
      case 'rejects':
        if (this.#random.chance(0.4)) return Promise.reject(new CallersError('the budget rejected'))
        return this.#take(credits, operation)
      case 'async':
        return Promise.resolve().then(() => this.#take(credits, operation))
      case 'slow':
        return new Promise<void>((resolve) => setTimeout(resolve, this.#random.integer(1, 3000))).then(() =>
          this.#take(credits, operation),
        )
      case 'hangs':
        return this.#random.chance(0.2) ? new Promise(() => {}) : this.#take(credits, operation)
      default:
        return this.#take(credits, operation)
    }
  }

  get remaining(): number {
    return this.limit - this.spent - this.uncertain - this.reserved
  }

  #take(credits: number, operation: string): Reservation {
    if (credits > this.remaining)
      throw new CreditBudgetError({ needed: credits, remaining: this.remaining }, { operation })
    this.reserved += credits
    let isOpen = true
    const end = (spent: number, uncertain: number): void => {
      if (!isOpen) return
      isOpen = false
      this.#interference.visit('settle')
      this.reserved -= credits
      this.spent += spent
      this.uncertain += uncertain
      if (this.kind === 'settling throws') throw drawThrown(this.#random)
      // A method may be async, against its type.
      if (this.kind === 'settling rejects') return Promise.reject(drawThrown(this.#random)) as never
    }
    return {
      settle: (spent, uncertain = 0) => end(spent, uncertain),
      release: () => end(0, 0),
      markUncertain: () => end(0, credits),
    }
  }
}
