/** Credits that the service charges, each for one successful response (service description, part 8.1). */
export const creditRates = {
  microblogSearch: 2,
} as const
