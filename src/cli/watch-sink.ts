import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import type { Operation } from '../api/operation.ts'
import type { WatchState } from '../extensions/watch/index.ts'
import { replaceFile } from '../extensions/oauth/node/replace-file.ts'
import { asWritten } from './output-file.ts'
import { parseProgress } from './progress.ts'
import { RecordDatabase } from './record-database.ts'
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
  const database = await RecordDatabase.open(path, { operation, fields: undefined, job })
  try {
    return {
      state: (database.progress() ?? null) as WatchState | null,
      prepare: () => database.assertUnlocked(),
      store: (posts, state) => database.store(posts, state),
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

async function openState(path: string): Promise<WatchSink> {
  const lock = await RunLock.take(path)
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
      state: state as WatchState | null,
      prepare() {},
      store(_, state) {
        const temporary = `${file}.lock.tmp`
        // A killed run has left it.
        rmSync(temporary, { force: true })
        replaceFile(file, `${JSON.stringify(state)}\n`, undefined, temporary)
        return 0
      },
      close: () => lock.release(),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
