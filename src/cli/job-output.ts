import { extname } from 'node:path'
import { isRecord } from '../lib/is-record.ts'
import { parsed } from '../lib/json.ts'
import { UsageError } from './command-errors.ts'

/** What `--out` can write, as the extension of its file says. */
const fileFormats = ['jsonl', 'csv', 'db'] as const
export type FileFormat = (typeof fileFormats)[number]

/** @throws {UsageError} for an unknown extension. */
export function fileFormatOf(path: string): FileFormat {
  const format = fileFormats.find((each) => extname(path).toLowerCase() === `.${each}`)
  if (format !== undefined) return format
  throw new UsageError(`--out needs a file that ends in .jsonl, .csv or .db, got ${path}`)
}

/** The progress of a job, as in the state file beside its output. */
export interface JobState {
  readonly operation: string
  readonly params: object
  readonly format: string
  readonly fields: readonly string[] | null
  /** Params of the next page; null after the last one. */
  readonly next: object | null
  /** Length of the complete pages in the output. */
  readonly bytes: number
  readonly records: number
  /** Credits that all runs have spent or may have spent. */
  readonly credits: number
}

type Progress = Readonly<Record<string, unknown>>

/**
 * Parses the state of a job or a watch.
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
    ['bytes', 'records', 'credits'].every((field) => state[field] === undefined || isCount(state[field]))
  )
    return state
  throw new UsageError(`${name} is not the state of a job; pass another file`)
}

/** Where a job writes its records. */
export interface JobOutput {
  readonly state: JobState
  /** Stores the credits that all runs have spent or may have spent. */
  keepCredits(credits: number): void
  /** Writes a page, as text or records, and the progress. */
  append(
    text: string,
    change: Pick<JobState, 'next' | 'records' | 'credits'>,
    records: readonly unknown[],
  ): void | Promise<void>
  /** @param credits What all runs have cost in the end. */
  close(credits: number): void | Promise<void>
}
