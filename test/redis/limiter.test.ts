import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { redisStore, SharedLimiter } from '../../src/extensions/shared/index.ts'
import { realTime } from '../support/real-time.ts'
import {
  admin,
  evalCalls,
  finish,
  isGrant,
  network,
  newOrganization,
  server,
  unreachable,
  watch,
  worker,
} from './workers.ts'

const { pass, settle } = realTime

/** Longer than a busy machine keeps a process from renewing it, in milliseconds. */
const leaseMs = 2000

describe('SharedLimiter.acquire()', () => {
  it('takes over the slot of a dead process, and keeps that of a slow one', async () => {
    const org = newOrganization()
    const limits = { inFlight: 1 }
    const [first, second] = [
      await worker(org, { limits, lease: leaseMs }),
      await worker(org, { limits, lease: leaseMs }),
    ]
    await first.ask()
    const waiting = watch(second.ask())
    await pass(1.5 * leaseMs)
    expect(waiting.lease).toBeUndefined()
    first.connection.cut()
    await expect.poll(() => waiting.lease).toBeDefined()
  })

  it('keeps the slot of a request in flight when its limiter is closed', async () => {
    const org = newOrganization()
    const options = { limits: { inFlight: 1 }, lease: leaseMs }
    const [first, second] = [await worker(org, options), await worker(org, options)]
    const lease = await first.ask()
    await first.limiter.close()
    const waiting = watch(second.ask())
    await pass(1.5 * leaseMs)
    expect(waiting.lease).toBeUndefined()
    finish(lease)
    await expect.poll(() => waiting.lease, { timeout: 5000 }).toBeDefined()
  })

  it('sends Redis only a hash of the organization', async () => {
    const monitor = await admin.monitor()
    const seen: string[] = []
    monitor.on('monitor', (_: string, args: string[]) => seen.push(args.join(' ')))
    const { ask, limiter } = await worker(newOrganization())
    finish(await ask())
    limiter.closeSurface('a', 10)
    await pass(100)
    monitor.disconnect()
    expect(seen.join('\n')).toContain('social-search:limits-2:')
    expect(seen.join('\n')).not.toContain('org_live')
  })

  it('reports a 429 before it frees the slot of its request', async () => {
    const { ask, limiter } = await worker(newOrganization())
    finish(await ask())
    const lease = await ask()
    const heard: string[] = []
    const listener = new Redis(server.url)
    listener.on('pmessage', (_: string, __: string, message: string) => void heard.push(message))
    await listener.psubscribe('social-search:*')
    limiter.closeSurface('a', 5000)
    finish(lease)
    await expect.poll(() => heard.find((notice) => notice.includes('"*"'))).toBeDefined()
    listener.disconnect()
  })

  it('grants one lease when the client of Redis repeats the command', async () => {
    const { commands, wrap } = network()
    const { ask } = await worker(newOrganization(), { limits: { inFlight: 1 }, lease: 60_000 }, wrap)
    commands.meet = (send) => send().then(send)
    for (let i = 0; i < 2; i++) finish(await ask())
  })

  it('keeps one key in Redis, which expires two days after its last use', async () => {
    await admin.flushall()
    const { ask } = await worker(newOrganization())
    finish(await ask())
    await pass(50)
    const [key = '', ...others] = await admin.keys('*')
    expect([key.startsWith('social-search:limits-2:'), others]).toEqual([true, []])
    expect(await admin.pttl(key)).toBeGreaterThan(2 * 86_400_000 - 10_000)
  })

  it('sends few requests to Redis while it waits for a slot', async () => {
    const org = newOrganization()
    const workers = await Promise.all([1, 2, 3, 4].map(() => worker(org, { limits: { perMinute: 100 } })))
    const leases = await Promise.all([workers[0]!.ask(), workers[1]!.ask()])
    const waiting = workers.map(({ ask }) => ask())
    await pass(200)
    const before = await evalCalls()
    await pass(3000)
    expect((await evalCalls()) - before).toBeLessThanOrEqual(4 * 4)
    leases.forEach(finish)
    for (const call of waiting) void call.then(finish)
    await Promise.all(waiting)
  })

  it('serves processes in turns, and skips a dead one', async () => {
    const org = newOrganization()
    const limits = { inFlight: 1, perMinute: 1000 }
    const [dead, ...workers] = await Promise.all(
      [300, 60_000, 60_000, 60_000].map((lease) => worker(org, { limits, lease })),
    )
    // Each has connected.
    for (const { ask } of workers) finish(await ask())
    await dead!.ask({ surface: 'b' })
    void settle(dead!.ask({ surface: 'b' }))
    await pass(100)
    dead!.connection.cut()
    const turns = workers.map(() => 0)
    let left = 120
    const loop = async (i: number): Promise<void> => {
      while (left > 0) {
        const lease = await workers[i]!.ask({ surface: 'b' })
        if (left-- > 0) turns[i]!++
        await pass(2)
        finish(lease)
      }
    }
    const loops = workers.flatMap((_, i) => [loop(i), loop(i)])
    await Promise.all(loops)
    expect(Math.min(...turns)).toBeGreaterThanOrEqual(20)
  })

  it('finds a free slot without a notice', async () => {
    const org = newOrganization()
    const limits = { inFlight: 1 }
    const first = await worker(org, { limits })
    const deaf = await worker(org, { limits }, unreachable)
    const lease = await first.ask()
    const waiting = deaf.ask()
    await pass(100)
    finish(lease)
    finish(await waiting)
  })

  it('cancels a grant whose reply came too late', async () => {
    const options = { limits: { inFlight: 1 }, lease: 600_000, storeTimeout: 1000 }
    const { commands, wrap } = network()
    const { ask, log } = await worker(newOrganization(), options, wrap)
    let delays = 1
    commands.meet = async (send, args) => {
      const reply = await send()
      if (isGrant(args) && delays-- > 0) await pass(1500)
      return reply
    }
    finish(await ask())
    expect(log).toEqual(['the shared store is unavailable', 'the shared store is available again'])
  })

  it('cancels a grant whose reply was lost with the connection', async () => {
    const limits = { perMinute: 2, windowMs: 60_000 }
    const { commands, wrap } = network()
    const { ask } = await worker(newOrganization(), { limits, lease: 60_000 }, wrap)
    let losses = 2
    commands.meet = async (send, args) => {
      const reply = await send()
      if (isGrant(args) && losses-- > 0) throw new Error('it closed')
      return reply
    }
    const calls = [watch(ask()), watch(ask())]
    await expect.poll(() => calls.every(({ lease }) => lease), { timeout: 10_000 }).toBe(true)
  })

  it('does not use a grant that has expired', async () => {
    const org = newOrganization()
    const options = { limits: { inFlight: 1 }, lease: 300, storeTimeout: 5000 }
    const { commands, wrap } = network()
    const [slow, other] = [await worker(org, options, wrap), await worker(org, options)]
    commands.meet = async (send, args) => {
      const reply = await send()
      if (isGrant(args)) await pass(1000)
      return reply
    }
    const waiting = watch(slow.ask())
    await pass(500)
    await other.ask()
    await pass(1000)
    expect(waiting.lease).toBeUndefined()
  })
})

describe('new SharedLimiter()', () => {
  it.each([
    [{ store: {} }, /store must implement update\(\)/],
    [{ organization: '' }, /organization must be a string/],
    [{ onUnavailable: 'ignore' }, /onUnavailable must be wait or local/],
    [{ localShare: 2 }, /localShare must be a number above 0 and up to 1, got 2/],
    [{ limits: { perSecond: 1 } }, /unknown option limits.perSecond/],
    [{ limits: { inFlight: 0 } }, /limits.inFlight must be a whole number/],
    [{ lease: 0 }, /lease must be a number of milliseconds/],
    [{ retries: 1 }, /unknown option retries/],
  ])('refuses %j', (options, message) => {
    const good = { store: redisStore(admin), organization: 'a' }
    expect(() => new SharedLimiter({ ...good, ...options } as never)).toThrow(message)
  })
})
