import { type Budget, CreditBudget, CreditBudgetError, type Reservation } from '../../../src/index.ts'
import { type Random, createRandom } from '../../../src/extensions/sandbox/random.ts'
import type { Interference } from './interference.ts'
import { crashes, failures, late } from './own-code.ts'

export type AnyBudget = CreditBudget | CallersBudget

/** How it reserves, and how it settles. */
const ways = ['reserves', 'reserves late', 'waits', 'throws', 'rejects', 'hangs']
const endings = ['settles', 'settles', 'settles', 'throws', 'rejects']

export function drawBudgets(random: Random, seed: string, interference: Interference): AnyBudget[] {
  return Array.from({ length: random.integer(0, 4) }, (_, index) =>
    random.chance(0.6)
      ? new CreditBudget(random.pick([0, 3, 9, 50, 200, 500, 1000, 5000]))
      : new CallersBudget(createRandom(`${seed}/budget ${index}`), interference),
  )
}

/** A caller's own budget, which may fail in every way. */
export class CallersBudget implements Budget {
  readonly #way: string
  readonly #ending: string
  readonly limit: number
  spent = 0
  uncertain = 0
  reserved = 0
  readonly #random: Random
  readonly #interference: Interference

  constructor(random: Random, interference: Interference) {
    this.#interference = interference
    this.#random = random
    this.#way = random.pick(ways)
    this.#ending = random.pick(endings)
    this.limit = random.pick([10, 200, 1000, 5000])
  }

  reserve(credits: number, operation: string): Reservation | Promise<Reservation> {
    this.#interference.visit('reserve')
    const take = (): Reservation => this.#take(credits, operation)
    const fail = failures[this.#way]
    if (fail !== undefined && this.#random.chance(0.3)) return fail('budget')
    if (this.#way === 'reserves late') return Promise.resolve().then(take)
    return this.#way === 'waits' ? late(take, this.#random, 1, 3000) : take()
  }

  get kind(): string {
    return `${this.#way}, ${this.#ending}`
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
      return crashes[this.#ending]?.(this.#random)
    }
    return {
      settle: (spent, uncertain = 0) => end(spent, uncertain),
      release: () => end(0, 0),
      markUncertain: () => end(0, credits),
    }
  }
}
