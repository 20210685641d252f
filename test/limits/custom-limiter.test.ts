import { describe, expect, it, vi } from 'vitest'
import type { Limiter, Ticket } from '../../src/limits/interface.ts'
import { AbortableLimiter } from './abortable-limiter.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { leaseOf, lenientLimiter } from '../support/limiter.ts'
import { makeClient, ok, rateLimited, scriptedService } from '../support/service.ts'

const service = scriptedService()
virtualTime()

/** A limiter that notes its tickets and grants a lease when the test says so. */
function manual() {
  const tickets: Ticket[] = []
  const grants: (() => void)[] = []
  const release = vi.fn()
  const limiter: Limiter = {
    acquire: (ticket) => {
      tickets.push(ticket)
      return new Promise((resolve) => grants.push(() => resolve(leaseOf({ release }))))
    },
    hold: () => {},
  }
  return { tickets, grant: () => grants.shift()?.(), release, client: makeClient({ limiter }) }
}

describe("a user's limiter", () => {
  it('gets the abort of a waiting call, with its reason', async () => {
    const { client, tickets } = manual()
    const caller = new AbortController()
    const search = client.microblog.search({ query: 'a' }, { signal: caller.signal })
    const settled = settle(search)
    await pass(1)
    const reason = new Error('enough')
    caller.abort(reason)
    expect(tickets[0]?.signal.reason).toBe(reason)
    expect((await settled).error).toBe(reason)
  })

  it.each([-1, 0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'gets back its lease when the call is aborted %i steps after the grant',
    async (steps) => {
      service.script(() => new Promise(() => {}))
      const { client, grant, release } = manual()
      const caller = new AbortController()
      const settled = settle(client.microblog.search({ query: 'a' }, { signal: caller.signal }))
      await pass(1)
      if (steps < 0) caller.abort()
      grant()
      for (let i = 0; i < steps; i++) await Promise.resolve()
      caller.abort()
      expect((await settled).error).toBe(caller.signal.reason)
      // The service notices an abort a moment later.
      await pass(50)
      expect(release).toHaveBeenCalledOnce()
    },
  )

  it('does not see an abort of a call that holds its lease', async () => {
    service.script(() => new Promise(() => {}))
    const { client, grant, tickets } = manual()
    const caller = new AbortController()
    const settled = settle(client.microblog.search({ query: 'a' }, { signal: caller.signal }))
    await pass(1)
    grant()
    await pass(1)
    caller.abort()
    await settled
    expect(tickets[0]?.signal.aborted).toBe(false)
  })

  it('settles a call whose abort it ignores', async () => {
    const { client } = manual()
    const calls = ['a', 'b'].map((query) => client.microblog.search({ query }).then())
    const closing = client.close()
    const { value, ms } = await settle(Promise.allSettled(calls))
    await closing
    expect(ms).toBe(0)
    expect(value).toMatchObject([1, 2].map(() => ({ status: 'rejected', reason: { code: 'closed' } })))
  })
})

describe('a call', () => {
  it.each([0, 1, 2, 3, 4, 5, 6])(
    'frees its slot when it is aborted %i steps after its turn came',
    async (steps) => {
      service.script(() => ok())
      const limiter = new AbortableLimiter({ inFlight: 1 })
      const client = makeClient({ limiter })
      const share = { inFlight: 1, perMinute: Infinity }
      const ticket = { surface: null, share, priority: 0, isRetry: false, maxHoldWait: 0 }
      const first = await limiter.acquire(ticket)
      const caller = new AbortController()
      const settled = settle(client.microblog.search({ query: 'a' }, { signal: caller.signal }))
      await pass(1)
      first.release()
      for (let i = 0; i < steps; i++) await Promise.resolve()
      caller.abort()
      await settled
      // The service notices an abort a moment later.
      await pass(50)
      const next = limiter.acquire({ ...ticket, share: { ...share } })
      expect((await settle(next)).ms).toBe(0)
    },
  )

  it('stays closed until the longest announced time when a shorter 429 comes after a longer one', async () => {
    service.script(rateLimited(30), rateLimited(1), ok())
    const client = makeClient({ limiter: lenientLimiter() })
    const refused = ['a', 'b'].map((query) => client.microblog.search({ query }, { retry: false }))
    await settle(Promise.allSettled(refused))
    const { error, ms } = await settle(client.microblog.search({ query: 'c' }))
    expect(error).toBeUndefined()
    expect(ms).toBeGreaterThanOrEqual(30_000)
  })
})
