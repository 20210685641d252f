import { type Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { realTime } from '../support/real-time.ts'
import { packages } from './clients.ts'
import { admin, finish, newOrganization, server, watch, worker } from './workers.ts'

const { pass, settle } = realTime

describe.each(packages)('SharedLimiter on %s', (client) => {
  it('keeps calls waiting while Redis is unreachable, until their signal aborts or it is back', async () => {
    const org = newOrganization()
    const { ask, limiter, log } = await worker(org, { client })
    finish(await ask())
    await server.kill()
    const abort = new AbortController()
    const [waiting, aborted] = [watch(ask()), ask({ signal: abort.signal })]
    await pass(2500)
    expect(waiting.lease).toBeUndefined()
    const reason = new Error('enough')
    abort.abort(reason)
    await expect(aborted).rejects.toBe(reason)
    limiter.closeSurface('b', 20_000)
    await server.restart()
    await expect.poll(() => waiting.lease, { timeout: 10_000 }).toBeDefined()
    finish(waiting.lease!)
    const other = await worker(org, { client })
    const { error } = await settle(other.ask({ surface: 'b', maxClosedWaitMs: 1000 }))
    expect((error as { remaining: number }).remaining).toBeGreaterThan(5000)
    expect(log).toEqual(['the shared store is unavailable', 'the shared store is available again'])
  })

  it('continues with a share of the limits while Redis is unreachable, and shares them again afterwards', async () => {
    const org = newOrganization()
    const limits = { inFlight: 4, perMinute: 4, windowMs: 2000 }
    const options = { client, limits, onUnavailable: 'local', localShare: 0.5, lease: 60_000 } as const
    const { ask, log } = await worker(org, options)
    finish(await ask())
    await server.kill()
    const calls = [1, 2, 3].map(() => watch(ask({ surface: null })))
    await expect.poll(() => calls.filter(({ lease }) => lease).length, { timeout: 5000 }).toBe(2)
    await pass(100)
    expect(calls[2]!.lease).toBeUndefined()
    finish(calls[0]!.lease!)
    await expect.poll(() => calls[2]!.lease, { timeout: 1000 }).toBeDefined()
    const start = performance.now()
    finish(calls[1]!.lease!)
    for (let i = 0; i < 3; i++) finish(await ask({ surface: 'b' }))
    expect(performance.now() - start).toBeGreaterThanOrEqual(2000)

    await server.restart()
    await expect.poll(() => log, { timeout: 10_000 }).toHaveLength(2)
    // The request that is still in flight counts for the others from now on.
    const other = await worker(org, { client, limits: { ...limits, inFlight: 1 } })
    const next = watch(other.ask({ surface: null }))
    await pass(2500)
    expect(next.lease).toBeUndefined()
    finish(calls[2]!.lease!)
    await expect.poll(() => next.lease, { timeout: 5000 }).toBeDefined()
    expect(log).toEqual(['the shared store is unavailable', 'the shared store is available again'])
  })

  it.each([
    ['has become a replica', () => admin.replicaof('127.0.0.1', 1), () => admin.replicaof('NO', 'ONE')],
    ['does not answer', () => server.suspend(), () => server.resume()],
  ])('waits while Redis %s', async (_, harm, heal) => {
    const { ask, log } = await worker(newOrganization(), { client })
    finish(await ask())
    onTestFinished(async () => {
      await heal()
    })
    await harm()
    const waiting = watch(ask())
    await expect.poll(() => log).toEqual(['the shared store is unavailable'])
    await pass(500)
    expect(waiting.lease).toBeUndefined()
    await heal()
    await expect.poll(() => waiting.lease, { timeout: 10_000 }).toBeDefined()
    finish(waiting.lease!)
  })

  it('ends waiting calls and only its own connection when it is closed', async () => {
    const { ask, connection, limiter } = await worker(newOrganization(), { client, limits: { inFlight: 1 } })
    const lease = await ask()
    const waiting = settle(ask())
    await pass(100)
    finish(lease)
    limiter.closeSurface('b', 60_000)
    const held = settle(ask({ surface: 'b' }))
    await limiter.close()
    const outcome = await Promise.all([waiting, held])
    expect(outcome[1].error).toMatchObject({ name: 'ClosedError', message: 'the limiter is closed' })
    await expect(ask()).rejects.toMatchObject({ name: 'ClosedError' })
    await expect.poll(() => admin.client('LIST', 'TYPE', 'PUBSUB')).toBe('')
    expect(await (connection.client as Redis).ping()).toBe('PONG')
  })
})
