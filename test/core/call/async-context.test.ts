import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok, slow } from '../../support/service.ts'
import { query } from '../../support/search.ts'

virtualTime()

it('observers and the logger of a call run in its async context, also while it waits', async () => {
  const user = new AsyncLocalStorage<string>()
  const told: { what: string; isOwn: boolean }[] = []
  const client = makeClient({ fetch: slow(100, () => ok()) })
  const calls = Array.from({ length: 23 }, (_, i) =>
    user.run(`user ${i}`, () => {
      const tell = (what: string) => () => void told.push({ what, isOwn: user.getStore() === `user ${i}` })
      const observer = { onWait: tell('onWait'), onAttempt: tell('onAttempt'), onCall: tell('onCall') }
      const logger = { warn: tell('warning'), info: tell('info') }
      return client
        .withOptions({ logger, observers: [observer] })
        .microblog.search(query)
        .then()
    }),
  )
  const all = Promise.all(calls)
  await pass(10_000)
  await settle(all)
  expect(told.filter(({ isOwn }) => !isOwn)).toEqual([])
  const counts = ['onWait', 'onAttempt', 'onCall', 'warning'].map(
    (name) => told.filter(({ what }) => what === name).length,
  )
  expect(counts).toEqual([expect.any(Number), 23, 23, 1])
  expect(counts[0]).toBeGreaterThan(3)
})
