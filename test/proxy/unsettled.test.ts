import { describe, expect, it, vi } from 'vitest'
import { CreditBudget } from '../../src/index.ts'
import type { ProxyOptions } from '../../src/extensions/proxy/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { leave, post, setUp } from './setup.ts'

virtualTime()

const never = (): Promise<never> => new Promise(() => {})
const stuck = Object.assign(new CreditBudget(10), { reserve: never })
const endless = () => ({ body: new ReadableStream() })

const waits: [
  what: string,
  options: Partial<ProxyOptions>,
  more?: Parameters<typeof setUp>[1],
  request?: () => Parameters<typeof post>[1],
][] = [
  ['authorize', { authorize: never }],
  ['budget', { budget: never }],
  ['reserve() of what budget returns', { budget: () => stuck }],
  ['the token of its client', {}, { backend: { apiKey: undefined, auth: { token: never } } }],
  ['the body of a request', {}, {}, endless],
]

describe.each(waits)('createProxy() when %s never settles', (_, options, more, request = () => ({})) => {
  it('responds within its time limit and sends nothing', async () => {
    const { proxy, sandbox, backend } = setUp(options, more)
    const { value, ms } = await settle(post(proxy, request()))
    expect([value!.status >= 400, ms]).toEqual([true, 15_000])
    expect(await value?.json()).toMatchObject({ error: { charged: 'no' } })
    expect(sandbox.requests).toEqual([])
    expect([backend.credits.reserved, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('ends the wait when the caller leaves', async () => {
    const { proxy, sandbox, failures } = setUp(options, more)
    expect(await leave(proxy, request())).toEqual({ status: 499, ms: 0 })
    expect([sandbox.requests, failures, vi.getTimerCount()]).toEqual([[], [], 0])
  })
})

describe('createProxy() when authorize settles too late', () => {
  it('reports the limit once, and nothing that authorize throws later', async () => {
    const late = () => new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), 20_000))
    const { proxy, failures } = setUp({ authorize: late })
    await settle(post(proxy))
    await pass(10_000)
    expect(failures).toMatchObject([[{ message: 'authorize took too long, nothing was sent' }, {}]])
  })

  it('sends nothing when authorize has blocked the thread for all of the time', async () => {
    const authorize = () => {
      vi.advanceTimersByTime(20_000)
      return { id: 'ada' }
    }
    const { proxy, sandbox } = setUp({ authorize })
    expect((await settle(post(proxy))).value?.status).toBe(500)
    expect(sandbox.requests).toEqual([])
  })
})

it('createProxy() responds at once when onError never settles', async () => {
  const { proxy } = setUp({ authorize: () => Promise.reject(new Error('no')), onError: never })
  const { value, ms } = await settle(post(proxy))
  expect([value?.status, ms]).toEqual([500, 0])
})
