import { existsSync, readFileSync } from 'node:fs'
import type { Operation } from '../api/operation.ts'
import type { WatchState } from '../extensions/watch/index.ts'
import { openLocked } from './job-database.ts'
import { parseProgress } from './job-output.ts'
import { RunLock } from './run-lock.ts'

/** Where a watch keeps its state, with or without the posts. */
export interface WatchSink {
  /** What an earlier run has stored. */
  readonly state: WatchState | null
  /** Checks that nothing locks the file, so that the watch ends before it pays for a page. */
  prepare(): void
  /** @returns how many posts are stored for the first time. */
  store(posts: readonly unknown[], state: WatchState): number
  close(): void
}

/** Opens the file of `--out` or `--state`, without a request. */
export async function openSink(
  { out, state }: { readonly out?: string; readonly state?: string },
  operation: Operation,
  params: object,
): Promise<WatchSink | undefined> {
  if (out !== undefined) return openDatabase(out, operation, params)
  return state === undefined ? undefined : openState(state)
}

async function openDatabase(path: string, operation: Operation, params: object): Promise<WatchSink> {
  const job = { watch: operation.id, params }
  const { database, lock, close } = await openLocked(path, { operation, fields: undefined, job })
  try {
    return {
      state: (database.progress() ?? null) as WatchState | null,
      prepare() {
        lock.assertHeld()
        database.assertUnlocked()
      },
      store(posts, state) {
        lock.assertHeld()
        return database.store(posts, state)
      },
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

function openState(path: string): WatchSink {
  const lock = new RunLock(path)
  let state: unknown = null
  try {
    if (existsSync(lock.path)) state = parseProgress(readFileSync(lock.path, 'utf8'), path)
  } catch (error) {
    lock.release()
    throw error
  }
  return {
    state: state as WatchState | null,
    prepare() {},
    store(_, state) {
      lock.replace(lock.path, `${JSON.stringify(state)}\n`)
      return 0
    },
    close: () => lock.release(),
  }
}
