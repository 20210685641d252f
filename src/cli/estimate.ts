import { microblogSearch } from '../api/microblog.ts'
import type { SocialSearch } from '../index.ts'
import {
  type EstimateOptions,
  type ProfessionalnetWatchParams,
  type SearchEstimate,
  type WatchParams,
  estimateSearch,
} from '../extensions/watch/index.ts'
import type { Looking } from '../extensions/watch/estimate.ts'
import { settingsOf } from '../extensions/watch/options.ts'
import { count } from '../lib/count.ts'
import { estimateText, watchCostText } from './estimate-text.ts'
import { millisecondsOf, paramsOf } from './flags.ts'
import { type Machine, openMachine } from './machine.ts'
import { budgetOf, clientFor } from './options.ts'
import { print, tell } from './terminal.ts'
import { type SearchFlags, type SearchOperation, operationOf } from './watch-search.ts'
import { type Searches, openSink } from './watch-sink.ts'

/** Prints how many posts a search has each day, and what budgets buy. Free with the state of a watch. */
export async function estimate(query: string, flags: SearchFlags): Promise<void> {
  const operation = operationOf(flags)
  const { params } = await paramsOf(operation, flags, query)
  const searches = { [query]: params }
  const machine = await openMachine(flags, 'estimate')
  try {
    const result = await estimateOf(operation, searches, flags, machine)
    const isText = process.stdout.isTTY
    await print(isText ? estimateText(result, lookingOf(operation, flags)) : `${JSON.stringify(result)}\n`)
  } finally {
    await machine.close()
  }
}

/** What a watch of one search without a budget costs, in words: for the question whether to start it. */
export async function costOfWatch(
  operation: SearchOperation,
  searches: Searches,
  flags: SearchFlags,
  machine: Machine,
): Promise<string> {
  return watchCostText(await estimateOf(operation, searches, flags, machine), lookingOf(operation, flags))
}

async function estimateOf(
  operation: SearchOperation,
  searches: Searches,
  flags: SearchFlags,
  { options, budgets }: Machine,
): Promise<SearchEstimate> {
  const [[query, params] = ['', {}]] = Object.entries(searches)
  const sink = await openSink(flags, operation, searches)
  sink?.close()
  // The posts of a sandbox began to come a week ago.
  const client = clientFor(flags, options, budgets, new Date(Date.now() - 7 * 86_400_000))
  try {
    return await estimated(client, operation, params, { state: sink?.states[query], budget: budgetOf(flags) })
  } finally {
    const { spent, uncertain } = client.credits
    tell(flags, `This estimate cost ${count(spent + uncertain, 'credit')}`)
    await client.close()
  }
}

function estimated(
  { microblog, professionalnet }: SocialSearch,
  operation: SearchOperation,
  params: object,
  options: EstimateOptions,
): Promise<SearchEstimate> {
  return operation === microblogSearch
    ? estimateSearch(microblog, params as WatchParams, options)
    : estimateSearch(professionalnet.posts, params as ProfessionalnetWatchParams, options)
}

function lookingOf({ price }: SearchOperation, flags: SearchFlags): Looking {
  const { freshness, overlap } = settingsOf({ freshness: millisecondsOf('--freshness', flags.freshness) })
  return { price: price.credits, freshness, overlap }
}
