import { describe, expect, it } from 'vitest'
import { realTime } from '../support/real-time.ts'
import { admin, finish, network, newOrganization, watch, worker } from './workers.ts'

const { pass } = realTime

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
    lease.end()
    await second.ask()
    expect(performance.now() - start).toBeGreaterThanOrEqual(3000)
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
    await admin.publish(channel, JSON.stringify({ from: 'another', wakeUps: [['*', 0]] }))
    await expect.poll(() => admin.keys('social-search:*')).toHaveLength(1)
    const next = watch((await worker(org, { limits })).ask({ surface: 'b' }))
    await pass(2500)
    expect(next.lease).toBeUndefined()
  })
})
