/** Credits of a client, an operation or a budget. */
export interface CreditSummary {
  /** Known to be spent. */
  spent: number
  /** Of calls that may have been charged. */
  uncertain: number
  /** Reserved for open calls. */
  reserved: number
}

/** Credits reserved for one request. Only the first call of a method takes effect. */
export interface Reservation {
  /** The request cost `credits`, and perhaps `uncertain` more. */
  settle(credits: number, uncertain?: number): void
  /** The request was not charged. */
  release(): void
  /** The request may have been charged. */
  doubt(): void
}

/** Rounds away floating-point errors, which would add up. */
export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6
}

export function roundedSummary({ spent, uncertain, reserved }: CreditSummary): CreditSummary {
  return { spent: rounded(spent), uncertain: rounded(uncertain), reserved: rounded(reserved) }
}
