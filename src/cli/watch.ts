import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { type MicroblogFilters, type MicroblogSearchParams, microblogSearch } from '../api/microblog.ts'
import type { PagedOptions } from '../core/options/types.ts'
import { jsonText, parsed } from '../lib/json.ts'
import type { Microblog } from '../resources/microblog.ts'
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
  const client = clientFor(flags, { hooks: stop.hooks })
  let lock: RunLock | undefined
  try {
    // Fails before a page is bought if the state cannot be written.
    if (flags.state !== undefined) lock = new RunLock(flags.state)
    const batches = watchSearch(
      noting(client.microblog, stop),
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

/** Reports each page to `stop` as soon as it is read: the watch yields the posts even if it ends then. */
function noting(microblog: Microblog, stop: Stop): Microblog {
  const search = (params: MicroblogSearchParams, options?: PagedOptions): object => ({
    async *pages() {
      for await (const page of microblog.search(params, options).pages()) {
        stop.pageIsRead()
        yield page
      }
    },
  })
  return { search } as Microblog
}

/** Runs a shell command with the text on stdin. */
function execute(command: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] })
    // The command may ignore stdin.
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`--exec: the command ended with ${code ?? signal}`)),
    )
    child.stdin.end(text)
  })
}

function readState(path: string): WatchState | null {
  if (!existsSync(path)) return null
  const state = parsed(readFileSync(path, 'utf8')) as WatchState | undefined
  if (state === undefined) throw new UsageError(`${path} is not the state of a watch`)
  return state
}
