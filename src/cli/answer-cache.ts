import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ResultCache } from '../cache/index.ts'
import type { SocialSearch } from '../client.ts'
import type { ClientOptions } from '../core/options/types.ts'
import { count, timeText } from '../lib/count.ts'
import { UsageError } from './command-errors.ts'
import { type SharedFlags, millisecondsOf } from './flags.ts'
import { userFolder } from './profile.ts'
import { print, say } from './terminal.ts'

const path = join(userFolder('LOCALAPPDATA', 'XDG_CACHE_HOME', '.cache'), 'answers.sqlite')

/** How one command uses the stored answers. */
export interface AnswerCache {
  readonly options: Pick<ClientOptions, 'cache' | 'observers' | 'logger'>
  /** Says how many pages were stored ones, how old they are, and what they saved. */
  report(client: SocialSearch): void
}

/** The stored answers, if `--cache` is set. */
export async function answerCache({ cache: time, quiet, json }: SharedFlags): Promise<AnswerCache> {
  let pages = 0
  let oldest = 0
  let hasFailed = false
  const maxAge = time === undefined ? undefined : millisecondsOf('--cache', time)
  return {
    options: {
      cache: maxAge === undefined ? undefined : new ResultCache({ maxAge, store: await openStore() }),
      observers: [
        {
          onCall({ cached }) {
            if (cached === undefined) return
            pages++
            oldest = Math.max(oldest, cached.age)
          },
        },
      ],
      logger: {
        warn(message, { reason }) {
          if (message !== 'the cache failed' || hasFailed) return
          hasFailed = true
          say(`social-search: the cache failed: ${reason}`)
        },
      },
    },
    report({ credits: { spent, uncertain, saved } }) {
      if (pages === 0 || quiet === true || json === true) return
      const age = timeText(oldest)
      const from = pages === 1 ? `From the cache, ${age}` : `${pages} pages from the cache, up to ${age}`
      say(`${from} old: ${count(spent + uncertain, 'credit')}, ${saved} saved`)
    },
  }
}

async function openStore() {
  // Node 22 warns that its SQLite is experimental.
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  const { sqliteStore } = await import('../cache/node.ts')
    .catch(() => {
      throw new UsageError(`--cache needs Node 22.13 or later; this is Node ${process.versions.node}`)
    })
    .finally(() => (process.emitWarning = emitWarning))
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    return sqliteStore(path)
  } catch (error) {
    throw new Error(
      `${path} cannot be used: ${(error as Error).message}; social-search clear-cache deletes it`,
    )
  }
}

/** Deletes all stored answers, with the temporary files of SQLite. */
export async function clearCache(): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  await print(`The answers in ${path} are deleted\n`)
}
