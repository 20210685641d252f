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

/** Takes away what sums of fractions are off by, which would add up to a credit too much. */
export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6
}

export function roundedSummary({ spent, uncertain, reserved }: CreditSummary): CreditSummary {
  return { spent: rounded(spent), uncertain: rounded(uncertain), reserved: rounded(reserved) }
}
