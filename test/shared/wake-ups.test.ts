import { describe, expect, it } from 'vitest'
import { SharedLimiter, type SharedLimiterOptions, memoryStore } from '../../src/extensions/shared/index.ts'
import { abortIn, pass, settle, virtualTime } from '../support/clock.ts'
import { queueRequest, refuse } from '../support/limiter.ts'

virtualTime()

const request = queueRequest()

/** Processes of one organization, and what happens to their store. */
function open(options: Partial<SharedLimiterOptions> = {}) {
  const { update, watch } = memoryStore()
  const listeners = new Set<(message?: string) => void>()
  const world = {
    isMuted: false,
    /** How long an update takes, in milliseconds, and how many run. */
    updateMs: 0,
    open: 0,
    /** How long the store has to keep the text, in milliseconds. */
    ttlMs: 0,
    log: [] as string[],
    messages: [] as (string | undefined)[],
    /** Sends a message to all. */
    notify: (message?: object) => listeners.forEach((listener) => listener(JSON.stringify(message))),
  }
  const store: SharedLimiterOptions['store'] = {
    async update(key, change) {
      world.open++
      if (world.updateMs > 0) await new Promise((resolve) => setTimeout(resolve, world.updateMs))
      const noted: typeof change = (...given) => {
        const changed = change(...given)
        world.ttlMs = changed.ttlMs ?? Infinity
        return changed
      }
      return update(key, noted).finally(() => world.open--)
    },
    watch(key, listener) {
      listeners.add(listener)
      return watch!(key, (message) => {
        if (world.isMuted) return
        world.messages.push(message)
        listener(message)
      })
    },
  }
  const logger = { warn: (message: string) => void world.log.push(message) }
  const limiterOf = (own: Partial<SharedLimiterOptions> = {}) =>
    new SharedLimiter({ store, organization: 'acme', logger, ...options, ...own })
  const use = async (limiter: SharedLimiter, surface: string | null) =>
    (await settle(limiter.acquire({ ...request, surface }))).value!.end()
  return { world: Object.assign(world, { store }), limiterOf, use }
}

describe('SharedLimiter', () => {
  it('knows of a 429 of another process at once, also when a message for others follows', async () => {
    const { world, limiterOf, use } = open({ limits: { inFlight: 1 } })
    const [first, second] = [limiterOf(), limiterOf()]
    for (const limiter of [first, second]) await use(limiter, null)
    const { value: lease } = await settle(first.acquire(request))
    let error: unknown
    second.acquire({ ...request, maxClosedWaitMs: 1000 }).catch((reason: unknown) => (error = reason))
    await pass(500)
    lease!.end({ refusedForMs: 30_000 })
    for (let ms = 0; ms < 50; ms++) {
      await pass(1)
      world.notify({ from: 'other', processes: ['another'] })
    }
    expect(error).toMatchObject({ code: 'rate_limited' })
    // It is sent once.
    await pass(100)
    world.messages.length = 0
    await use(first, 'b')
    expect(world.messages.filter((message) => message?.includes('*'))).toEqual([])
  })

  it('keeps a surface closed for a day at most, in all processes, and its store knows it for as long', async () => {
    const { world, limiterOf } = open()
    const [first, second] = [limiterOf(), limiterOf()]
    await settle(refuse(first, 'a', 365 * 86_400_000))
    await pass(100)
    expect(world.ttlMs).toBeGreaterThan(86_400_000)
    await pass(86_400_000)
    const { error } = await settle(second.acquire({ ...request, maxClosedWaitMs: 1000 }))
    expect(error).toBeUndefined()
  })

  it('looks at once when its connection for messages is back', async () => {
    const { world, limiterOf } = open({ limits: { inFlight: 1 } })
    const [first, second] = [limiterOf(), limiterOf()]
    const { value: lease } = await settle(first.acquire(request))
    const next = second.acquire(request)
    await pass(10_000)
    world.isMuted = true
    lease!.end()
    await pass(20)
    world.notify()
    expect((await settle(next)).ms).toBeLessThan(20)
  })

  it('asks again for a call that follows one that has left, also after messages for others', async () => {
    const { world, limiterOf } = open({ limits: { inFlight: 1 } })
    const { update } = world.store
    let isDead = false
    const dying = limiterOf({
      store: { update: (...args) => (isDead ? new Promise(() => {}) : update(...args)) },
    })
    const limiter = limiterOf()
    await settle(dying.acquire(request))
    isDead = true
    await settle(limiter.acquire({ ...request, signal: abortIn(100) }))
    world.notify({ from: 'another', processes: ['a third'] })
    await pass(10)
    expect((await settle(limiter.acquire(request))).error).toBeUndefined()
  })

  it('gives a slot back at once that comes when its call has left', async () => {
    const { limiterOf } = open({ limits: { inFlight: 1 } })
    const [first, second, third] = [limiterOf(), limiterOf(), limiterOf()]
    const { value: lease } = await settle(first.acquire(request))
    second.acquire({ ...request, signal: abortIn(100) }).catch(() => {})
    await pass(50)
    const next = third.acquire(request)
    await pass(100)
    lease!.end()
    expect((await settle(next)).ms).toBeLessThan(150)
  })

  it('close() gives up the places of its calls, and leaves nothing to do at the store', async () => {
    const { world, limiterOf } = open({ limits: { inFlight: 1 } })
    const [first, second, third] = [limiterOf(), limiterOf(), limiterOf()]
    const { value: lease } = await settle(first.acquire(request))
    let error: unknown
    second.acquire(request).catch((reason: unknown) => (error = reason))
    await pass(100)
    const next = third.acquire(request)
    await pass(100)
    world.updateMs = 10
    await settle(second.close())
    expect(world.open).toBe(0)
    world.updateMs = 0
    for (const each of [error, (await settle(second.acquire(request))).error])
      expect(each).toMatchObject({ message: 'the limiter is closed; create another' })
    world.messages.length = 0
    lease!.end()
    expect((await settle(next)).ms).toBeLessThan(150)
    // By the other two.
    expect(world.messages).toHaveLength(2)
  })
})
