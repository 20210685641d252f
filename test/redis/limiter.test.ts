import { finish, refuse, watch } from '../support/limiter.ts'
import { describe, expect, it } from 'vitest'
import { redisStore, SharedLimiter } from '../../src/extensions/shared/index.ts'
import { realTime } from '../support/real-time.ts'
import { admin, evalCalls, network, newOrganization, worker } from './workers.ts'

const { pass } = realTime

/** Longer than a busy machine keeps a process from renewing it, in milliseconds. */
const leaseMs = 2000

describe('SharedLimiter.acquire()', () => {
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
    await expect.poll(() => waiting.lease).toBeDefined()
  })

  it('sends Redis only a hash of the organization', async () => {
    const monitor = await admin.monitor()
    const seen: string[] = []
    monitor.on('monitor', (_: string, args: string[]) => seen.push(args.join(' ')))
    const { ask, limiter } = await worker(newOrganization())
    finish(await ask())
    await refuse(limiter, 'a', 10)
    await pass(100)
    monitor.disconnect()
    expect(seen.join('\n')).toContain('social-search:limits-6:')
    expect(seen.join('\n')).not.toContain('org_live')
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
    expect([key.startsWith('social-search:limits-6:'), others]).toEqual([true, []])
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
})

describe('new SharedLimiter()', () => {
  it.each([
    [{ store: {} }, /store must implement update\(\)/],
    [{ organization: '' }, /organization must be a string/],
    [{ limits: { perSecond: 1 } }, /unknown option limits.perSecond/],
    [{ limits: { inFlight: 0 } }, /limits.inFlight must be a whole number/],
    [{ lease: 0 }, /lease must be a number of milliseconds/],
    [{ retries: 1 }, /unknown option retries/],
  ])('refuses %j', (options, message) => {
    const good = { store: redisStore(admin), organization: 'a' }
    expect(() => new SharedLimiter({ ...good, ...options } as never)).toThrow(message)
  })
})
