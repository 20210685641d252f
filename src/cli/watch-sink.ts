import { existsSync, readFileSync, realpathSync } from 'node:fs'
import type { Operation } from '../api/operation.ts'
import type { WatchState } from '../extensions/watch/index.ts'
import { replaceFile } from '../lib/node/replace-file.ts'
import { asWritten } from './output-file.ts'
import { parseProgress } from './progress.ts'
import { RecordDatabase } from './record-database.ts'
import { lockForRun } from './run-lock.ts'
import type { Searches } from './watch-search.ts'

/** Where a watch keeps its states, with or without the posts. */
export interface WatchSink {
  /** What an earlier run has stored, for each query. */
  readonly states: Readonly<Record<string, WatchState | null>>
  /** Checks that nothing locks the file, so that the watch ends before it pays for a page. */
  prepare(): void
  /** @returns how many posts are stored for the first time. */
  store(query: string, posts: readonly unknown[], state: WatchState): number
  close(): void
}

/** Opens the file of `--out` or `--state`, without a request. */
export async function openSink(
  { out, state }: { readonly out?: string; readonly state?: string },
  operation: Operation,
  searches: Searches,
): Promise<WatchSink | undefined> {
  if (out !== undefined) return openDatabase(out, operation, searches)
  return state === undefined ? undefined : openState(state, Object.keys(searches)[0] ?? '')
}

async function openDatabase(path: string, operation: Operation, searches: Searches): Promise<WatchSink> {
  const jobs = Object.values(searches).map((params) => ({ watch: operation.id, params }))
  const database = await RecordDatabase.open(path, { operation, jobs, needed: [] })
  const queries = Object.keys(searches)
  const states = queries.map((query, index) => [query, database.progress[index] ?? null])
  return {
    states: Object.fromEntries(states) as WatchSink['states'],
    prepare: () => database.assertUnlocked(),
    store: (query, posts, state) => database.store(posts, jobs[queries.indexOf(query)] ?? {}, state, query),
    close: () => database.close(),
  }
}

async function openState(path: string, query: string): Promise<WatchSink> {
  const lock = await lockForRun(path)
  try {
    const isThere = existsSync(path)
    const file = isThere ? realpathSync(path) : path
    const state = isThere
      ? parseProgress(
          asWritten(path, () => readFileSync(path, 'utf8')),
          path,
        )
      : null
    return {
      states: Object.fromEntries([[query, state]]) as WatchSink['states'],
      prepare() {},
      store(_, __, state) {
        replaceFile(file, `${JSON.stringify(state)}\n`)
        return 0
      },
      close: () => lock.release(),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
