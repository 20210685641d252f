import { isRecord } from '../lib/is-record.ts'
import { parsed } from '../lib/json.ts'
import { UsageError } from './command-errors.ts'

export type Progress = Readonly<Record<string, unknown>>

/**
 * Parses the progress of a job or a watch.
 *
 * @param name Names its place in the error.
 * @param needed Fields that it must have.
 * @throws {UsageError} if it cannot be read: without it, pages would be paid again.
 */
export function parseProgress(text: string, name: string, needed: readonly string[] = []): Progress {
  const state = parsed(text)
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
  if (
    isRecord(state) &&
    needed.every((field) => Object.hasOwn(state, field)) &&
    isRecord(state['next'] ?? {}) &&
    ['records', 'credits'].every((field) => state[field] === undefined || isCount(state[field]))
  )
    return state
  throw new UsageError(`${name} is not the state of a job; pass another file`)
}
