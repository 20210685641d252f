import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ResultCache, sqliteCacheStore } from '../extensions/cache/index.ts'
import type { SocialSearch, ClientOptions } from '../index.ts'
import { count, timeText } from '../lib/count.ts'
import { messageOf } from '../lib/thrown.ts'
import { CommandError } from './command-errors.ts'
import { type SharedFlags, millisecondsOf } from './flags.ts'
import { profile, profileFolder, profileNames, userFolder } from './profile.ts'
import { importWithSqlite } from './sqlite.ts'
import { printDone, say } from './terminal.ts'

const folder = userFolder('LOCALAPPDATA', 'XDG_CACHE_HOME', '.cache')

/** The file with the answers of a profile. */
const fileOf = (name: string | undefined): string => join(profileFolder(name, folder), 'answers.sqlite')

/** How one command uses the stored answers. */
export interface CachedAnswers {
  readonly options: Pick<ClientOptions, 'cache' | 'observers' | 'logger'>
  /** Says how many pages were stored ones, how old they are, and what they saved. */
  report(client: SocialSearch): void
}

/** The stored answers, if `--cache` is set. */
export async function answerCache({ cache: time, quiet, json }: SharedFlags): Promise<CachedAnswers> {
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
      const from = `${count(pages, 'page')} from the cache, ${timeText(oldest)} old or less`
      say(`${from}: ${count(spent + uncertain, 'credit')}, ${saved} saved`)
    },
  }
}

async function openStore() {
  await importWithSqlite('--cache', () => import('node:sqlite'))
  const file = fileOf(profile)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    return sqliteCacheStore(file)
  } catch (error) {
    throw new Error(`${file} cannot be used: ${messageOf(error)}; social-search clear-cache deletes it`)
  }
}

/** Deletes all stored answers. */
export async function clearCache(): Promise<void> {
  for (const name of profileNames(folder)) deleteAnswers(name)
  await printDone(`The answers in ${folder} are deleted`)
}

/** Deletes the stored answers of a profile, with the temporary files of SQLite. */
export function deleteAnswers(name: string | undefined): void {
  for (const suffix of ['', '-wal', '-shm']) {
    const file = fileOf(name) + suffix
    try {
      rmSync(file, { force: true })
    } catch (error) {
      throw new CommandError('failed', `${file} cannot be deleted: ${messageOf(error)}`)
    }
  }
}
