import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type SearchToWatch, watchSearches } from '../extensions/watch/index.ts'
import type { Budget } from '../index.ts'
import { count } from '../lib/count.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { complain } from './complain.ts'
import { confirmWatch } from './confirm.ts'
import { costOfWatch } from './estimate.ts'
import { millisecondsOf, wholeNumberOf } from './flags.ts'
import { terminalWidth } from './formatter.ts'
import { tableOf } from './formats.ts'
import { openMachine } from './machine.ts'
import { budgetOf, clientFor } from './options.ts'
import { fileFormatOf } from './output-file.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { print, say, tell } from './terminal.ts'
import { WatchReport, leftText, paceText } from './watch-report.ts'
import { type SearchFlags, type Searches, operationOf, searchesOf } from './watch-search.ts'
import { type WatchSink, openSink } from './watch-sink.ts'

export interface WatchFlags extends SearchFlags {
  readonly maxPages: string
  readonly once?: boolean
  readonly from?: 'now'
  readonly exec?: string
}

const mostEstimated = 10

/** Prints new posts as JSON Lines, stores them, or passes each batch to a command. */
export async function watch(words: readonly string[], flags: WatchFlags): Promise<void> {
  const operation = operationOf(flags)
  const { out, exec } = flags
  const searches = searchesOf(operation, flags, words)
  const queries = Object.keys(searches)
  refuseFiles(flags, queries)
  const machine = await openMachine(flags, 'watch')
  // An estimate of many searches is dear itself.
  const estimate = queries.length <= mostEstimated && (() => costOfWatch(operation, searches, flags, machine))
  await confirmWatch(operation, { ...flags, budget: machine.budget }, queries.length, estimate)
  const table = process.stdout.isTTY
    ? tableOf(operation, { fields: undefined, width: terminalWidth() })
    : undefined
  // The watch yields the posts of a page even if it ends after that page.
  const interrupt = new InterruptHandler({ prepare: () => sink?.prepare() })
  const client = clientFor(
    flags,
    {
      ...{ ...machine.options, hooks: interrupt.hooks },
      observers: [interrupt.observer, { onCall: () => interrupt.pageIsRead() }],
    },
    machine.budgets,
  )
  // The watch spreads it over its period.
  const budget: Budget | undefined = budgetOf(flags) ?? machine.budgets[0]
  const options = {
    freshness: millisecondsOf('--freshness', flags.freshness),
    maxPages: wholeNumberOf('--max-pages', flags.maxPages),
    ...{ once: flags.once, from: flags.from, budget, signal: interrupt.signal },
  }
  const report = new WatchReport(queries, (query) => sink?.states[query] != null)
  let sink: WatchSink | undefined
  let failure: unknown
  let isOver = false
  let [stored, spent] = [0, 0]
  let unstored = ''
  try {
    // Fails before a page is bought if a state cannot be written.
    sink = await openSink(flags, operation, searches)
    const outlook = await budget?.summary?.()
    const pace = outlook && paceText(outlook, queries.length * operation.price.credits, options.freshness)
    if (pace !== undefined) tell(flags, pace)
    for await (const batch of watchSearches(client, namedSearches(flags, searches), {
      ...options,
      states: sink?.states,
    })) {
      const { name, posts, state, error } = batch
      const credits = client.credits.spent + client.credits.uncertain
      report.add(batch, credits - spent)
      spent = credits
      const text = posts.map((post) => `${JSON.stringify(post)}\n`).join('')
      if (exec === undefined && out === undefined) {
        if (!(await print(table?.page(posts) ?? text, table?.isStyled))) return
      } else unstored = text
      if (exec !== undefined && posts.length > 0) await execute(exec, text)
      // After an error, the last batch has told the state.
      if (error === null) stored += sink?.store(name, posts, state) ?? 0
      unstored = ''
      interrupt.pageIsWritten()
      if (error === null) continue
      // Nobody else has this error.
      if (queries.length > 1) error.message = `${name}: ${error.message}`
      // The other searches go on, and the next look continues.
      if (failure === undefined && flags.once === true) failure = error
      else complain(flags, error)
    }
    if (failure !== undefined) throw failure
    isOver = true
    const missing = report.missing()
    if (missing !== undefined) throw new CommandError('budget', `missing: ${missing}; the next run continues`)
  } catch (error) {
    if (unstored !== '') say(`You have paid for these posts, which were not stored:\n${unstored}`)
    throw interrupt.signal.aborted ? interrupt.signal.reason : error
  } finally {
    sink?.close()
    interrupt.end()
    const { spent, uncertain } = client.credits
    const outlook = await Promise.resolve(budget?.summary?.()).catch(() => undefined)
    const lines = [
      ...(out === undefined
        ? []
        : [`${out}: ${count(stored, 'new post')}, ${count(spent + uncertain, 'credit')}`]),
      ...report.lines(isOver),
      ...(isOver || report.missing() === undefined ? [] : [`missing: ${report.missing()}`]),
      ...(outlook === undefined ? [] : [leftText(outlook)]),
    ]
    for (const line of lines) tell(flags, line)
    await machine.close()
  }
}

function namedSearches({ network }: WatchFlags, searches: Searches): Readonly<Record<string, SearchToWatch>> {
  const all = Object.entries(searches).map(([query, params]) => [query, { ...params, network }])
  return Object.fromEntries(all) as Readonly<Record<string, SearchToWatch>>
}

function refuseFiles({ out, state }: WatchFlags, queries: readonly string[]): void {
  if (out !== undefined && fileFormatOf(out) !== 'db')
    throw new UsageError(`watch stores posts in a .db file only, got --out ${out}`)
  if (out !== undefined && state !== undefined)
    throw new UsageError('--state contradicts --out, whose file keeps the state, too; leave out one of them')
  if (queries.length > 1 && out === undefined)
    throw new UsageError('several queries need --out FILE.db, which tells which query has found a post')
}

/** Runs a shell command with the text on stdin. */
async function execute(command: string, text: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] })
  // The command may ignore stdin.
  child.stdin.on('error', () => {})
  child.stdin.end(text)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0) throw new Error(`--exec: the command ended with ${code ?? signal}`)
}
