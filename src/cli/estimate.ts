import { existsSync } from 'node:fs'
import { microblogSearch } from '../api/endpoints/microblog.ts'
import { type Wrapping, wrap } from '../extend.ts'
import { type Checking, creditsWithoutBudget, meanDelay } from '../extensions/watch/estimate.ts'
import { type SearchEstimate, type WatchParams, estimateSearch } from '../extensions/watch/index.ts'
import { settingsOf } from '../extensions/watch/options.ts'
import type { Microblog, Observer } from '../index.ts'
import { count, timeText } from '../lib/count.ts'
import { budgetOf, clientFor } from './client.ts'
import { storedProgress, whenFree } from './database/open-database.ts'
import { RecordDatabase } from './database/record-database.ts'
import { millisecondsOf } from './flags.ts'
import { type Machine, openMachine } from './machine.ts'
import { sendNoted } from './note-costs.ts'
import { print, tell } from './terminal.ts'
import {
  type SearchFlags,
  type SearchOperation,
  type Searches,
  jobOf,
  operationOf,
  searchesOf,
  statesOf,
} from './watch-search.ts'

/** The estimates of queries, and how a watch would check them. */
interface Estimated {
  readonly estimates: Readonly<Record<string, SearchEstimate>>
  readonly checking: Checking
}

/** Prints how many posts searches have each day, and what budgets buy. Free with the states of a watch of half a day. */
export async function estimate(words: readonly string[], flags: SearchFlags): Promise<void> {
  const operation = operationOf(flags)
  const searches = searchesOf(operation, flags, words)
  const machine = await openMachine(flags, 'estimate')
  try {
    await print(estimateText(await estimateAll(operation, searches, flags, machine)))
  } finally {
    await machine.close()
  }
}

/** What a watch without a budget costs, in words. */
export async function watchCost(
  ...args: [operation: SearchOperation, searches: Searches, flags: SearchFlags, machine: Machine]
): Promise<string> {
  const estimated = await estimateAll(...args)
  const credits = rounded(creditsWithoutBudget(Object.values(estimated.estimates), estimated.checking))
  return `${estimateText(estimated)}watch costs about ${credits} credits a day`
}

async function estimateAll(
  operation: SearchOperation,
  searches: Searches,
  flags: SearchFlags,
  { options, budgets }: Machine,
): Promise<Estimated> {
  const settings = settingsOf({ freshness: millisecondsOf('--freshness', flags.freshness) })
  const { out } = flags
  const jobs = Object.values(searches).map((params) => jobOf(operation, params))
  const states = statesOf(searches, out === undefined ? [] : storedProgress(out, jobs))
  // Without jobs, it takes no lock: the watch may run meanwhile.
  const database =
    out === undefined || !existsSync(out)
      ? undefined
      : await RecordDatabase.open(out, { operation, jobs: [] })
  let job: object = {}
  const note = (): void => void database?.store({ job, credits: client.credits })
  const observer: Observer & Wrapping = {
    [wrap]: () => (send) => (call) =>
      database === undefined ? send(call) : sendNoted(send, call, { path: out ?? '', database, note }),
  }
  const client = clientFor(flags, { ...options, observers: [observer] }, budgets)
  // The overloads differ in the types of a network only.
  const { microblog, professionalnet } = client
  const source = (operation === microblogSearch ? microblog : professionalnet.posts) as Microblog
  const budget = budgetOf(flags)
  const estimates: Record<string, SearchEstimate> = {}
  try {
    for (const [query, params] of Object.entries(searches)) {
      job = jobOf(operation, params)
      const state = states[query]
      estimates[query] = await estimateSearch(source, params as WatchParams, { state, budget })
      await whenFree(out ?? '', note)
    }
    return { estimates, checking: { ...settings, price: operation.price.credits } }
  } finally {
    const { spent, uncertain } = client.credits
    tell(`This estimate cost ${count(spent + uncertain, 'credit')}`)
    await client.close()
    database?.close()
  }
}

/** Budgets to choose from. */
const choices = [1, 10, 100, 1000, 10_000, 100_000].flatMap((ten) => [5 * ten, 10 * ten, 20 * ten])

/** The estimates in words, and what budgets buy. */
function estimateText({ estimates, checking }: Estimated): string {
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
  const tooLittle = choices.findLast((budget) => budget <= credits)
  const more = choices.filter((budget) => budget > credits)
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

/** Two digits are as much as an estimate knows. */
function rounded(amount: number): string {
  const digits = amount < 10 ? Math.round(amount * 10) / 10 : Number(amount.toPrecision(2))
  return digits.toLocaleString('en')
}
