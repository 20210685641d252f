import { finish, refuse, watch } from '../support/limiter.ts'
import { type Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { realTime } from '../support/real-time.ts'
import { packages } from './clients.ts'
import { admin, newOrganization, server, worker } from './workers.ts'

const { pass, settle } = realTime

describe.each(packages)('SharedLimiter on %s', (client) => {
  it.each([
    ['is gone', () => server.kill(), () => server.kill().then(() => server.restart())],
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
    await expect.poll(() => waiting.lease).toBeDefined()
    finish(waiting.lease!)
  })

  it('ends waiting calls and only its own connection when it is closed', async () => {
    const { ask, connection, limiter } = await worker(newOrganization(), { client, limits: { inFlight: 1 } })
    await refuse(limiter, 'b', 60_000)
    const lease = await ask()
    const waiting = settle(ask())
    await pass(100)
    finish(lease)
    const held = settle(ask({ surface: 'b' }))
    await limiter.close()
    const outcome = await Promise.all([waiting, held])
    const message = 'the limiter is closed; create another'
    expect(outcome[1].error).toMatchObject({ name: 'ClosedError', message })
    await expect(ask()).rejects.toMatchObject({ name: 'ClosedError' })
    await expect.poll(() => admin.client('LIST', 'TYPE', 'PUBSUB')).toBe('')
    expect(await (connection.client as Redis).ping()).toBe('PONG')
  })
})
