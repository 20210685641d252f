import { type Budget, CreditBudget, type Reservation } from '../../../src/index.ts'
import { below, chance, never, pick, sleep } from './draw.ts'

/** What budgets and providers of the test throw: calls reject with it. */
export const ownError = new Error('thrown by the test')

/** How a budget answers, and what it has left. */
const answers: Record<
  string,
  (inner: CreditBudget, ...args: Parameters<Budget['reserve']>) => Promise<Reservation>
> = {
  enough: (inner, ...args) => Promise.resolve().then(() => inner.reserve(...args)),
  slow: async (inner, ...args) => {
    await sleep(below(5))
    return inner.reserve(...args)
  },
  throws: () => {
    throw ownError
  },
  rejects: () => Promise.reject(ownError),
  rejectsLater: () => sleep(below(5)).then(() => Promise.reject(ownError)),
  never: () => never(),
}
const kinds = ['plain', ...Object.keys(answers)]

/** A budget that notes what it is asked for. */
export class WatchedBudget implements Budget {
  readonly kind = chance(0.5) ? pick(['plain', 'enough', 'slow']) : pick(kinds)
  readonly inner = new CreditBudget(pick([0, 2, 6, 1000, 1000, 1000]))
  /** Called when it is asked, before it answers. */
  onAsked = (): void => {}
  asked = 0
  /** Resolves when it has answered all that it will answer. */
  answered: Promise<unknown> = Promise.resolve()
  open = 0
  mostOpen = 0

  reserve(credits: number, operation: string): Reservation | Promise<Reservation> {
    this.asked++
    this.onAsked()
    const answer = answers[this.kind]
    if (answer === undefined) return this.#watched(this.inner.reserve(credits, operation))
    const watched = answer(this.inner, credits, operation).then((reservation) => this.#watched(reservation))
    const settled = watched.catch(() => {})
    if (this.kind !== 'never') this.answered = this.answered.then(() => settled)
    return watched
  }

  /** What is wrong with it when all calls have ended. */
  problems(calls: number): string[] {
    const { inner, kind, open, mostOpen } = this
    const used = inner.spent + inner.uncertain + inner.reserved
    return [
      ...(open > 0 || inner.reserved > 0 ? [`${kind}: ${open} reservations are open at the end`] : []),
      ...(mostOpen > calls ? [`${kind}: ${mostOpen} reservations at once for ${calls} calls`] : []),
      ...(used > inner.limit ? [`${kind}: used ${used} of ${inner.limit}`] : []),
    ]
  }

  #watched(reservation: Reservation): Reservation {
    this.mostOpen = Math.max(this.mostOpen, ++this.open)
    let isOpen = true
    const end = (settle: () => void): void => {
      if (isOpen) this.open--
      isOpen = false
      settle()
    }
    return {
      settle: (credits, uncertain) => end(() => reservation.settle(credits, uncertain)),
      release: () => end(() => reservation.release()),
      markUncertain: () => end(() => reservation.markUncertain()),
    }
  }
}
