import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { realpathSync, renameSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parsed } from '../lib/json.ts'
import { TokenStoreError } from '../errors/index.ts'
import { isCode, removeLeftovers, withLockFile } from './node/lock-file.ts'
import { type TokenSet, type TokenStore, assertTokenSet } from './store.ts'

/** The lock that some work runs under. */
interface Lease {
  isHeld: () => boolean
  /** Whether a write was refused because another process had taken the lock over. */
  wasLost: boolean
}

/**
 * Keeps tokens in a file that only its owner can read, for any number of processes of one machine. The folder has to
 * exist. During a refresh or a write, it also holds files with the name of the token file and `.lock` or `.tmp` at the end;
 * the next lock removes those of a killed process. A link to the file is followed.
 *
 * @example
 * const store = new FileTokenStore('tokens.json')
 * const client = new SocialSearch({ baseUrl, auth: oauth.session(store) })
 */
export class FileTokenStore implements TokenStore {
  readonly #path: string
  readonly #lease = new AsyncLocalStorage<Lease>()

  constructor(path: string) {
    this.#path = resolvedPath(path)
  }

  /**
   * Reads the file; null if it does not exist. Refuses a file that other users can read, since its tokens may have
   * leaked.
   *
   * @throws {TokenStoreError}
   */
  async get(): Promise<TokenSet | null> {
    let text: string
    let file: FileHandle | undefined
    try {
      file = await open(this.#path, 'r')
      this.#assertPrivate((await file.stat()).mode)
      text = await file.readFile('utf8')
    } catch (error) {
      if (isCode(error, 'ENOENT')) return null
      throw this.#storeError('cannot be read', error)
    } finally {
      await file?.close()
    }
    const tokens = parsed(text)
    assertTokenSet(tokens, `the token file ${this.#path}`)
    return tokens
  }

  /**
   * Replaces the whole file: a reader sees the old or the new tokens, even if the machine fails in between. Takes the lock,
   * unless it runs in `lock`.
   *
   * @throws {TokenStoreError}
   */
  async set(tokens: TokenSet): Promise<void> {
    const lease = this.#lease.getStore()
    if (lease === undefined) return this.lock(() => this.set(tokens))
    const temporary = `${this.#path}.${randomUUID()}.tmp`
    try {
      const file = await open(temporary, 'wx', 0o600)
      try {
        await file.writeFile(`${JSON.stringify(tokens)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      lease.wasLost ||= !lease.isHeld()
      if (lease.wasLost) throw new TokenStoreError(`another process has taken the lock of ${this.#path}`)
      // If this process is stopped here, the next owner removes the temporary file, and the rename fails.
      renameSync(temporary, this.#path)
      await syncFolder(dirname(this.#path))
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      if (isCode(error, 'ENOENT') && (error as NodeJS.ErrnoException).syscall === 'rename')
        return this.set(tokens)
      throw this.#storeError('cannot be written', error)
    }
  }

  /**
   * Runs the work while no other process holds the file's lock. If another process takes the lock over, because this one
   * was stopped for long, a write fails in the work, and the work runs again.
   *
   * @throws {TokenStoreError}
   */
  async lock<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      const lease: Lease = { isHeld: () => false, wasLost: false }
      try {
        return await withLockFile(`${this.#path}.lock`, (isHeld) => {
          lease.isHeld = isHeld
          this.#removeLeftovers()
          return this.#lease.run(lease, work)
        })
      } catch (error) {
        if (!lease.wasLost) throw error
      }
    }
  }

  #removeLeftovers(): void {
    try {
      removeLeftovers(this.#path)
    } catch (error) {
      throw this.#storeError('has temporary files that cannot be removed', error)
    }
  }

  #assertPrivate(mode: number): void {
    if (process.platform === 'win32' || (mode & 0o077) === 0) return
    const shown = (mode & 0o777).toString(8)
    throw new TokenStoreError(
      `the token file ${this.#path} can be read by other users (mode ${shown}); authorize again, or set mode 600 if you trust it`,
    )
  }

  #storeError(what: string, error: unknown): TokenStoreError {
    if (error instanceof TokenStoreError) return error
    const { code = 'no code' } = error as NodeJS.ErrnoException
    return new TokenStoreError(`the token file ${this.#path} ${what} (${code})`)
  }
}

/** Resolves links: replacing the link itself would leave the file unchanged for other users of it. */
function resolvedPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

/** Makes a rename durable. Not every system lets a folder be opened. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined
  try {
    folder = await open(path, 'r')
    await folder.sync()
  } catch {
    // The tokens are in place; only a power failure could still lose the rename.
  } finally {
    await folder?.close()
  }
}
