import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from './command-errors.ts'

/** @throws {UsageError} if the folder of a file that a flag names does not exist. */
export function assertFolder(flag: string, file: string | undefined): void {
  if (file === undefined) return
  const folder = dirname(resolve(file))
  if (!existsSync(folder))
    throw new UsageError(`${flag} ${file}: the folder ${folder} does not exist; make it first`)
}
