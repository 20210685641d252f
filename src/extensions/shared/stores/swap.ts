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

/** One text of a database that replaces it only if its tag is the expected one. */
export interface TaggedText {
  /** Reads it. With `claimMs`, claims the next write for so long, unless another process has. */
  readonly read: (claimMs?: number) => Promise<Reading>
  /** Replaces it, or only sends a notice. If another process was first, claims the next write, and resolves with the new text. */
  readonly write: (
    tag: string,
    change: Omit<TextChange<unknown>, 'result'>,
    claimMs: number,
  ) => Promise<Reading | undefined>
}

/**
 * Changes a text. A process that has lost to others claims the next write for as long as it needs to read and write: otherwise one
 * that is far away would lose to near ones for ever.
 */
export async function swapText<T>(change: ChangeText<T>, { read, write }: TaggedText): Promise<T> {
  let reading = await read()
  for (let isFirst = true; ; isFirst = false) {
    const { tag, text, clock, claimedMs, readAt } = reading
    const { result, ...changed } = change(tag === '' ? undefined : text, clock, readAt)
    if (changed.value === undefined && changed.notice === undefined) {
      if (!isFirst) read(0).catch(() => {})
      return result
    }
    const claimMs = Math.min(1000, Math.ceil(20 + 2 * (performance.now() - readAt)))
    if (claimedMs > 0) await sleep(Math.random() * Math.min(claimedMs / 4, backOffMs))
    const next = claimedMs > 0 ? await read(claimMs) : await write(tag, changed, claimMs)
    if (next === undefined) return result
    reading = next
  }
}
