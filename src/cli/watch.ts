import { type SearchToWatch, type WatchClient, watchSearches } from '../extensions/watch/index.ts'
import type { OperationId } from '../api/operations.ts'
import type { SocialSearchError } from '../errors/index.ts'
import type { Budget, SocialSearch } from '../index.ts'
import { count } from '../lib/count.ts'
import { CommandError, UsageError, exitCodeOf, exitCodes, exitNameOf } from './command-errors.ts'
import { complain } from './complain.ts'
import { confirmWatch } from './confirm.ts'
import { RecordDatabase } from './database/record-database.ts'
import { estimateAll } from './estimate.ts'
import { watchCostText } from './estimate-text.ts'
import { ageOf, millisecondsOf, wholeNumberOf } from './flags.ts'
import { createFormatter } from './formats.ts'
import { openMachine } from './machine.ts'
import { budgetOf, clientFor } from './options.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { print, say, tell } from './terminal.ts'
import { WatchReport, leftText, paceText } from './watch-report.ts'
import { type SearchFlags, jobOf, operationOf, searchesOf, statesOf } from './watch-search.ts'

export interface WatchFlags extends SearchFlags {
  readonly maxPages: string
  readonly once?: boolean
  readonly from?: 'now'
  readonly keep?: string
}

const mostEstimated = 10

/** Prints new posts as JSON Lines, or stores them. */
export async function watch(words: readonly string[], flags: WatchFlags): Promise<void> {
  const operation = operationOf(flags)
  const { out, network } = flags
  const searches = searchesOf(operation, flags, words)
  const queries = Object.keys(searches)
  if (queries.length > 1 && out === undefined)
    throw new UsageError('several queries need --out FILE.db, which tells which query has found a post')
  if (flags.keep !== undefined && out === undefined)
    throw new UsageError('--keep needs --out, the .db file whose old posts are forgotten')
  const keep = flags.keep === undefined ? undefined : ageOf('--keep', flags.keep)
  const machine = await openMachine(flags, 'watch')
  // An estimate of many searches is dear itself.
  const estimate =
    queries.length <= mostEstimated &&
    (async () => watchCostText(await estimateAll(operation, searches, flags, machine)))
  await confirmWatch(operation, { ...flags, budget: machine.budget }, queries.length, estimate)
  const formatter = createFormatter(operation, flags)
  // The watch yields the posts of a page even if it ends after that page.
  const interrupt = new InterruptHandler(() => noteCredits())
  const { hooks, observer } = interrupt
  const client = clientFor(flags, { ...machine.options, hooks, observers: [observer] }, machine.budgets)
  // The watch spreads it over its period.
  const budget: Budget | undefined = budgetOf(flags) ?? machine.budgets[0]
  const options = {
    freshness: millisecondsOf('--freshness', flags.freshness),
    maxPages: wholeNumberOf('--max-pages', flags.maxPages),
    ...{ once: flags.once, from: flags.from, budget, signal: interrupt.signal },
  }
  // Check the params before a file is created.
  for (const params of Object.values(searches)) client.quote<OperationId>(operation.id, params)
  const jobs = Object.values(searches).map((params) => jobOf(operation, params))
  const database =
    out === undefined ? undefined : await RecordDatabase.open(out, { operation, jobs, needed: [], keep })
  const states = statesOf(searches, database?.progress)
  const report = new WatchReport(queries, states)
  let failure: SocialSearchError | undefined
  let isOver = false
  let [stored, spent] = [0, 0]
  let unwritten: readonly object[] = []
  /** The query whose page is under way. */
  let current: string | undefined
  const noteCredits = (): void => {
    if (current !== undefined) database?.noteCredits(jobOf(operation, searches[current]), client.credits)
  }
  try {
    const outlook = await budget?.summary?.()
    const pace = outlook && paceText(outlook, queries.length * operation.price.credits, options.freshness)
    if (pace !== undefined) tell(`${flags.once ? 'on a schedule: ' : ''}${pace}`)
    const named = Object.entries(searches).map(([query, params]) => [query, { ...params, network }])
    const all = Object.fromEntries(named) as Readonly<Record<string, SearchToWatch>>
    for await (const batch of watchSearches(
      noting(client, (query) => (current = query)),
      all,
      { ...options, states },
    )) {
      const { name, posts, known, gaps, state, error } = batch
      const credits = client.credits.spent + client.credits.uncertain
      report.add(batch, credits - spent)
      spent = credits
      unwritten = posts
      if (database === undefined) {
        if (!(await print(formatter.page(posts), formatter.isStyled))) return
        // After an error, the last batch has told the state.
      } else if (error === null)
        stored += database.store({
          ...{
            job: jobOf(operation, searches[name]),
            progress: state,
            records: posts,
            known,
            query: name,
            gaps,
          },
          credits: client.credits,
        })
      else noteCredits()
      unwritten = []
      if (error !== null) {
        // The error belongs to this batch alone, so its message may change.
        if (queries.length > 1) error.message = `${name}: ${error.message}`
        // The other searches go on, and the next look continues.
        complain(error)
        if (failure === undefined || exitNameOf(error) === 'unknown') failure = error
      }
      interrupt.pageIsWritten()
    }
    isOver = failure === undefined
    const missing = report.missing()
    if (failure !== undefined) process.exitCode = exitCodeOf(failure)
    else if (missing !== undefined) {
      // A budget that ends a look throws. Both may be used up at once.
      const isSpent = ((await budget?.summary?.())?.remaining ?? Infinity) < operation.price.credits
      const ended = `--max-pages ${flags.maxPages} ended the look, and the next run continues`
      const raise = `raise --max-pages${isSpent ? ' and the budget' : ''}`
      throw new CommandError('budget', `missing: ${missing}: ${ended}; if this happens each time, ${raise}`)
    }
  } catch (error) {
    const lines = unwritten.map((post) => `\n${JSON.stringify(post)}`)
    if (lines.length > 0) say(`You have paid for these posts, which could not be written:${lines.join('')}`)
    if (!interrupt.signal.aborted) throw error
    if (exitNameOf(failure) !== 'unknown') throw interrupt.signal.reason
    process.exitCode = exitCodes.unknown
  } finally {
    try {
      noteCredits()
    } catch {
      // The file still has the highest cost of the page, and the caller the error that ended the watch.
    }
    database?.close()
    interrupt.end()
    const { spent, uncertain } = client.credits
    const outlook = await Promise.resolve(budget?.summary?.()).catch(() => undefined)
    const total = `${out}: ${count(stored, 'new post')}, ${count(spent + uncertain, 'credit')}`
    const lines = [
      ...(out === undefined ? [] : [total]),
      ...report.lines(isOver),
      ...(isOver || report.missing() === undefined ? [] : [`missing: ${report.missing()}`]),
      ...(outlook === undefined ? [] : [leftText(outlook)]),
    ]
    // A log of nightly runs needs them, too.
    for (const line of lines) (out === undefined ? tell : say)(line)
    await machine.close()
  }
}

/** A client that tells, before each page, which query it searches. */
function noting({ microblog, professionalnet }: SocialSearch, note: (query: string) => void): WatchClient {
  const noted = <Source extends { search(params: never, options: never): unknown }>(
    source: Source,
  ): Source => ({
    ...source,
    search: (params: { readonly query: string }, options: never) => {
      note(params.query)
      return source.search(params as never, options)
    },
  })
  return { microblog: noted(microblog), professionalnet: { posts: noted(professionalnet.posts) } }
}
