import type { DatabaseSync } from 'node:sqlite'
import { isRecord } from '../../lib/is-record.ts'
import { parsed } from '../../lib/json.ts'
import { messageOf } from '../../lib/thrown.ts'
import { UsageError } from '../command-errors.ts'
import { openDatabase, withPath } from './open-database.ts'
import { textOf } from './searches.ts'

/** How far a job or a watch is. */
export type Progress = Readonly<Record<string, unknown>>

/**
 * @param needed Fields that it must have.
 * @throws {UsageError} if it cannot be read: without it, pages would be paid again.
 */
export function progressOf(
  database: DatabaseSync,
  job: object,
  needed: readonly string[],
): Progress | undefined {
  const row = database.prepare('SELECT state FROM social_search_jobs WHERE job = ?').get(textOf(job))
  if (row === undefined) return undefined
  const progress = parsed(String(row['state']))
  if (isRecord(progress) && needed.every((field) => Object.hasOwn(progress, field))) return progress
  throw new UsageError('a row of social_search_jobs is not the state of a job; pass another --out')
}

/**
 * What earlier runs have stored of jobs, also while another run has their lock; nothing without a file.
 *
 * @throws {UsageError} for a file that is not a database, or whose progress cannot be read.
 */
export async function storedProgress(
  path: string,
  jobs: readonly object[],
): Promise<readonly (Progress | undefined)[]> {
  const database = openDatabase(path, '--out')
  try {
    return jobs.map((job) => database && progressOf(database, job, []))
  } catch (error) {
    if (/no such table/.test(messageOf(error))) return []
    throw withPath(path, error)
  } finally {
    database?.close()
  }
}
