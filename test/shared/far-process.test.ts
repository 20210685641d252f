import { describe, expect, it, vi } from 'vitest'
import { SharedLimiter, type SharedStore } from '../../src/extensions/shared/index.ts'
import { type CompareAndSwap, type TaggedText, swapText } from '../../src/extensions/shared/store.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { queueRequest } from '../support/limiter.ts'

virtualTime()
const request = queueRequest()
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A database in memory, to which processes connect from somewhere. */
function distantDatabase() {
  const listeners = new Set<(message: string) => void>()
  let [text, writes] = ['', 0]
  let lock = { by: {}, until: -Infinity }
  const tagOf = () => (writes === 0 ? '' : String(writes))

  /** @param roundTripMs Milliseconds to the database and back. */
  const connect = (roundTripMs: number): SharedStore => ({
    update(_key, change) {
      const me = {}
      const run = async <T>(command: () => T): Promise<T> => {
        await wait(roundTripMs / 2)
        const reply = command()
        await wait(roundTripMs / 2)
        return reply
      }
      const lockedMs = () => (lock.by === me ? 0 : Math.max(0, lock.until - performance.now()))
      const readAs = (readAt: number, lockMs?: number): TaggedText => {
        if (lockMs !== undefined && lockedMs() === 0) lock = { by: me, until: performance.now() + lockMs }
        return { tag: tagOf(), text, clock: Date.now(), lockedMs: lockedMs(), readAt }
      }
      return swapText(change, (lockMs, swap) => {
        const readAt = performance.now()
        return run(() => {
          if (swap?.tag !== tagOf() || lockedMs() > 0) return readAs(readAt, lockMs)
          const { value, message } = swap
          if (lock.by === me) lock.until = -Infinity
          ;[text, writes] = [value, writes + 1]
          if (message !== undefined) for (const listener of listeners) listener(message)
          return undefined
        })
      })
    },
    watch(_key, listener) {
      const receive = (message: string): void => void setTimeout(() => listener(message), roundTripMs / 2)
      listeners.add(receive)
      setTimeout(() => listener(), roundTripMs)
      return () => void listeners.delete(receive)
    },
  })
  return { connect }
}

/** Lets processes call all the time, each so many milliseconds from the store and back, and notes what the service sees. */
async function fleet(callers: readonly number[], seconds: number) {
  const { connect } = distantDatabase()
  const sends: { at: number; by: number }[] = []
  let [open, mostOpen, isOver] = [0, 0, false]
  const limiters = callers.map((roundTripMs) => {
    const options = { store: connect(roundTripMs), organization: 'acme', logger: false } as const
    return new SharedLimiter(options)
  })
  const call = async (by: number): Promise<void> => {
    while (!isOver) {
      const lease = await limiters[by]!.acquire({ ...request, queuedAt: performance.now() })
      lease.sent()
      mostOpen = Math.max(mostOpen, ++open)
      sends.push({ at: performance.now(), by })
      await wait(50)
      open--
      lease.answered()
      lease.end()
    }
  }
  for (const by of callers.keys()) for (let i = 0; i < 100; i++) call(by).catch(() => {})
  await pass(seconds * 1000)
  isOver = true
  await settle(Promise.all(limiters.map((limiter) => limiter.close())))
  return { mostOpen, sends }
}

describe('swapText()', () => {
  it('asks nothing more of a database that it cannot reach', async () => {
    const exchange = vi.fn<CompareAndSwap>().mockRejectedValue(new Error('down'))
    await expect(swapText(() => ({ result: 0 }), exchange)).rejects.toThrow('down')
    expect(exchange).toHaveBeenCalledOnce()
  })
})

describe('SharedLimiter', () => {
  it.each([0, 60, 150, 300].flatMap((far) => [1, 3].map((near) => [far, near] as const)))(
    'grants all that is allowed, in turns, to a process %i ms from the store and to %i near ones',
    async (far, near) => {
      const callers = [far, ...Array<number>(near).fill(2)]
      const { mostOpen, sends } = await fleet(callers, 330)
      expect(sends.length).toBeGreaterThanOrEqual(100)
      expect(mostOpen).toBe(2)
      for (const [i, { at }] of sends.slice(20).entries())
        expect(at - sends[i]!.at).toBeGreaterThanOrEqual(60_000)
      // The near ones are faster once, while the far one asks for the first time.
      const equal = (sends.length - 20) / callers.length
      const later = callers.map((_, by) => sends.slice(20).filter((each) => each.by === by).length)
      for (const count of later) expect(Math.abs(count / equal - 1)).toBeLessThan(0.1)
    },
  )

  it('frees the slot of a refused request with the news of its 429, also during an update', async () => {
    const { connect } = distantDatabase()
    const limits = { inFlight: 1 }
    const [near, far] = [2, 200].map(
      (ms) => new SharedLimiter({ store: connect(ms), organization: 'acme', limits }),
    )
    await pass(7000)
    const { value: refused } = await settle(far!.acquire(request))
    const next = near!.acquire(request)
    await pass(1000)
    // It asks for its other call, and is about to get the state.
    void far!.acquire({ ...request, surface: 'b' }).then((lease) => lease.end())
    await pass(100)
    refused!.end({ refusedForMs: 5000 })
    const { ms } = await settle(next)
    expect([ms >= 5000, Math.round(ms / 5000)]).toEqual([true, 1])
  })
})
