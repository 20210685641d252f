import { describe, expect, it } from 'vitest'
import { CreditBudget, SocialSearch, microblog } from '../../src/index.ts'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { SharedBudget, SharedLimiter, memoryStore } from '../../src/extensions/shared/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { query } from '../support/search.ts'
import { settle, virtualTime } from '../support/clock.ts'

virtualTime()

/** Wraps what is read, too, as Vue's `reactive()` does: plain objects, and those of classes without a tag. */
function deep<T extends object>(target: T): T {
  return new Proxy(target, {
    get(object, name, receiver) {
      const value: unknown = Reflect.get(object, name, receiver)
      const isWrapped = Object.prototype.toString.call(value) === '[object Object]'
      return isWrapped ? deep(value as object) : value
    },
  })
}

/** The errors of so many equal searches, one after the other. */
async function errorsOf(client: SocialSearch, count: number): Promise<unknown[]> {
  const errors: unknown[] = []
  for (let made = 0; made < count; made++) errors.push((await settle(client.microblog.search(query))).error)
  return errors
}

const wraps: [name: string, wrap: <T extends object>(target: T) => T][] = [
  ['a Proxy', (target) => new Proxy(target, {})],
  ['a Proxy that wraps what is read', deep],
  ['an object that inherits from it', (target) => Object.create(target) as typeof target],
]

describe.each(wraps)('behind %s', (_, wrap) => {
  const { clientOptions } = createSandbox({ limits: { perMinute: false } })

  it('a client answers as it does otherwise', async () => {
    const plain = new SocialSearch(clientOptions())
    const client = wrap(plain)
    expect((await settle(client.microblog.search(query))).value?.posts).not.toHaveLength(0)
    const changed = wrap(client.withOptions({ timeout: 5000 }))
    const calls = [microblog(client.transport).search(query), changed.microblog.search(query)]
    for (const call of calls) expect((await settle(call)).error).toBeUndefined()
    expect(client.credits).toEqual(plain.credits)
    expect(client.transport.credits.spent).toBe(6)
    expect(client.status()).toEqual(plain.status())
    expect(client.quote('microblog.search', query).perPage).toBe(2)
    const usage = client.request({ method: 'GET', path: '/organization/usage' })
    for (const call of [usage, client.creditRates(), client.openapi()])
      expect((await settle<unknown>(call)).error).toBeUndefined()
    await client.close()
    expect((await settle(plain.microblog.search(query))).error).toMatchObject({ code: 'closed' })
  })

  it('a budget counts, and refuses', async () => {
    const plain = new CreditBudget(3, { every: 'day' })
    const budget = wrap(plain)
    const client = new SocialSearch({ ...clientOptions(), budget })
    expect(await errorsOf(client, 2)).toMatchObject([undefined, { budget: { remaining: 1 } }])
    expect(budget.remaining).toBe(1)
    expect(budget.summary()).toEqual(plain.summary())
  })

  it('a budget and a limiter that processes share work until they are closed', async () => {
    const store = memoryStore()
    const budget = wrap(new SharedBudget({ store, name: 'shared', limit: 3 }))
    const limiter = wrap(new SharedLimiter({ store, organization: 'acme' }))
    const client = new SocialSearch({ ...clientOptions(), budget, limits: undefined, limiter })
    expect(await errorsOf(client, 2)).toMatchObject([undefined, { budget: { remaining: 1 } }])
    expect(await budget.summary()).toMatchObject({ spent: 2, remaining: 1 })
    expect(limiter.waitOf('microblog')).toBeNull()
    await budget.flush()
    await settle(Promise.all([budget.close(), limiter.close()]))
    expect(await errorsOf(client, 1)).toMatchObject([{ code: 'budget_unavailable' }])
  })

  it('a cache answers, and is cleared', async () => {
    const cache = wrap(new ResultCache({ maxAge: 60_000 }))
    const client = new SocialSearch({ ...clientOptions(), cache })
    await errorsOf(client, 2)
    expect(client.credits).toMatchObject({ spent: 2, saved: 2 })
    await cache.clear()
    await errorsOf(client, 1)
    expect(client.credits.spent).toBe(4)
  })
})
