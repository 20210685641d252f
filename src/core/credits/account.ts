/** Credits, by what is known of them. */
export interface CreditSummary {
  /** Known to be spent. */
  spent: number
  /** Of calls that may or may not have been charged. */
  uncertain: number
  /** Set aside for calls under way. */
  reserved: number
}

/** Credits set aside for one send. Exactly one of its methods takes effect; further calls change nothing. */
export interface Reservation {
  /** The call cost this much, and perhaps so much more. */
  settle(credits: number, uncertain?: number): void
  /** The call was not charged. */
  release(): void
  /** The call may have been charged. */
  doubt(): void
}

/** Sums of fractions are off by less than a credit's smallest part; without rounding they would add up to a credit too much. */
export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6
}

/** Three sums that reservations move credits between. */
export class Account implements CreditSummary {
  spent = 0
  uncertain = 0
  reserved = 0

  summary(): CreditSummary {
    return { spent: this.spent, uncertain: this.uncertain, reserved: this.reserved }
  }

  reserve(credits: number): Reservation {
    return new AccountReservation(this, credits)
  }
}

class AccountReservation implements Reservation {
  readonly #account: Account
  readonly #credits: number
  #isOpen = true

  constructor(account: Account, credits: number) {
    this.#account = account
    this.#credits = credits
    account.reserved = rounded(account.reserved + credits)
  }

  settle(credits: number, uncertain = 0): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const account = this.#account
    account.reserved = rounded(account.reserved - this.#credits)
    account.spent = rounded(account.spent + credits)
    account.uncertain = rounded(account.uncertain + uncertain)
  }

  release(): void {
    this.settle(0)
  }

  doubt(): void {
    this.settle(0, this.#credits)
  }
}
