import { describe, expect, it } from 'vitest'
import { SharedLimiter, type SharedStore, memoryStore } from '../../src/extensions/shared/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { queueRequest } from '../support/limiter.ts'

virtualTime()

/** A limiter, what happens to its store, and what it logs. */
function open() {
  const { update } = memoryStore()
  const world = { error: undefined as Error | undefined, aheadMs: 0, attempts: 0, log: [] as unknown[] }
  const store: SharedStore = {
    update: (key, change) => {
      world.attempts++
      if (world.error) return Promise.reject(world.error)
      return update(key, (text, clock, readAt) => change(text, clock + world.aheadMs, readAt))
    },
  }
  const note = (message: string, details: unknown) => void world.log.push([message, details])
  const limiter = new SharedLimiter({ store, organization: 'acme', logger: { warn: note, info: note } })
  return { world, limiter }
}

describe('SharedLimiter', () => {
  it('keeps a call waiting while its store is away, tries again each second or less, and logs it once', async () => {
    const { world, limiter } = open()
    world.error = new AggregateError([new Error('refused by one'), new Error('refused by the other')])
    let isGranted = false
    const call = limiter.acquire(queueRequest()).finally(() => (isGranted = true))
    await pass(10_000)
    const away = ['the shared store is unavailable', { reason: 'refused by one, refused by the other' }]
    expect([isGranted, world.log]).toEqual([false, [away]])
    expect(world.attempts).toBeGreaterThanOrEqual(10)
    expect(world.attempts).toBeLessThanOrEqual(21)
    world.error = undefined
    await pass(1500)
    expect([isGranted, world.log]).toEqual([true, [away, ['the shared store is available again', {}]]])
    ;(await call).release()
    await settle(limiter.close())
  })

  it('logs each jump of the clock of its store once', async () => {
    const { world, limiter } = open()
    for (const aheadMs of [0, 0, 5000, 5000]) {
      world.aheadMs = aheadMs
      ;(await settle(limiter.acquire(queueRequest({ surface: null })))).value!.release()
      await pass(100)
    }
    expect(world.log).toEqual([['the clock of the store has jumped', { milliseconds: 5000 }]])
    await settle(limiter.close())
  })
})
