import type { SharedStore } from '../../src/extensions/shared/index.ts'
import { type Reading, swapText } from '../../src/extensions/shared/stores/swap.ts'

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A database in memory, to which processes connect from somewhere. */
export function distantDatabase() {
  const listeners = new Set<(notice: string) => void>()
  let [text, writes] = ['', 0]
  let lock = { by: {}, until: -Infinity }

  /** @param roundTripMs Milliseconds to the database and back. */
  const connect = (roundTripMs: number): SharedStore => ({
    update(_key, change) {
      const me = {}
      const run = async <T>(command: () => T): Promise<T> => {
        await pass(roundTripMs / 2)
        const reply = command()
        await pass(roundTripMs / 2)
        return reply
      }
      const lockedMs = () => (lock.by === me ? 0 : Math.max(0, lock.until - performance.now()))
      const readAs = (readAt: number, lockMs?: number): Reading => {
        if (lockMs !== undefined && lockedMs() === 0) lock = { by: me, until: performance.now() + lockMs }
        const tag = writes === 0 ? '' : String(writes)
        return { tag, text, clock: Date.now(), lockedMs: lockedMs(), readAt }
      }
      return swapText(change, (lockMs, swap) => {
        const readAt = performance.now()
        return run(() => {
          const { tag, value, notice } = swap ?? {}
          const isLost =
            value !== undefined && ((writes === 0 ? '' : String(writes)) !== tag || lockedMs() > 0)
          if (swap === undefined || isLost) return readAs(readAt, lockMs)
          if (lock.by === me) lock.until = -Infinity
          if (value !== undefined) [text, writes] = [value, writes + 1]
          if (notice !== undefined) for (const listener of listeners) listener(notice)
          return undefined
        })
      })
    },
    watch(_key, listener) {
      const receive = (notice: string): void => void setTimeout(() => listener(notice), roundTripMs / 2)
      listeners.add(receive)
      setTimeout(() => listener(), roundTripMs)
      return () => void listeners.delete(receive)
    },
  })
  return { connect, writes: () => writes }
}
