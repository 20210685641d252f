import type { Operation } from '../api/operation.ts'
import { UsageError } from './command-errors.ts'
import { JobDatabase } from './job-database.ts'
import { JobFile } from './job-file.ts'
import { type JobOutput, type JobState, fileFormatOf } from './job-output.ts'
import { ParquetFile } from './parquet-file.ts'

/** Opens the file of `--out`, without a request. */
export async function openOutput(
  path: string,
  state: JobState,
  { operation, resume = false, validation }: { operation: Operation; resume?: boolean; validation?: string },
): Promise<JobOutput> {
  const format = fileFormatOf(path)
  if (format === 'db') return JobDatabase.open(path, state, operation, resume)
  if (format !== 'parquet') return new JobFile(path, state, { resume })
  if (resume) throw new UsageError(`${path} cannot be resumed; use a .db, .jsonl or .csv file`)
  return ParquetFile.create(path, state, operation, validation !== 'off')
}
