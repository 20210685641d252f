import type { DatabaseSync } from 'node:sqlite'
import { type Budget, CreditBudgetError, type Reservation } from 'social-search-sdk'

/**
 * A limit on the credits of a day (UTC), kept in the archive. The credits of a request count as uncertain from before it is
 * sent until its response is read. If the process is killed in between, they stay uncertain: the service may have charged them.
 */
export class DailyBudget implements Budget {
  readonly #db: DatabaseSync
  readonly #limit: number

  constructor(db: DatabaseSync, limit: number) {
    this.#db = db
    this.#limit = limit
  }

  /** Credits of today. The service has charged at least `spent` and at most `spent + uncertain`. */
  today(): { spent: number; uncertain: number } {
    const sums = 'coalesce(sum(spent), 0) AS spent, coalesce(sum(uncertain), 0) AS uncertain'
    const row = this.#db.prepare(`SELECT ${sums} FROM spending WHERE day = ?`).get(day())
    return row as { spent: number; uncertain: number }
  }

  reserve(credits: number, operation: string): Reservation {
    const { spent, uncertain } = this.today()
    const remaining = Math.max(0, this.#limit - spent - uncertain)
    if (credits > remaining) throw new CreditBudgetError({ needed: credits, remaining }, { operation })
    const add = this.#db.prepare('INSERT INTO spending (day, spent, uncertain) VALUES (?, 0, ?)')
    const id = add.run(day(), credits).lastInsertRowid
    return {
      settle: (spent, uncertain = 0) => {
        this.#db
          .prepare('UPDATE spending SET spent = ?, uncertain = ? WHERE id = ?')
          .run(spent, uncertain, id)
      },
    }
  }
}

function day(): string {
  return new Date().toISOString().slice(0, 10)
}
