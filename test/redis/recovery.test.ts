import { describe, expect, it } from 'vitest'
import { realTime } from '../support/real-time.ts'
import { admin, finish, network, newOrganization, server, unreachable, watch, worker } from './workers.ts'

const { pass, settle } = realTime

/** All that Redis has stored. */
const texts = async () =>
  (await Promise.all((await admin.keys('*')).map((key) => admin.hget(key, 'text')))).join()

describe('SharedLimiter after an outage or a loss of data in Redis', () => {
  it('counts a request from its sending, even if Redis was unreachable then', async () => {
    const org = newOrganization()
    const limits = { perMinute: 1, windowMs: 3000 }
    const { commands, wrap } = network()
    const [first, second] = [await worker(org, { limits, lease: 600 }, wrap), await worker(org, { limits })]
    const lease = await first.ask()
    commands.meet = () => Promise.reject(new Error('it closed'))
    await pass(2000)
    lease.sent()
    const start = performance.now()
    commands.meet = (send) => send()
    await expect.poll(() => first.log, { timeout: 5000 }).toHaveLength(2)
    lease.release()
    await second.ask()
    expect(performance.now() - start).toBeGreaterThanOrEqual(3000)
  })

  it('closes a surface no longer than announced when a 429 arrived while Redis was unreachable', async () => {
    const org = newOrganization()
    // A closure is known as exactly as the time of an update is.
    const options = { storeTimeout: 1000 }
    const [first, second] = [await worker(org, options), await worker(org, options)]
    finish(await first.ask())
    await server.suspend()
    void settle(first.ask())
    await expect.poll(() => first.log).toHaveLength(1)
    first.limiter.closeSurface('b', 60_000)
    await pass(3000)
    await server.resume()
    await expect.poll(() => first.log, { timeout: 5000 }).toHaveLength(2)
    const { error } = await settle(second.ask({ surface: 'b', maxClosedWaitMs: 1000 }))
    expect((error as { remaining: number }).remaining).toBeLessThan(58_500)
  })

  it('restores the requests of a process that no notice reaches, when it asks again', async () => {
    const org = newOrganization()
    const limits = { perMinute: 2, windowMs: 3000 }
    const [deaf, other] = [await worker(org, { limits }, unreachable), await worker(org, { limits })]
    for (let i = 0; i < 2; i++) finish(await deaf.ask())
    const start = performance.now()
    await admin.flushall()
    finish(await other.ask({ surface: 'b' }))
    finish(await deaf.ask())
    expect(performance.now() - start).toBeGreaterThanOrEqual(2900)
  })

  it('makes a new process wait until the others have restored lost data', async () => {
    const org = newOrganization()
    const limits = { inFlight: 1 }
    const first = await worker(org, { limits, lease: 60_000 })
    await first.ask()
    await pass(300)
    await admin.flushall()
    const { commands, wrap } = network()
    const newcomer = await worker(org, { limits, storeTimeout: 30_000 }, wrap)
    let sent = 0
    commands.meet = async (send) => {
      // It has read that there is no state, and stored one. What it does later comes late enough on any machine.
      if (++sent > 2) await expect.poll(texts).toContain('"slots":1')
      return send()
    }
    const next = watch(newcomer.ask())
    await expect.poll(() => sent, { timeout: 5000 }).toBeGreaterThan(3)
    await pass(500)
    expect(next.lease).toBeUndefined()
  })

  it('makes all processes wait until lost data is restored, if an idle process came first', async () => {
    await admin.flushall()
    const org = newOrganization()
    const limits = { inFlight: 1, windowMs: 60_000 }
    const { commands, wrap } = network()
    const first = await worker(org, { limits })
    const slow = await worker(org, { limits, lease: 60_000, storeTimeout: 5000 }, wrap)
    finish(await first.ask())
    await slow.ask()
    const [channel = ''] = await admin.keys('social-search:*')
    await expect.poll(() => admin.pubsub('NUMSUB', channel)).toEqual([channel, 2])
    // What it tells Redis when it begins to listen is under way before anything else.
    await pass(100)
    commands.meet = (send) => pass(1500).then(send)
    await admin.flushall()
    await admin.publish(channel, JSON.stringify({ from: 'another', looks: [['*', 0]] }))
    await expect.poll(() => admin.keys('social-search:*')).toHaveLength(1)
    const next = watch((await worker(org, { limits })).ask({ surface: 'b' }))
    await pass(2500)
    expect(next.lease).toBeUndefined()
  })
})
