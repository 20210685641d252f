import type * as Fs from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { builtin } from './runtime.ts'
import { messageOf } from './thrown.ts'
import { sleep } from './time.ts'

/** How long a statement waits for other processes, in milliseconds. This process does nothing else meanwhile. */
const busyMs = 5

/** Longest pause before another attempt, in milliseconds. */
const pauseMs = 10

/** How long work tries to get the file, in milliseconds. */
const patienceMs = 10_000

/** How long the process that makes the file leaves it empty at most, in milliseconds. */
const emptyMs = 1000

/** An SQLite file for the processes of one machine, readable by its user only. It is opened when it is first used. */
export class SqliteFile<Prepared> {
  readonly #path: string
  readonly #prepare: (database: DatabaseSync) => Prepared
  readonly #mayBeEmpty: boolean
  #opening: Promise<{ readonly database: DatabaseSync; readonly prepared: Prepared }> | undefined

  /**
   * @param prepare Prepares what uses the file. Called again while other processes have it.
   * @param mayBeEmpty Whether a file without a byte is a new one. If not, it has lost what it held.
   */
  constructor(path: string, prepare: (database: DatabaseSync) => Prepared, mayBeEmpty: boolean) {
    this.#path = path
    this.#prepare = prepare
    this.#mayBeEmpty = mayBeEmpty
  }

  /** Works in the file. Tries again while other processes have it; other work of this process goes on in between. */
  async use<T>(work: (prepared: Prepared) => T): Promise<T> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined
      throw new Error(`${this.#path} cannot be used: ${messageOf(error)}`)
    })
    const { prepared } = await this.#opening
    return patiently(() => work(prepared))
  }

  /** @param end Ends what uses the file. */
  close(end: (prepared: Prepared) => void = () => {}): void {
    const closed = this.#opening?.then(({ database, prepared }) => {
      end(prepared)
      database.close()
    })
    closed?.catch(() => {})
  }

  async #open() {
    const [sqlite, fs] = [builtin('node:sqlite'), builtin('node:fs')]
    if (sqlite === undefined || fs === undefined) throw new Error('it needs node:sqlite')
    let path = this.#path
    if (path !== ':memory:') {
      if (!this.#mayBeEmpty && fs.existsSync(path)) await assertFilled(fs, path)
      // Before SQLite opens it. SQLite gives new files beside it the same mode.
      fs.closeSync(fs.openSync(path, 'a', 0o600))
      for (const file of [path, `${path}-wal`, `${path}-shm`])
        try {
          fs.chmodSync(file, 0o600)
        } catch (error) {
          // Another process may just have deleted it.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        }
      // SQLite may read a relative path as a URI.
      path = fs.realpathSync(path)
    }
    const database = new sqlite.DatabaseSync(path)
    try {
      database.exec(`PRAGMA busy_timeout = ${busyMs}`)
      await patiently(() => database.exec('PRAGMA journal_mode = WAL'))
      // Only a power failure can lose changes. To wait for the disk would take longer than all the rest.
      database.exec('PRAGMA synchronous = NORMAL')
      return { database, prepared: await patiently(() => this.#prepare(database)) }
    } catch (error) {
      database.close()
      throw error
    }
  }
}

/** SQLite takes a file without a byte for a new one. */
async function assertFilled(fs: typeof Fs, path: string): Promise<void> {
  const end = performance.now() + emptyMs
  while (fs.statSync(path).size === 0) {
    if (performance.now() > end)
      throw new Error('it is empty, so what it held is lost; delete it to begin anew')
    await sleep(pauseMs)
  }
}

async function patiently<T>(work: () => T): Promise<T> {
  const end = performance.now() + patienceMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      const isBusy = /^(database is locked|locking protocol)$/.test(messageOf(error))
      if (!isBusy || performance.now() > end) throw error
      await sleep(1 + Math.random() * (pauseMs - 1))
    }
  }
}
