import { expect, it, vi } from 'vitest'
import { inCloudflareWorkers, never } from '../support/cloudflare-workers.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { access, setUp } from './helpers.ts'

virtualTime()
inCloudflareWorkers()

it('a call whose token was refused waits for no refresh of a request that was cut off', async () => {
  const { client, store, accepts, bearers } = await setUp()
  await settle(client.organization.usage())
  accepts.token = (bearer) => bearer !== access(0)
  const { update } = store
  store.update = () => never
  void client.organization.usage()
  await pass(100)
  store.update = update
  // Its timers have ended with it.
  vi.clearAllTimers()
  expect((await settle(client.organization.usage())).error).toBeUndefined()
  expect(bearers).toEqual([access(0), access(0), access(1)])
})
