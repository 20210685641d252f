import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type MicroblogFilters, microblogSearch } from '../api/microblog.ts'
import { jsonText, parsed } from '../lib/json.ts'
import { type WatchState, watchSearch } from '../watch/index.ts'
import { type SharedFlags, millisecondsOf, paramsFlag, paramsOf, wholeNumberOf } from './flags.ts'
import { budgetOf, clientFor } from './options.ts'
import { RunLock } from './run-lock.ts'
import { Stop } from './stop.ts'
import { print, say } from './terminal.ts'
import { UsageError } from './command-errors.ts'

export interface WatchFlags extends SharedFlags {
  readonly every: string
  readonly maxEvery?: string
  readonly maxPages: string
  readonly state?: string
  readonly exec?: string
}

/** Prints new posts as JSON Lines, or passes each batch to a command. */
export async function watch(query: string, flags: WatchFlags): Promise<void> {
  const { params } = await paramsOf(microblogSearch, flags, query)
  const stop = new Stop()
  // The watch yields the posts of a page even if it ends after that page.
  const client = clientFor(flags, { hooks: stop.hooks, observers: [{ onCall: () => stop.pageIsRead() }] })
  let lock: RunLock | undefined
  try {
    // Fails before a page is bought if the state cannot be written.
    if (flags.state !== undefined) lock = new RunLock(flags.state)
    const batches = watchSearch(
      client.microblog,
      { query, ...('filters' in params && { filters: params['filters'] as MicroblogFilters }) },
      {
        state: lock === undefined ? null : readState(lock.path),
        every: millisecondsOf('--every', flags.every),
        ...(flags.maxEvery !== undefined && { maxEvery: millisecondsOf('--max-every', flags.maxEvery) }),
        maxPages: wholeNumberOf('--max-pages', flags.maxPages),
        budget: budgetOf(flags),
        signal: stop.signal,
      },
    )
    for await (const { posts, state, gap } of batches) {
      const text = posts.map((post) => `${jsonText(post)}\n`).join('')
      if (flags.exec !== undefined) await execute(flags.exec, text)
      else if (!(await print(text))) return
      lock?.replace(lock.path, `${JSON.stringify(state)}\n`)
      if (gap !== null) {
        say(`There are more posts: social-search microblog search --all ${paramsFlag(gap.next)}`)
      }
      stop.pageIsWritten()
    }
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    lock?.release()
    stop.end()
  }
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

function readState(path: string): WatchState | null {
  if (!existsSync(path)) return null
  const state = parsed(readFileSync(path, 'utf8')) as WatchState | undefined
  if (state === undefined) throw new UsageError(`${path} is not the state of a watch`)
  return state
}
