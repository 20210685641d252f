import type { Budget } from '../../index.ts'
import type { ClientTransport } from '../../extend.ts'

/** Notes whose budget a call asks: first those of the client, which all users share, then that of the user. */
export class BudgetOwner {
  /** Whose budget was asked last. */
  asked: 'all' | 'user' = 'all'

  /** A transport whose calls must fit into the user's budget, too. */
  limited(transport: ClientTransport, budget: Budget | undefined): ClientTransport {
    if (budget === undefined) return transport
    const budgets = [this.#note('user'), budget, this.#note('all')]
    return budgets.reduce((limited, budget) => limited.withOptions({ budget }), transport)
  }

  #note(owner: 'all' | 'user'): Budget {
    const renew = (): void => {
      this.asked = owner
    }
    return {
      reserve() {
        renew()
        return { renew, settle() {} }
      },
    }
  }
}
