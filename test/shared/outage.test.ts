import { describe, expect, it, vi } from 'vitest'
import {
  SharedLimiter,
  type SharedLimiterOptions,
  type SharedStore,
  memoryStore,
} from '../../src/extensions/shared/index.ts'
import { abortIn, pass, settle, virtualTime } from '../support/clock.ts'
import { finish, queueRequest, refuse, watch } from '../support/limiter.ts'

virtualTime()

/** A limiter, what happens to its store, and what it logs. */
function open(options: Partial<SharedLimiterOptions> = {}) {
  const world = {
    store: memoryStore(),
    error: undefined as Error | undefined,
    aheadMs: 0,
    attempts: 0,
    log: [] as unknown[],
    isSilent: false,
    replyMs: 0,
  }
  const store: SharedStore = {
    async update(key, change) {
      world.attempts++
      if (world.isSilent) await new Promise(() => {})
      if (world.error) throw world.error
      const { aheadMs, replyMs } = world
      const result = await world.store.update(key, (text, clock, ...read) =>
        change(text, clock + aheadMs, ...read),
      )
      if (replyMs > 0) await new Promise((resolve) => setTimeout(resolve, replyMs))
      return result
    },
  }
  const note = (message: string, details: unknown) => void world.log.push([message, details])
  const limiterOf = () =>
    new SharedLimiter({ store, organization: 'acme', logger: { warn: note, info: note }, ...options })
  return { world, limiter: limiterOf(), limiterOf }
}

describe('SharedLimiter', () => {
  it('keeps calls waiting while its store is away, tries again each second or less, and logs it once', async () => {
    const { world, limiter } = open()
    world.error = new AggregateError([new Error('refused by one'), new Error('refused by the other')])
    const call = watch(limiter.acquire(queueRequest()))
    for (let i = 0; i < 100; i++) {
      const signal = abortIn(50)
      limiter.acquire(queueRequest({ signal })).catch(() => {})
      await pass(100)
    }
    const away = ['the shared store is unavailable', { reason: 'refused by one, refused by the other' }]
    expect([call.lease, world.log]).toEqual([undefined, [away]])
    expect(world.attempts).toBeGreaterThanOrEqual(10)
    expect(world.attempts).toBeLessThanOrEqual(21)
    world.error = undefined
    await pass(1500)
    expect(call.lease).toBeDefined()
    expect(world.log).toEqual([away, ['the shared store is available again', {}]])
  })

  it('tries no more once its store is away and no call waits, until one does or it is closed', async () => {
    const { world, limiter } = open()
    const { value: lease } = await settle(limiter.acquire(queueRequest({ surface: 'b' })))
    world.error = new Error('away')
    lease!.end({ refusedForMs: 5000 })
    // Until the others no longer count what it could report.
    await pass(70_000)
    limiter.acquire(queueRequest({ surface: null, signal: abortIn(5000) })).catch(() => {})
    await pass(7000)
    const { attempts } = world
    await pass(60_000)
    expect([attempts > 5, world.attempts]).toEqual([true, attempts])
    world.error = undefined
    ;(await settle(limiter.acquire(queueRequest({ surface: null })))).value!.end()
    world.error = new Error('away')
    const refused = settle(limiter.acquire(queueRequest()))
    await pass(3000)
    await settle(limiter.close())
    expect((await refused).error).toMatchObject({ code: 'closed' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('reports the end of a request and the next call in one update', async () => {
    const { world, limiter } = open()
    const use = () => settle(limiter.acquire(queueRequest({ surface: null })))
    const { value: lease } = await use()
    const { attempts } = world
    lease!.end()
    const { value: next } = await use()
    expect(world.attempts - attempts).toBe(1)
    next!.end()
    // A call without a surface has no pace.
    for (let i = 0; i < 25; i++) (await use()).value!.end()
    expect(performance.now()).toBeLessThan(10_000)
    await pass(100)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each(['a 429', 'a request in flight'])(
    'reports %s when its store is back, without a call that waits',
    async (what) => {
      const { world, limiter, limiterOf } = open({ limits: { inFlight: 1 } })
      const other = limiterOf()
      const request = queueRequest({ surface: null, maxClosedWaitMs: 1000 })
      const { value: lease } = await settle(limiter.acquire({ ...request, surface: 'b' }))
      world.error = new Error('away')
      if (what === 'a 429') lease!.end({ refusedForMs: 120_000 })
      // The others no longer count a request that was refused so long ago.
      await pass(what === 'a 429' ? 70_000 : 10_000)
      world.error = undefined
      await pass(2000)
      const { error } = await settle(other.acquire({ ...request, surface: 'b', signal: abortIn(30_000) }))
      // The 429 came 72 s ago.
      const closed = { code: 'rate_limited', retryAfter: 48 }
      expect(error).toMatchObject(what === 'a 429' ? closed : { name: 'AbortError' })
    },
  )

  it('counts a request that has ended while its store was away', async () => {
    const { world, limiter, limiterOf } = open({ limits: { perMinute: 1 } })
    const { value: lease } = await settle(limiter.acquire(queueRequest()))
    world.error = new Error('away')
    lease!.end()
    await pass(5000)
    world.error = undefined
    await settle(limiter.acquire(queueRequest({ surface: null })))
    await pass(100)
    expect((await settle(limiterOf().acquire(queueRequest()))).ms).toBeGreaterThan(50_000)
  })

  it('reports what happens while its store comes back', async () => {
    const { world, limiter, limiterOf } = open({ limits: { inFlight: 2 } })
    const other = limiterOf()
    const request = queueRequest({ surface: null, maxClosedWaitMs: 1000 })
    const [first, second] = [1, 2].map(() => limiter.acquire({ ...request, surface: 'b' }))
    const [short, long] = (await settle(Promise.all([first!, second!]))).value!
    world.error = new Error('away')
    short.end({ refusedForMs: 1 })
    await pass(100)
    Object.assign(world, { error: undefined, replyMs: 1500 })
    await pass(1000)
    long.end({ refusedForMs: 60_000 })
    world.replyMs = 0
    await pass(3000)
    const { error } = await settle(other.acquire({ ...request, surface: 'b' }))
    expect(error).toMatchObject({ code: 'rate_limited' })
    expect((await settle(other.acquire(request))).ms).toBeLessThan(1000)
  })

  it('does not ask again and again while a surface is closed here, since a reply was late, and open for the others', async () => {
    const { world, limiter, limiterOf } = open()
    const lease = async (surface: string) => (await settle(limiter.acquire(queueRequest({ surface })))).value!
    ;(await lease('a')).end()
    await settle(refuse(limiterOf(), 'a', 3000))
    await pass(10)
    world.replyMs = 1500
    const call = limiter.acquire(queueRequest())
    await pass(10)
    world.replyMs = 1
    await pass(3200)
    // Open in the store; the next update asks for the call, too.
    ;(await lease('b')).end()
    const { attempts } = world
    await pass(1000)
    expect(world.attempts - attempts).toBeLessThan(10)
    expect((await settle(call)).ms).toBeLessThan(500)
  })

  it('gives back what it was granted for a surface that has closed meanwhile', async () => {
    const { world, limiter, limiterOf } = open()
    const { value: refused } = await settle(limiter.acquire(queueRequest()))
    world.replyMs = 100
    limiter.acquire(queueRequest()).catch(() => {})
    await pass(50)
    refused!.end({ refusedForMs: 50_000 })
    await pass(500)
    world.replyMs = 0
    const other = limiterOf()
    const both = Promise.all([1, 2].map(() => other.acquire(queueRequest({ surface: null }))))
    expect((await settle(both)).ms).toBeLessThan(3000)
  })

  it('refuses a call at once whose deadline comes before the requests of all processes let it go', async () => {
    const { limiter, limiterOf } = open({ limits: { perMinute: 2 } })
    const other = limiterOf()
    for (let i = 0; i < 2; i++) {
      const { value: lease } = await settle(other.acquire(queueRequest()))
      finish(lease!)
      await pass(10_000)
    }
    // It hears of them.
    await settle(limiter.acquire(queueRequest({ surface: 'b' })))
    const ask = (ms?: number) => limiter.acquire(queueRequest({ sendBy: ms && performance.now() + ms }))
    const late = { code: 'timeout' }
    await expect(ask(35_000)).rejects.toMatchObject(late)
    const calls = [ask()]
    await expect(ask(45_000)).rejects.toMatchObject(late)
    calls.push(ask())
    await expect(ask(90_000)).rejects.toMatchObject(late)
    calls.push(ask(105_000))
    for (const call of calls) (await settle(call)).value!.end()
  })

  it('refuses a call that is too late, though there is room', async () => {
    const { limiter } = open()
    for (const sendBy of [-Infinity, performance.now() - 5000])
      await expect(limiter.acquire(queueRequest({ sendBy }))).rejects.toMatchObject({ code: 'timeout' })
  })

  it('refuses a call at once whose deadline comes before all that its process sends first', async () => {
    const { limiter } = open({ limits: { inFlight: 1, perMinute: 1 } })
    await settle(limiter.acquire(queueRequest({ surface: 'b' })))
    await pass(100_000)
    limiter.acquire(queueRequest()).catch(() => {})
    const { error } = await settle(limiter.acquire(queueRequest({ sendBy: performance.now() + 50_000 })))
    expect(error).toMatchObject({ code: 'timeout' })
  })

  it('keeps its slot while one of its calls waits for a closed surface', async () => {
    const { limiter, limiterOf } = open({ limits: { inFlight: 1 } })
    const request = queueRequest({ surface: null })
    await settle(refuse(limiter, 'b', 50_000))
    await settle(limiter.acquire(request))
    limiter.acquire({ ...request, surface: 'b' }).catch(() => {})
    const { error } = await settle(limiterOf().acquire({ ...request, signal: abortIn(40_000) }))
    expect(error).toMatchObject({ name: 'AbortError' })
  })

  it('uses no slot whose grant comes so late that another process may have it', async () => {
    const { world, limiter, limiterOf } = open({ limits: { inFlight: 1 }, storeTimeout: 30_000 })
    const request = queueRequest({ surface: null })
    ;(await settle(limiter.acquire(request))).value!.end()
    await pass(100)
    world.replyMs = 16_000
    const late = watch(limiter.acquire(request))
    await pass(1000)
    world.replyMs = 0
    const { value: lease } = await settle(limiterOf().acquire(request))
    await pass(5000)
    expect(late.lease).toBeUndefined()
    lease!.end()
    await pass(3000)
    expect(late.lease).toBeDefined()
  })

  it('asks again at once when the grant of a slot comes too late', async () => {
    const { world, limiter } = open({ storeTimeout: 30_000 })
    ;(await settle(limiter.acquire(queueRequest()))).value!.end()
    await pass(100)
    world.replyMs = 16_000
    const call = limiter.acquire(queueRequest())
    await pass(1000)
    world.replyMs = 0
    expect(Math.round((await settle(call)).ms / 1000)).toBe(15)
  })

  it('counts a request for a minute after the store has lost it, also when a new process was first there', async () => {
    const { world, limiter, limiterOf } = open({ limits: { perMinute: 1 } })
    const use = async (each: SharedLimiter, surface: string | null) => {
      const { value: lease, ms } = await settle(each.acquire(queueRequest({ surface })))
      finish(lease!)
      return ms
    }
    await use(limiter, null)
    await pass(100_000)
    await use(limiter, 'a')
    await pass(1000)
    world.store = memoryStore()
    const other = limiterOf()
    await use(other, null)
    await use(limiter, null)
    expect(Math.round((await use(other, 'a')) / 10_000)).toBe(6)
  })

  it('goes on when a store that answered nothing answers again', async () => {
    const { world, limiter } = open()
    world.isSilent = true
    const call = watch(limiter.acquire(queueRequest()))
    await pass(300_000)
    world.isSilent = false
    await pass(4000)
    expect(call.lease).toBeDefined()
    expect(world.log).toHaveLength(2)
    expect(world.log[0]).toContainEqual({ reason: 'no reply within 2000 ms' })
  })

  it.each([5000, -3_600_000, 365 * 86_400_000])(
    'keeps the rate limit when the clock of its store jumps by %i ms, and logs that once in each process',
    async (jump) => {
      const { world, limiter, limiterOf } = open({ limits: { perMinute: 4, windowMs: 1500 } })
      const limiters = [limiter, limiterOf(), limiterOf()]
      const sends: number[] = []
      for (let i = 0; i < 18; i++) {
        if (i === 6) world.aheadMs = jump
        const { value: lease } = await settle(limiters[i % 3]!.acquire(queueRequest()))
        sends.push(performance.now())
        finish(lease!)
        await pass(100)
      }
      sends.forEach((at, i) => expect((sends[i + 4] ?? Infinity) - at).toBeGreaterThanOrEqual(1500))
      const jumped = ['the clock of the store has jumped', { milliseconds: jump }]
      expect(world.log).toEqual(limiters.map(() => jumped))
    },
  )
})
