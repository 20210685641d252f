import { type SearchEstimate } from '../extensions/watch/index.ts'
import { type Checking, creditsWithoutBudget, meanDelay } from '../extensions/watch/estimate.ts'
import { timeText } from '../lib/count.ts'

/** The estimates of queries, and how a watch would check them. */
export interface Estimated {
  readonly estimates: Readonly<Record<string, SearchEstimate>>
  readonly checking: Checking
}

/** Budgets to choose from. */
const budgets = [1, 10, 100, 1000, 10_000, 100_000].flatMap((ten) => [5 * ten, 10 * ten, 20 * ten])

/** The estimates in words, and what budgets buy. */
export function estimateText({ estimates, checking }: Estimated): string {
  const named = Object.entries(estimates)
  const posts = named.map(([query, each]) => `${named.length > 1 ? `${query}: ` : ''}${postsText(each)}\n`)
  const all = Object.values(estimates)
  const isKnown = all.every(({ low }) => low !== null)
  return [...posts, ...(isKnown ? budgetLines(all, checking) : [])].join('')
}

function postsText({ postsPerDay, low, high }: SearchEstimate): string {
  if (low === null || high === null)
    return `${rounded(postsPerDay / 24)} posts an hour now. One page does not tell how many a day.`
  const range = `${rounded(low)} to ${rounded(high)}; bursts can be more`
  return postsPerDay === 0 ? 'No posts found.' : `About ${rounded(postsPerDay)} posts a day (${range}).`
}

function budgetLines(all: readonly SearchEstimate[], checking: Checking): string[] {
  const credits = all.reduce((sum, { creditsPerDay }) => sum + creditsPerDay, 0)
  const tooLittle = budgets.findLast((budget) => budget <= credits)
  const more = budgets.filter((budget) => budget > credits)
  // A higher budget than that of the least delay buys nothing.
  const enough = more.findIndex((budget) => meanDelay(all, budget, checking) <= checking.freshness / 2)
  const useful = more.slice(0, enough === -1 ? 3 : Math.min(3, enough + 1))
  const lines = useful.map((budget) => {
    const minutes = Math.max(1, Math.round(meanDelay(all, budget, checking) / 60_000))
    return `  ${rounded(budget)} credits a day: new posts after ${timeText(60_000 * minutes)} on average\n`
  })
  if (tooLittle === undefined) return lines
  const few = `  ${rounded(tooLittle)} credits a day: too little, the posts alone cost ${rounded(credits)}\n`
  return [few, ...lines]
}

/** What a watch without a budget costs, in words. */
export function watchCostText(estimated: Estimated): string {
  const credits = rounded(creditsWithoutBudget(Object.values(estimated.estimates), estimated.checking))
  return `${estimateText(estimated)}watch costs about ${credits} credits a day`
}

/** Two digits are as much as an estimate knows. */
function rounded(amount: number): string {
  const digits = amount < 10 ? Math.round(amount * 10) / 10 : Number(amount.toPrecision(2))
  return digits.toLocaleString('en')
}
