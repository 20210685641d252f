import { sleep } from '../../../lib/time.ts'
import type { ChangeText, TextChange } from '../store.ts'

/** Longest pause before a try while another process has the lock, in milliseconds. */
const backOffMs = 25

/** What a process reads. */
export interface Reading {
  /** Changes with the text; empty if there is none. */
  readonly tag: string
  readonly text: string
  readonly clock: number
  /** For how long another process has the lock, in milliseconds. */
  readonly lockedMs: number
  /** When the reading began, in monotonic milliseconds. */
  readonly readAt: number
}

/** A change to store, if the text still has this tag. */
interface Swap extends Omit<TextChange<unknown>, 'result'> {
  readonly tag: string
}

/**
 * Reads one text of a database. With `swap`, replaces it or only sends a notice, and resolves with undefined; if another process was
 * first, reads it instead. With `lockMs`, takes the lock for so long, unless another process has it: only its holder may write.
 */
export type Exchange = (lockMs?: number, swap?: Swap) => Promise<Reading | undefined>

/**
 * Changes a text. A process that has lost to others locks it for as long as it needs to read and write: otherwise one that is far away
 * would lose to near ones for ever.
 */
export async function swapText<T>(change: ChangeText<T>, exchange: Exchange): Promise<T> {
  let [lockMs, swap]: Parameters<Exchange> = []
  let result!: T
  for (;;) {
    const reading = await exchange(lockMs, swap)
    if (reading === undefined) return result
    const { tag, text, clock, lockedMs, readAt } = reading
    const { result: next, ...changed } = change(tag === '' ? undefined : text, clock, readAt)
    result = next
    if (changed.value === undefined && changed.notice === undefined) {
      if (lockMs !== undefined) exchange(0).catch(() => {})
      return result
    }
    lockMs = Math.min(1000, Math.ceil(20 + 2 * (performance.now() - readAt)))
    if (lockedMs > 0) await sleep(Math.random() * Math.min(lockedMs / 4, backOffMs))
    swap = lockedMs > 0 ? undefined : { tag, ...changed }
  }
}
