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
  /** Nobody knows whether the call was charged. */
  doubt(): void
}

/** Sums of fractions are off by less than anybody pays; without rounding they would add up to a credit too much. */
export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6
}

/** Three sums that reservations move credits between. */
export class Account {
  #spent = 0
  #uncertain = 0
  #reserved = 0

  get spent(): number {
    return this.#spent
  }

  get uncertain(): number {
    return this.#uncertain
  }

  get reserved(): number {
    return this.#reserved
  }

  summary(): CreditSummary {
    return { spent: this.#spent, uncertain: this.#uncertain, reserved: this.#reserved }
  }

  reserve(credits: number): Reservation {
    this.#reserved = rounded(this.#reserved + credits)
    let open = true
    const close = (then: () => void): void => {
      if (!open) return
      open = false
      this.#reserved = rounded(this.#reserved - credits)
      then()
    }
    return {
      settle: (cost, uncertain = 0) =>
        close(() => {
          this.#spent = rounded(this.#spent + cost)
          this.#uncertain = rounded(this.#uncertain + uncertain)
        }),
      release: () => close(() => {}),
      doubt: () => close(() => (this.#uncertain = rounded(this.#uncertain + credits))),
    }
  }
}
