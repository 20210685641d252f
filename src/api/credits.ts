/**
 * Credits that the service charges for a success (service description, part 8.1), by the names under which it publishes
 * the rates. Three rates are documented without a name.
 */
export const creditRates = {
  apiTwitterSearchPerRequest: 2,
  apiLinkedInSearchPerRequest: 4,
  apiLinkedInPostCommentsPerComment: 1,
  apiLinkedInPostReactionsPerReaction: 1,
} as const

export type CreditRateName = keyof typeof creditRates

/** Rates that are documented without the name under which they are published, in credits. */
export const unnamedRates = {
  personPosts: 10,
  personComments: 10,
  technewsSearch: 2,
} as const
