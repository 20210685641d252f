// A store that cannot compute a change itself compares and swaps: a process reads the text with its tag, computes the new text, and writes
// it if the tag is still the same.

import { sleep } from '../../../lib/time.ts'
import type { ChangeText, TextChange } from '../store.ts'

/** Longest pause before a try while another process has the lock, in milliseconds. */
const backoffMs = 25

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

/** A change to store, if the text still has this tag. */
interface Swap extends Omit<TextChange<unknown>, 'result'> {
  readonly tag: string
}

/**
 * Reads one text of a database. With `swap`, replaces it or only sends a message, frees the lock, and resolves with undefined; if another process
 * was first, reads it instead. With `lockMs`, takes the lock for so long, unless another process has it: only its holder may write.
 */
export type Exchange = (lockMs?: number, swap?: Swap) => Promise<TaggedText | undefined>

/**
 * Changes a text. A process that has lost to others locks it for as long as it needs to read and write: otherwise one that is far away
 * would lose to near ones for ever.
 */
export async function swapText<T>(change: ChangeText<T>, exchange: Exchange): Promise<T> {
  let [lockMs, swap]: Parameters<Exchange> = []
  let result!: T
  let mayHaveLock = false
  try {
    for (;;) {
      const found = await exchange(lockMs, swap)
      mayHaveLock = found !== undefined && lockMs !== undefined
      if (found === undefined) return result
      const { tag, text, clock, lockedMs, readAt } = found
      const { result: next, ...changed } = change(tag === '' ? undefined : text, clock, readAt)
      result = next
      if (changed.value === undefined && changed.message === undefined) return result
      lockMs = Math.min(1000, Math.ceil(20 + 2 * (performance.now() - readAt)))
      if (lockedMs > 0) await sleep(Math.random() * Math.min(lockedMs / 4, backoffMs))
      swap = lockedMs > 0 ? undefined : { tag, ...changed }
    }
  } finally {
    if (mayHaveLock) exchange(0).catch(() => {})
  }
}
