import { existsSync, writeFileSync } from 'node:fs'
import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { fieldsOf } from '../extensions/export/fields.ts'
import { loadWriter, toParquet } from '../extensions/export/parquet.ts'
import { columnsOf } from './formats.ts'
import type { JobOutput, JobState } from './job-output.ts'
import { RunLock } from './run-lock.ts'
import { UsageError } from './command-errors.ts'

/** The records of a job as a Parquet file, which is written when the job ends, for whatever reason. */
export class ParquetFile implements JobOutput {
  readonly #lock: RunLock
  readonly #writer: WritableStreamDefaultWriter<unknown>
  readonly #bytes: Promise<Buffer>
  #hasPages = false
  state: JobState

  private constructor(lock: RunLock, state: JobState, file: TransformStream<unknown, Uint8Array>) {
    this.#lock = lock
    this.#writer = file.writable.getWriter()
    this.#bytes = new Response(file.readable).arrayBuffer().then((bytes) => Buffer.from(bytes))
    // `append` and `close` reject with the same reason.
    this.#bytes.catch(() => {})
    this.state = state
  }

  /** @param isTyped Whether the values have the documented types. */
  static async create(
    path: string,
    state: JobState,
    operation: Operation,
    isTyped: boolean,
  ): Promise<ParquetFile> {
    const known = operation.documented && isTyped ? fieldsOf(operation.id as OperationId) : []
    const paths = state.fields ?? columnsOf(operation)
    const fields = paths.map((path) => known.find((each) => each.path === path) ?? path)
    await loadWriter().catch(() => {
      throw new UsageError(`${path} needs the package hyparquet-writer: npm install hyparquet-writer`)
    })
    const lock = new RunLock(path)
    if (!existsSync(lock.path)) return new ParquetFile(lock, state, toParquet({ fields }))
    lock.release()
    throw new UsageError(`${lock.path} exists; pass another --out`)
  }

  reserve(): void {
    this.#lock.assertHeld()
  }

  keepCredits(): void {}

  async append(_: string, __: object, records: readonly unknown[]): Promise<void> {
    for (const record of records) await this.#writer.write(record)
    this.#hasPages = true
  }

  async close(): Promise<void> {
    try {
      if (!this.#hasPages) return
      await this.#writer.close()
      writeFileSync(this.#lock.path, await this.#bytes, { flag: 'wx' })
    } finally {
      this.#lock.release()
    }
  }
}
