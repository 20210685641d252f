import { expect, it } from 'vitest'
import { finish, isGrant, network, newOrganization, watch, windowMs, worker } from './workers.ts'

it('SharedLimiter.acquire() gives a slot for a higher rate to no client with a lower one', async () => {
  const { commands, wrap } = network()
  const { ask } = await worker(newOrganization(), {}, wrap)
  const start = performance.now()
  for (let sends = 0; sends < 4; sends++) finish(await ask())
  const urgent: ReturnType<typeof ask>[] = []
  commands.meet = async (send, args) => {
    const reply = await send()
    // By now the urgent client has used up its rate, but the fast one has not.
    if (isGrant(args) && urgent.length === 0) urgent.push(ask({ priority: 1 }))
    return reply
  }
  const fast = watch(ask({ share: { inFlight: 2, perMinute: 100 } }))
  await expect.poll(() => urgent, { timeout: 5000 }).toHaveLength(1)
  finish(await urgent[0]!)
  expect(performance.now() - start).toBeGreaterThanOrEqual(windowMs)
  await expect.poll(() => fast.lease, { timeout: 5000 }).toBeDefined()
})
