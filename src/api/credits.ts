/**
 * Credits that the service charges for a success (service description, part 8.1), by the names under which it publishes
 * the rates. Rates that are documented without a name stand with their operations.
 */
export const creditRates = {
  apiTwitterSearchPerRequest: 2,
  apiLinkedInSearchPerRequest: 4,
  apiLinkedInPostCommentsPerComment: 1,
  apiLinkedInPostReactionsPerReaction: 1,
} as const

export type CreditRateName = keyof typeof creditRates

/** The credits of a price, by the name of their rate. */
export function atRate<Rate extends CreditRateName>(rate: Rate) {
  return { credits: creditRates[rate], rate } as const
}
