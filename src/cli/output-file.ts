import { closeSync, existsSync, ftruncateSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { UsageError } from './command-errors.ts'

const fileFormats = ['jsonl', 'csv', 'db', 'parquet'] as const
export type FileFormat = (typeof fileFormats)[number]

/** The format of a file, as its extension says. */
export function fileFormatOf(path: string): FileFormat | undefined {
  return fileFormats.find((each) => extname(path).toLowerCase() === `.${each}`)
}

/** How to get a file that no second run can write. */
export function byExport(path: string): string {
  const database = databaseFor(path)
  return `pass --out ${database}, then run social-search export ${database} ${path}`
}

/** `posts.db` for `posts.csv`. */
export function databaseFor(path: string): string {
  return `${path.slice(0, path.length - extname(path).length)}.db`
}

/** A file that one run writes, and keeps on any failure. */
export class OutputFile {
  readonly #path: string
  readonly #file: number
  #size = 0
  #isUsed = false

  /** @throws {UsageError} if the file exists, or cannot be written. */
  constructor(path: string) {
    this.#path = path
    this.#file = asWritten(path, () => openSync(path, 'wx'))
  }

  /** Appends a page, or nothing of it if the disk is full. */
  append(text: string): void {
    this.#isUsed = true
    try {
      writeFileSync(this.#file, text)
    } catch (error) {
      ftruncateSync(this.#file, this.#size)
      throw error
    }
    this.#size += Buffer.byteLength(text)
  }

  /** Removes the file if no page was bought. */
  close(): void {
    closeSync(this.#file)
    if (!this.#isUsed) rmSync(this.#path, { force: true })
  }
}

/** @throws {UsageError} if the system does not allow to write the file. */
export function asWritten<Value>(path: string, write: () => Value): Value {
  try {
    return write()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new UsageError(`${path} exists; remove it, or pass another file`)
    const folder = dirname(resolve(path))
    if (!existsSync(folder))
      throw new UsageError(`${path} cannot be written: the folder ${folder} does not exist; make it first`)
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) throw error
    throw new UsageError(`${path} cannot be written (${code}); check who may write it, and its folder`)
  }
}
