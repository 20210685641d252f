import { sleep } from '../../../lib/time.ts'
import type { ChangeText, TextChange } from '../store.ts'

/** Longest wait for the claim of another process, in milliseconds. */
const backOffMs = 25

/** What a process reads. */
export interface Reading {
  /** Changes with the text; empty if there is none. */
  readonly tag: string
  readonly text: string
  readonly clock: number
  /** For how long another process has claimed the next write, in milliseconds. */
  readonly claimedMs: number
  /** When the reading began, in monotonic milliseconds. */
  readonly readAt: number
}

/** A change to store, if the text still has this tag. */
interface Swap extends Omit<TextChange<unknown>, 'result'> {
  readonly tag: string
}

/**
 * Reads one text of a database. With `swap`, replaces it or only sends a notice, and resolves with undefined; if another process was
 * first, reads it instead. A process that reads with `claimMs` claims the next write for so long, unless another process has.
 */
export type Exchange = (claimMs?: number, swap?: Swap) => Promise<Reading | undefined>

/**
 * Changes a text. A process that has lost to others claims the next write for as long as it needs to read and write: otherwise one
 * that is far away would lose to near ones for ever.
 */
export async function swapText<T>(change: ChangeText<T>, exchange: Exchange): Promise<T> {
  let [claimMs, swap]: Parameters<Exchange> = []
  let result!: T
  for (;;) {
    const reading = await exchange(claimMs, swap)
    if (reading === undefined) return result
    const { tag, text, clock, claimedMs, readAt } = reading
    const { result: next, ...changed } = change(tag === '' ? undefined : text, clock, readAt)
    result = next
    if (changed.value === undefined && changed.notice === undefined) {
      if (claimMs !== undefined) exchange(0).catch(() => {})
      return result
    }
    claimMs = Math.min(1000, Math.ceil(20 + 2 * (performance.now() - readAt)))
    if (claimedMs > 0) await sleep(Math.random() * Math.min(claimedMs / 4, backOffMs))
    swap = claimedMs > 0 ? undefined : { tag, ...changed }
  }
}
