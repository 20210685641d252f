import { AsyncLocalStorage } from 'node:async_hooks'
import { realpathSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parsed } from '../../lib/json.ts'
import { sleep } from '../../lib/time.ts'
import { TokenStoreError } from '../../errors/index.ts'
import { type LockOwner, ProcessLock } from './node/process-lock.ts'
import { type TokenSet, type TokenStore, assertTokenSet } from './store.ts'

/** An owner silent for this long counts as dead, in milliseconds: many heartbeats, since a busy process may miss some. */
const silenceMs = 20_000

const pollMs = 25

/**
 * Keeps tokens in a file that only its owner can read, for any number of processes of one machine. The folder has to
 * exist. During a refresh or a write, it also holds folders whose names begin with the name of the token file and `.lock`;
 * the next lock removes those of a killed process. A link to the file is followed.
 *
 * @example
 * const store = new FileTokenStore('tokens.json')
 * const client = new SocialSearch({ baseUrl, auth: oauth.session(store) })
 */
export class FileTokenStore implements TokenStore {
  readonly #path: string
  /** The lock that some work runs under. */
  readonly #lock = new AsyncLocalStorage<ProcessLock>()

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
      if (isMissing(error)) return null
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
    const lock = this.#lock.getStore()
    if (lock === undefined) return this.lock(() => this.set(tokens))
    try {
      lock.replace(this.#path, `${JSON.stringify(tokens)}\n`, 0o600)
    } catch (error) {
      // Another process is taking the lock over.
      if (isMissing(error)) return this.set(tokens)
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
      const lock = new ProcessLock(this.#path, 0o700)
      await this.#take(lock)
      try {
        return await this.#lock.run(lock, work)
      } catch (error) {
        if (!lock.wasLost) throw error
      } finally {
        lock.release()
      }
    }
  }

  /** Waits while the owner is alive. */
  async #take(lock: ProcessLock): Promise<void> {
    const isSilent = silenceDetector()
    try {
      for (let owner = lock.take(isSilent); owner !== null; owner = lock.take(isSilent)) {
        if (owner === 'not a lock')
          throw new TokenStoreError(`${this.#path}.lock exists and is not a lock; remove it`)
        await sleep(pollMs * (1 + Math.random()))
      }
    } catch (error) {
      throw this.#storeError('cannot be locked', error)
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
    const { code, message } = error as NodeJS.ErrnoException
    return new TokenStoreError(`the token file ${this.#path} ${what} (${code ?? message})`)
  }
}

/** Returns a test of whether an owner has sent no heartbeat for long, measured by this process's clock alone. */
function silenceDetector(): (owner: LockOwner) => boolean {
  let seen = ''
  let since = 0
  return ({ name, lastBeat }) => {
    const state = `${name} ${lastBeat}`
    if (state !== seen) [seen, since] = [state, performance.now()]
    return performance.now() - since > silenceMs
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** Resolves links: replacing the link itself would leave the file unchanged for other users of it. */
function resolvedPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
