import { existsSync, realpathSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { builtin } from '../../lib/builtin.ts'
import { parsed } from '../../lib/json.ts'
import { sleep } from '../../lib/time.ts'
import { ConfigurationError, SocialSearchError, TokenStoreError } from '../../errors/index.ts'
import { type FileLock, NotALock, takeFileLock } from '../../lib/node/file-lock.ts'
import { replaceFile } from '../../lib/node/replace-file.ts'
import { type TokenSet, type TokenStore, assertTokenSet } from './store.ts'

/** How long to wait for another process, in milliseconds: longer than a refresh with all its attempts takes. */
const patienceMs = 120_000

const pollMs = 25

/**
 * Keeps tokens in a file that only your user can read. Processes of one machine can share it. The folder must exist. Needs
 * Node 22.13 or later.
 *
 * @example
 * const store = new FileTokenStore('tokens.json')
 * const client = new SocialSearch({ baseUrl, auth: oauth.session(store) })
 */
export class FileTokenStore implements TokenStore {
  readonly #path: string

  constructor(path: string) {
    // Replacing a link itself would leave the file unchanged for other users of it.
    this.#path = existsSync(path) ? realpathSync(path) : resolve(path)
  }

  /**
   * Reads the file; null if it does not exist. Refuses a file that other users can read, since its tokens may have
   * leaked.
   *
   * @throws {TokenStoreError}
   */
  async get(): Promise<TokenSet | null> {
    let text: string
    try {
      const { mode } = await stat(this.#path)
      if (process.platform !== 'win32' && (mode & 0o077) !== 0)
        throw new TokenStoreError(
          `the token file ${this.#path} can be read by other users (mode ${(mode & 0o777).toString(8)}); authorize again, or set mode 600 if you trust it`,
        )
      text = await readFile(this.#path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw this.#storeError('cannot be read', error)
    }
    const tokens = parsed(text)
    assertTokenSet(tokens, `the token file ${this.#path}`)
    return tokens
  }

  /**
   * Replaces the whole file: a reader sees the old or the new tokens, even if the machine fails in between. If others use
   * the file, call it in `lock`.
   *
   * @throws {TokenStoreError}
   */
  set(tokens: TokenSet): void {
    try {
      replaceFile(this.#path, `${JSON.stringify(tokens)}\n`, 0o600)
    } catch (error) {
      throw this.#storeError('cannot be written', error)
    }
  }

  /**
   * Runs the work while no other process has the file's lock. Waits for a process that is stopped, but for two minutes at most.
   *
   * @throws {TokenStoreError}
   */
  async lock<T>(work: () => Promise<T>): Promise<T> {
    const lock = await this.#take()
    try {
      return await work()
    } finally {
      lock.release()
    }
  }

  async #take(): Promise<FileLock> {
    const sqlite = builtin('node:sqlite')
    if (sqlite === undefined)
      throw new ConfigurationError('a lock of a file needs node:sqlite, which Node has from version 22.13')
    const end = performance.now() + patienceMs
    try {
      for (;;) {
        const lock = takeFileLock(sqlite, this.#path)
        if (lock !== null) return lock
        if (performance.now() > end) throw new TokenStoreError(`${this.#path} is locked by another process`)
        await sleep(pollMs * (1 + Math.random()))
      }
    } catch (error) {
      if (error instanceof NotALock)
        throw new TokenStoreError(`${this.#path}.lock exists and is not a lock; remove it`)
      throw this.#storeError('cannot be locked', error)
    }
  }

  #storeError(what: string, error: unknown): SocialSearchError {
    if (error instanceof SocialSearchError) return error
    const { code, message } = error as NodeJS.ErrnoException
    return new TokenStoreError(`the token file ${this.#path} ${what} (${code ?? message})`)
  }
}
