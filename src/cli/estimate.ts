import { microblogSearch } from '../api/endpoints/microblog.ts'
import type { CallCredits } from '../extend.ts'
import type { Microblog, Observer } from '../index.ts'
import { type SearchEstimate, type WatchParams, estimateSearch } from '../extensions/watch/index.ts'
import { settingsOf } from '../extensions/watch/options.ts'
import { count } from '../lib/count.ts'
import { type Estimated, estimateText } from './estimate-text.ts'
import { millisecondsOf } from './flags.ts'
import { type Machine, openMachine } from './machine.ts'
import { budgetOf, clientFor } from './options.ts'
import { storedProgress } from './database/jobs.ts'
import { noteSpent } from './database/note-spent.ts'
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

export async function estimateAll(
  operation: SearchOperation,
  searches: Searches,
  flags: SearchFlags,
  { options, budgets }: Machine,
): Promise<Estimated> {
  const settings = settingsOf({ freshness: millisecondsOf('--freshness', flags.freshness) })
  const { out } = flags
  const jobs = Object.values(searches).map((params) => jobOf(operation, params))
  const states = statesOf(searches, out === undefined ? [] : await storedProgress(out, jobs))
  const client = clientFor(flags, options, budgets)
  // The overloads differ in the types of a network only.
  const isMicroblog = operation === microblogSearch
  const source = (isMicroblog ? client.microblog : client.professionalnet.posts) as Microblog
  const budget = budgetOf(flags)
  const estimates: Record<string, SearchEstimate> = {}
  const costs = new Map<object, CallCredits>()
  let job: object = {}
  const observer: Observer = {
    onCall: ({ credits: { spent, uncertain } }) => {
      const before = costs.get(job) ?? { spent: 0, uncertain: 0 }
      costs.set(job, { spent: before.spent + spent, uncertain: before.uncertain + uncertain })
    },
  }
  try {
    for (const [query, params] of Object.entries(searches)) {
      const state = states[query]
      job = jobOf(operation, params)
      estimates[query] = await estimateSearch(source, params as WatchParams, {
        state,
        budget,
        observers: [observer],
      })
    }
    return { estimates, checking: { ...settings, price: operation.price.credits } }
  } finally {
    const { spent, uncertain } = client.credits
    tell(`This estimate cost ${count(spent + uncertain, 'credit')}`)
    await client.close()
    if (out !== undefined) await noteSpent(out, operation, costs)
  }
}
