import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  SharedLimiter,
  type SharedStore,
  memoryStore,
  sqliteStore,
} from '../../src/extensions/shared/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { newFolder } from '../support/folder.ts'
import { sharedLimiterContract } from './limiter-contract.ts'
import { finish, queueRequest } from '../support/limiter.ts'

virtualTime()

const store = memoryStore()
sharedLimiterContract('SharedLimiter on memoryStore()', () => store, undefined, { pass, settle })

const path = join(newFolder(), 'shared.sqlite')
sharedLimiterContract('SharedLimiter on sqliteStore()', () => sqliteStore(path), undefined, { pass, settle })

/** Lets time pass until limiters have done some work and are closed. */
async function during(limiters: readonly SharedLimiter[], work: () => Promise<unknown>): Promise<void> {
  const { error } = await settle(work())
  await settle(Promise.all(limiters.map((limiter) => limiter.close())))
  if (error !== undefined) throw error as Error
}
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Has two limiters take the only slot in turn, twice. @param ms How long the second one waits for it. */
async function takeTurns(
  [first, second]: readonly [SharedLimiter, SharedLimiter],
  ms: number,
): Promise<void> {
  for (let i = 0; i < 2; i++) {
    const taken = await first.acquire(queueRequest({ surface: null }))
    const waiting = second.acquire(queueRequest({ surface: null }))
    await wait(ms)
    taken.end()
    ;(await waiting).end()
  }
}

describe('SharedLimiter on a store without watch()', () => {
  const limits = { inFlight: 1, perMinute: 1000, windowMs: 600 }

  /** Two processes that poll. */
  function open(): [SharedLimiter, SharedLimiter] {
    const { update } = memoryStore()
    const options = { store: { update }, organization: 'acme', limits }
    return [new SharedLimiter(options), new SharedLimiter(options)]
  }

  it('finds a slot as soon after a long wait as at first', async () => {
    const [first, second] = open()
    /** How long after its release the other process has a slot that was taken for a while. */
    const delayAfter = async (takenMs: number) => {
      const [taken, waiting] = [await ask(first), ask(second)]
      await wait(takenMs)
      const releasedAt = performance.now()
      taken.end()
      ;(await waiting).end()
      return performance.now() - releasedAt
    }
    const ask = (limiter: SharedLimiter) => limiter.acquire(queueRequest({ surface: null }))
    await during([first, second], async () => {
      // Looks in a long wait are up to two seconds apart.
      await delayAfter(60_000)
      expect(await delayAfter(20)).toBeLessThan(500)
    })
  })

  it('polls when a store has watch() and no message arrives', async () => {
    const options = { store: { ...memoryStore(), watch: () => () => {} }, organization: 'acme', limits }
    const [first, second] = [new SharedLimiter(options), new SharedLimiter(options)]
    await during([first, second], () => takeTurns([first, second], 10_000))
  })

  it('stores nothing while a call waits, although each reading of the clock is late by another time', async () => {
    const store = memoryStore()
    let [readings, writes] = [0, 0]
    const update: SharedStore['update'] = (key, change) =>
      store.update(key, (text, clock, readAt) => {
        const changed = change(text, clock + (readings++ % 3) * 10, readAt)
        if (changed.value !== undefined) writes++
        return changed
      })
    const options = { store: { update }, organization: 'acme', limits: { inFlight: 1 } }
    const [first, second] = [new SharedLimiter(options), new SharedLimiter(options)]
    await during([first, second], async () => {
      // Others count this request for a minute.
      ;(await second.acquire(queueRequest())).end()
      await wait(100)
      const taken = await first.acquire(queueRequest())
      const waiting = second.acquire(queueRequest())
      await wait(100)
      readings = writes = 0
      await wait(3000)
      expect([readings > 2, writes]).toEqual([true, 0])
      taken.end()
      ;(await waiting).end()
    })
  })
})

it('SharedLimiter.waitOf() is null until the process has all slots', async () => {
  const limiter = new SharedLimiter({ store: memoryStore(), organization: 'acme' })
  await during([limiter], async () => {
    const use = () => limiter.acquire(queueRequest())
    ;(await use()).end()
    expect(limiter.waitOf('a')).toBeNull()
    for (let i = 0; i < 2; i++) await use()
    expect(limiter.waitOf('a')).toEqual({ reason: 'slot', ms: Infinity })
  })
})

it('SharedLimiter.waitOf() says how long the next call waits for the pace, and its lease how long it has', async () => {
  const limits = { perMinute: 1, windowMs: 10_000 }
  const limiter = new SharedLimiter({ store: memoryStore(), organization: 'acme', limits })
  await during([limiter], async () => {
    const lease = await limiter.acquire(queueRequest())
    finish(lease)
    const waiting = limiter.acquire(queueRequest())
    await wait(1000)
    expect(limiter.waitOf('a')).toEqual({ reason: 'pace', ms: expect.closeTo(9000, -3) as number })
    expect((await waiting).paced).toBeGreaterThan(9000)
  })
})
