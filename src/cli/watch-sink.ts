import { existsSync, readFileSync } from 'node:fs'
import type { Operation } from '../api/operation.ts'
import { parsed } from '../lib/json.ts'
import type { WatchState } from '../extensions/watch/index.ts'
import { UsageError } from './command-errors.ts'
import { openLocked } from './job-database.ts'
import { RunLock } from './run-lock.ts'

/** Where a watch keeps its state, with or without the posts. */
export interface WatchSink {
  /** What an earlier run has stored. */
  readonly state: WatchState | null
  /** Takes disk space for the next page, and checks that nothing locks the file, so that the watch ends before it buys the page. */
  reserve(): void
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
  const { database, lock, reserve } = await openLocked(path, { operation, fields: undefined, job })
  return {
    state: (database.progress ?? null) as WatchState | null,
    reserve() {
      reserve()
      database.assertUnlocked()
    },
    store(posts, state) {
      lock.assertHeld()
      lock.free()
      return database.store(posts, state)
    },
    close() {
      database.close()
      lock.release()
    },
  }
}

function openState(path: string): WatchSink {
  const lock = new RunLock(path)
  const state = existsSync(lock.path) ? parsed(readFileSync(lock.path, 'utf8')) : null
  if (state === undefined) {
    lock.release()
    throw new UsageError(`${path} is not the state of a watch`)
  }
  return {
    state: state as WatchState | null,
    reserve() {},
    store(_, state) {
      lock.replace(lock.path, `${JSON.stringify(state)}\n`)
      return 0
    },
    close: () => lock.release(),
  }
}
