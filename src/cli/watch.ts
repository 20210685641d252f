import { fileFormatOf } from './output-file.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { microblogSearch } from '../api/microblog.ts'
import type { Operation } from '../api/operation.ts'
import { professionalnetPostsSearch } from '../api/professionalnet/posts.ts'
import type { SocialSearch } from '../index.ts'
import { count } from '../lib/count.ts'
import {
  type ProfessionalnetWatchParams,
  type WatchBatch,
  type WatchOptions,
  type WatchParams,
  watchSearch,
} from '../extensions/watch/index.ts'
import { type SharedFlags, millisecondsOf, paramFlags, paramsOf, wholeNumberOf } from './flags.ts'
import { budgetOf, clientFor } from './options.ts'
import { Stop } from './stop.ts'
import { print, say, tell } from './terminal.ts'
import { cardsFor } from './card.ts'
import { UsageError } from './command-errors.ts'
import { confirmWatch } from './confirm.ts'
import { openMachine } from './machine.ts'
import { type WatchSink, openSink } from './watch-sink.ts'

export interface WatchFlags extends SharedFlags {
  readonly network: string
  readonly freshness: string
  readonly maxPages: string
  readonly once?: boolean
  readonly from?: 'now'
  readonly state?: string
  readonly exec?: string
}

/** Prints new posts as JSON Lines, stores them, or passes each batch to a command. */
export async function watch(query: string, flags: WatchFlags): Promise<void> {
  const operation = networks[flags.network as keyof typeof networks]
  refuseOtherParams(flags, operation)
  const { params } = await paramsOf(operation, flags, query)
  const { out, exec } = flags
  if (out !== undefined && fileFormatOf(out) !== 'db')
    throw new UsageError(`watch stores posts in a .db file only, got --out ${out}`)
  if (out !== undefined && flags.state !== undefined)
    throw new UsageError('--state contradicts --out, whose file keeps the state, too; leave out one of them')
  const machine = await openMachine(flags, 'watch')
  await confirmWatch(operation, { ...flags, budget: machine.budget })
  const cards = cardsFor(operation, flags)
  // The watch yields the posts of a page even if it ends after that page.
  const stop = new Stop({ prepare: () => sink?.prepare() })
  const client = clientFor(
    flags,
    {
      ...{ ...machine.options, hooks: stop.hooks },
      observers: [stop.observer, { onCall: () => stop.pageIsRead() }],
    },
    machine.budgets,
  )
  const options = {
    freshness: millisecondsOf('--freshness', flags.freshness),
    maxPages: wholeNumberOf('--max-pages', flags.maxPages),
    once: flags.once,
    from: flags.from,
    // The watch spreads it over its period.
    budget: budgetOf(flags) ?? machine.budgets[0],
    signal: stop.signal,
  }
  let sink: WatchSink | undefined
  let stored = 0
  let missing = 0
  let unstored = ''
  try {
    // Fails before a page is bought if the state cannot be written.
    sink = await openSink(flags, operation, params)
    for await (const { posts, state, gaps } of batchesOf(client, operation, params, {
      ...options,
      state: sink?.state,
    })) {
      missing = gaps.length
      const text = posts.map((post) => `${JSON.stringify(post)}\n`).join('')
      if (exec === undefined && out === undefined) {
        if (!(await print(cards?.page(posts) ?? text, cards?.isStyled))) return
      } else unstored = text
      if (exec !== undefined && posts.length > 0) await execute(exec, text)
      stored += sink?.store(posts, state) ?? 0
      unstored = ''
      stop.pageIsWritten()
    }
  } catch (error) {
    if (unstored !== '') say(`You have paid for these posts, which were not stored:\n${unstored}`)
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    sink?.close()
    stop.end()
    const { spent, uncertain } = client.credits
    if (out !== undefined)
      tell(flags, `${out}: ${count(stored, 'new post')}, ${count(spent + uncertain, 'credit')}`)
    if (missing > 0) tell(flags, 'There are more posts: the next run, or the next poll, continues')
    await machine.close()
  }
}

const networks = { microblog: microblogSearch, professionalnet: professionalnetPostsSearch } as const

export const watchNetworks = Object.keys(networks)

/** Refuses the filters of the other network, which would be ignored. */
function refuseOtherParams(flags: WatchFlags, operation: Operation): void {
  const other = paramFlags(microblogSearch).find(
    ({ attribute }) => operation !== microblogSearch && attribute in flags,
  )
  if (other !== undefined)
    throw new UsageError(`${other.name} is for --network microblog; pass params of others with --params`)
}

function batchesOf(
  { microblog, professionalnet }: SocialSearch,
  operation: Operation,
  params: object,
  options: WatchOptions,
): AsyncIterable<WatchBatch<object>> {
  return operation === microblogSearch
    ? watchSearch(microblog, params as WatchParams, options)
    : watchSearch(professionalnet.posts, params as ProfessionalnetWatchParams, options)
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
