// What limiters and budgets need of a store: to change a text while no other process does, and to send messages about it. Below stands what
// the stores share: those that cannot compute a change themselves compare and swap, and all but Redis pass messages to listeners.

import { within } from '../../lib/abort.ts'
import { sha256 } from '../../lib/hash.ts'
import { sleep } from '../../lib/time.ts'

/** What a change makes of a text. */
export interface TextChange<T> {
  /** The new text. Without it, the store keeps the one that it has. */
  value?: string | undefined
  /** A short message to every {@link SharedStore.watch}, sent with the new text. Without it, the store calls no listener. */
  message?: string | undefined
  /** The store may forget the text after so many milliseconds without a change. Default: never. */
  ttlMs?: number | undefined
  /** What `update` resolves with. */
  result: T
}

/**
 * Computes a change from the text, the clock and the time before both were read. It is synchronous and has no effects: a store may call it
 * several times for one update.
 */
export type ChangeText<T> = (value: string | undefined, clock: number, readAt: number) => TextChange<T>

/**
 * Keeps short texts for several processes. Limiters and budgets differ by their store only.
 *
 * @example
 * const count = (value = '0') => ({ value: String(Number(value) + 1), result: Number(value) + 1 })
 * const visits = await memoryStore().update('visits', count)
 */
export interface SharedStore {
  /**
   * Reads a text, calls `change`, and stores what it returns, but only if no process has changed the text in between.
   * Otherwise it begins again, with the new text. Rejects if the text may not have been stored.
   *
   * `clock` is a clock that all processes read, in milliseconds; it may be set at any time. `readAt` is
   * `performance.now()` of this process, taken before text and clock were read.
   */
  update<T>(key: string, change: ChangeText<T>): Promise<T>
  /**
   * Calls the listener with each message, and without one if it may have missed some, for example when a connection is back.
   * Returns a function that ends it. It saves waiting: processes check again and again in any case.
   */
  watch?(key: string, listener: (message?: string) => void): () => void
}

/**
 * The key of a text.
 *
 * @param kind Names its format, with a number that changes with the format.
 * @param owner Hashed, since it may be an API key.
 */
export async function textKey(kind: string, owner: string): Promise<string> {
  return `${kind}:${(await sha256(owner)).slice(0, 32)}`
}

/** Runs an update, and rejects after `ms` without a reply. From then on, the store cannot compute the change. */
export function updateWithin<T>(
  ms: number,
  update: (inTime: ChangeText<T>) => Promise<T>,
  change: ChangeText<T>,
): Promise<T> {
  let isLate = false
  const inTime: ChangeText<T> = (...args) => {
    if (isLate) throw new Error('too late')
    return change(...args)
  }
  const late = (): never => {
    isLate = true
    throw new Error(`no reply within ${ms} ms`)
  }
  return within(ms, () => update(inTime), late)
}

/** What a process reads. */
export interface TaggedText {
  /** Changes with the text; empty if there is none. */
  readonly tag: string
  readonly text: string
  readonly clock: number
  /** For how long another process has the lock, in milliseconds. */
  readonly lockedMs: number
  /** When the process began to read it, in monotonic milliseconds. */
  readonly readAt: number
}

/** A text to store, if the present one still has this tag. */
interface Swap extends Omit<TextChange<unknown>, 'result'> {
  readonly tag: string
  readonly value: string
}

/**
 * Reads one text of a database. With `swap`, replaces it, sends the message, frees the lock, and resolves with undefined; if another process
 * was first, reads it instead. With `lockMs`, takes the lock for so long, unless another process has it: only its holder may write.
 */
export type CompareAndSwap = (lockMs?: number, swap?: Swap) => Promise<TaggedText | undefined>

/** Longest pause before a try while another process has the lock, in milliseconds. */
const backoffMs = 25

/**
 * Changes a text of a store that cannot compute the change itself. A process that has lost to others locks the text for as long as it needs
 * to read and write: otherwise one that is far away would lose to near ones for ever.
 */
export async function swapText<T>(change: ChangeText<T>, compareAndSwap: CompareAndSwap): Promise<T> {
  let [lockMs, swap]: Parameters<CompareAndSwap> = []
  let result!: T
  let mayHaveLock = false
  try {
    for (;;) {
      const found = await compareAndSwap(lockMs, swap)
      mayHaveLock = found !== undefined && lockMs !== undefined
      if (found === undefined) return result
      const { tag, text, clock, lockedMs, readAt } = found
      const { result: next, value, ...changed } = change(tag === '' ? undefined : text, clock, readAt)
      result = next
      if (value === undefined) return result
      lockMs = Math.min(1000, Math.ceil(20 + 2 * (performance.now() - readAt)))
      if (lockedMs > 0) await sleep(Math.random() * Math.min(lockedMs / 4, backoffMs))
      swap = lockedMs > 0 ? undefined : { tag, value, ...changed }
    }
  } finally {
    if (mayHaveLock) compareAndSwap(0).catch(() => {})
  }
}

/** Gets a message; undefined if some may be missing. */
export type Listener = (message?: string) => void

/** Who listens to the messages about which text, in one process. */
export class Listeners {
  readonly #all = new Set<{ readonly key: string; readonly listener: Listener }>()

  get size(): number {
    return this.#all.size
  }

  /** Returns a function that ends it. */
  add(key: string, listener: Listener): () => void {
    const each = { key, listener }
    this.#all.add(each)
    return () => void this.#all.delete(each)
  }

  /** Passes on a message about a text. A listener may end others, or begin to listen. */
  notify(key: string, message: string): void {
    for (const each of [...this.#all]) if (each.key === key) each.listener(message)
  }

  /** Messages about all texts may be missing. */
  reset(): void {
    for (const { listener } of [...this.#all]) listener()
  }

  clear(): void {
    this.#all.clear()
  }
}
