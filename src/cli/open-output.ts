import type { Operation } from '../api/operation.ts'
import { JobDatabase } from './job-database.ts'
import { JobFile } from './job-file.ts'
import { type JobOutput, type JobState, fileFormatOf } from './job-output.ts'

/** Opens the file of `--out`, without a request. */
export async function openOutput(
  path: string,
  state: JobState,
  { operation, resume = false }: { operation: Operation; resume?: boolean },
): Promise<JobOutput> {
  const isDatabase = fileFormatOf(path) === 'db'
  return isDatabase ? JobDatabase.open(path, state, operation, resume) : new JobFile(path, state, { resume })
}
