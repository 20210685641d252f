import { describe, expect, it, vi } from 'vitest'
import {
  type CallOptions,
  ClosedError,
  ConnectionError,
  CreditBudget,
  CreditBudgetError,
  type InvalidResponseError,
  type ObservedCall,
} from '../../src/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { failure, ok, rateLimited, scriptedService, slow } from '../support/service.ts'
import { idsOf, query } from '../support/search.ts'
import { cached } from './cached.ts'

const service = scriptedService()
virtualTime()

/** The outcome of a call under way; time passes only in `settle` and `pass`. */
async function begin<T>(call: PromiseLike<T>): Promise<{ value?: T; error?: unknown; ms: number }> {
  const start = performance.now()
  const outcome = await Promise.resolve(call).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  return { ...outcome, ms: performance.now() - start }
}

type Cached = ReturnType<typeof cached>['client']

/** The outcomes of so many equal calls. */
const endsOf = async (client: Cached, count: number, options?: CallOptions) => {
  const calls = Array.from({ length: count }, () => begin(client.microblog.search(query, options)))
  return (await settle(Promise.all(calls))).value!
}

describe('equal calls in flight', () => {
  it('2,000 calls are one request of 2 credits', async () => {
    service.script(slow(1000))
    const { client } = cached()
    const calls = Array.from({ length: 2000 }, () => client.microblog.search(query).withResponse())
    const { value } = await settle(Promise.all(calls))
    expect(service.arrivals).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0, saved: 3998 })
    expect(value?.map(({ credits }) => credits.spent)).toEqual([2, ...new Array<number>(1999).fill(0)])
    expect(value?.[1]).toMatchObject({ attempts: [], cached: { age: 0 } })
    expect(value?.[0]).toMatchObject({ attempts: [{ charged: 'yes' }], cached: undefined })
  })

  it('keep their request when the leader or a follower aborts', async () => {
    service.script(slow(1000))
    const { client } = cached()
    const aborts = [0, 1, 2].map(() => new AbortController())
    const calls = aborts.map(({ signal }) => begin(client.microblog.search(query, { signal })))
    await pass(500)
    aborts[0]!.abort('leader')
    aborts[1]!.abort('follower')
    expect((await settle(calls[0]!)).value).toMatchObject({ error: 'leader', ms: 500 })
    expect((await settle(calls[1]!)).value).toMatchObject({ error: 'follower', ms: 500 })
    expect(idsOf((await settle(calls[2]!)).value!.value!.posts)).toEqual(['1'])
    expect(service.arrivals).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it('end with the reason of the last signal, one of our errors as it is, when all abort', async () => {
    service.script(slow(1000))
    const { client } = cached()
    const aborts = [new AbortController(), new AbortController()]
    const calls = aborts.map(({ signal }) => begin(client.microblog.search(query, { signal })))
    await pass(500)
    const reasons = ['leader', new ClosedError()]
    aborts.forEach((abort, index) => abort.abort(reasons[index]))
    const ends = (await settle(Promise.all(calls))).value!
    for (const [index, { error }] of ends.entries()) expect(error).toBe(reasons[index])
    expect(client.credits.uncertain).toBe(2)
  })

  it('wait for a request in flight beyond their maxQueueWait', async () => {
    service.script(slow(1000))
    const { client } = cached()
    const first = [1, 2].map(() => begin(client.microblog.search(query, { maxQueueWait: 100 })))
    await pass(50)
    const calls = [...first, begin(client.microblog.search(query, { maxQueueWait: 100 }))]
    const { value } = await settle(Promise.all(calls))
    expect(value!.map(({ error, ms }) => error ?? ms)).toEqual([1000, 1000, 950])
    expect(service.arrivals).toHaveLength(1)
  })

  it.each([
    ['is lost', () => new Response('an answer of a gateway'), false],
    ['is aborted by the last of them', ok, true],
  ])('tell their observers once what a request has cost that %s', async (_, answer, lastAborts) => {
    service.script(slow(1000, answer))
    const told: number[] = []
    const observers = [{ onCall: ({ credits }: ObservedCall) => told.push(credits.uncertain) }]
    const { client } = cached({ observers })
    const aborts = [new AbortController(), new AbortController()]
    const calls = aborts.map(({ signal }) => begin(client.microblog.search(query, { signal })))
    await pass(400)
    aborts[0]!.abort()
    await pass(400)
    if (lastAborts) aborts[1]!.abort()
    await settle(Promise.all(calls))
    expect([told, client.credits.uncertain]).toEqual([[0, 2], 2])
  })

  it('end with one error when the answer is lost: nothing is sent twice', async () => {
    service.script(() => Response.error())
    const { client } = cached()
    const errors = (await endsOf(client, 10)).map(({ error }) => error as ConnectionError)
    for (const error of errors) {
      expect(error).toBeInstanceOf(ConnectionError)
      expect(error).toMatchObject({ code: 'connection', charged: 'unknown', reason: errors[0]?.reason })
    }
    expect(service.arrivals).toHaveLength(1)
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2, reserved: 0 })
    // One of them has paid.
    expect(errors.map(({ credits }) => credits.uncertain)).toEqual([2, ...new Array<number>(9).fill(0)])
    expect(new Set(errors.map(({ callId }) => callId)).size).toBe(10)
  })

  it('have paid for an answer that nobody can read once', async () => {
    const headers = { 'social-search-credits': 'spent=2, uncertain=0, charged=yes' }
    service.script(() => new Response('{"requestId":"req_1", broken', { headers }))
    const errors = (await endsOf(cached().client, 2)).map(({ error }) => error as InvalidResponseError)
    for (const [index, spent] of [2, 0].entries()) {
      const paid = { code: 'invalid_response', charged: 'yes', body: errors[0]?.body }
      expect(errors[index]).toMatchObject({ ...paid, credits: { spent } })
      expect(errors[index]?.message).toContain(`You were charged ${spent} credits`)
    }
  })

  it('send nothing on the budget of a leader that leaves the queue, and begin anew on their own', async () => {
    service.script(slow(1000), slow(1000), slow(1000))
    const { client } = cached()
    const busy = ['a', 'b'].map((query) => begin(client.microblog.search({ query })))
    const budgets = [new CreditBudget(10), new CreditBudget(0), new CreditBudget(10)]
    const leader = begin(client.microblog.search(query, { budget: budgets[0], maxQueueWait: 100 }))
    const others = budgets.slice(1).map((budget) => begin(client.microblog.search(query, { budget })))
    expect((await settle(leader)).value?.error).toMatchObject({ code: 'timeout', charged: 'no' })
    const [refused, answered] = (await settle(Promise.all(others))).value ?? []
    expect(refused?.error).toBeInstanceOf(CreditBudgetError)
    expect(idsOf(answered?.value?.posts ?? [])).toEqual(['1'])
    await settle(Promise.all(busy))
    expect(budgets.map((each) => each.summary().spent)).toEqual([0, 0, 2])
  })

  it('are refused together when they have one budget', async () => {
    const { client } = cached()
    const budget = new CreditBudget(1)
    const reserve = vi.spyOn(budget, 'reserve')
    const errors = (await endsOf(client, 20, { budget })).map(({ error }) => error as CreditBudgetError)
    expect(errors.map(({ refusedBy }) => refusedBy)).toEqual(Array(20).fill(budget))
    expect(reserve).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['while the request waits for its retry', 500],
    ['while a request is in flight that fails for free', 50],
  ])('retry on their own budgets when the leader leaves %s', async (_, at) => {
    service.script(
      slow(100, () => failure(503, 'unavailable', { error: { retryAfter: 5 } })),
      ok(),
    )
    const { client } = cached()
    const abort = new AbortController()
    const budgets = [new CreditBudget(10), new CreditBudget(10)]
    const leader = begin(client.microblog.search(query, { budget: budgets[0], signal: abort.signal }))
    const other = begin(client.microblog.search(query, { budget: budgets[1] }))
    await pass(at)
    abort.abort('left')
    expect((await settle(leader)).value).toMatchObject({ error: 'left', ms: at })
    expect(idsOf((await settle(other)).value?.value?.posts ?? [])).toEqual(['1'])
    for (const [index, spent] of [0, 2].entries())
      expect(budgets[index]?.summary()).toMatchObject({ spent, uncertain: 0 })
    expect(service.arrivals).toHaveLength(2)
  })

  it.each([
    ['a budget that does not answer', { budget: { reserve: () => Promise.reject(new Error('gone')) } }],
    ['a headers function that fails', { headers: () => Promise.reject(new Error('gone')) }],
    ['a wait for a 429 that ends after its maxQueueWait', { maxQueueWait: 2000 }],
  ])('are sent when the leader fails alone: %s', async (why, options) => {
    service.script(...(why.startsWith('a wait') ? [rateLimited(3)] : []), ok())
    const { client } = cached()
    const calls = [options, {}, {}].map((each) => begin(client.microblog.search(query, each)))
    const { value = [] } = await settle(Promise.all(calls))
    expect(value[0]?.error).toBeInstanceOf(Error)
    expect(value.slice(1).map(({ value }) => idsOf(value?.posts ?? []))).toEqual([['1'], ['1']])
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0 })
  })

  it('ask each budget once when each is refused, one after another', async () => {
    const { client } = cached()
    const budgets = Array.from({ length: 50 }, () => new CreditBudget(1))
    const reserved = budgets.map((budget) => vi.spyOn(budget, 'reserve'))
    const calls = budgets.map((budget) => begin(client.microblog.search(query, { budget })))
    const errors = (await settle(Promise.all(calls))).value!.map(({ error }) => error as CreditBudgetError)
    expect(errors.map(({ refusedBy }) => refusedBy)).toEqual(budgets)
    expect(reserved.map(({ mock }) => mock.calls.length)).toEqual(budgets.map(() => 1))
  })

  it('say that they may be charged when they leave a request that goes on', async () => {
    service.script(slow(1000))
    const { client } = cached()
    const deadlines = [200, 5000].map((deadline) => begin(client.microblog.search(query, { deadline })))
    const [left, stays] = (await settle(Promise.all(deadlines))).value ?? []
    expect(left?.error).toMatchObject({
      code: 'timeout',
      charged: 'unknown',
      callId: expect.any(Number) as number,
    })
    expect(String(left?.error)).not.toContain('not sent')
    expect(idsOf(stays?.value?.posts ?? [])).toEqual(['1'])
  })

  it('share the failure of a request that cannot be sent', async () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })
    let sent = 0
    const fetch = () => (sent++, Promise.reject(new TypeError('fetch failed', { cause })))
    for (const { error } of await endsOf(cached({ fetch }).client, 12))
      expect(error).toMatchObject({ code: 'connection', charged: 'no' })
    expect(sent).toBe(3)
  })

  it('share no request with a call that does not retry', async () => {
    service.script(rateLimited(1), () => ok())
    const { client } = cached()
    const refused = begin(client.microblog.search(query, { retry: false }))
    const others = endsOf(client, 9)
    expect((await refused).error).toMatchObject({ code: 'rate_limited', charged: 'no' })
    for (const { error } of await others) expect(error).toBeUndefined()
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0 })
  })

  it('share a refusal of the service, each with a budget of its own', async () => {
    service.script(() => failure(403, 'forbidden'))
    const { client } = cached()
    const budgets = [new CreditBudget(10), new CreditBudget(20)]
    const calls = budgets.map((budget) => begin(client.microblog.search(query, { budget })))
    for (const { error } of (await settle(Promise.all(calls))).value!)
      expect(error).toMatchObject({ status: 403 })
    expect(service.arrivals).toHaveLength(1)
  })

  it('retry failures of unknown cost when the only call allows it', async () => {
    service.script(slow(5000), () => ok())
    const { client } = cached()
    const options = { timeout: 1000, retry: { unknown: true } }
    expect((await settle(client.microblog.search(query, options))).error).toBeUndefined()
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 2 })
  })

  it('end with a ClosedError each when the client closes', async () => {
    service.script(slow(5000))
    const { client } = cached()
    const calls = [1, 2].map(() => begin(client.microblog.search(query)))
    await pass(100)
    await settle(client.close())
    const errors = (await settle(Promise.all(calls))).value!.map(({ error }) => error)
    expect(errors).toMatchObject([{ code: 'closed' }, { code: 'closed' }])
    expect(errors[0]).not.toBe(errors[1])
    expect((await settle(client.microblog.search(query))).error).toMatchObject({ code: 'closed' })
  })

  it('fail at once when the announced wait passes the deadline of each', async () => {
    service.script(() => rateLimited(30))
    const { client } = cached()
    const calls = [5000, 8000].map((deadline) => begin(client.microblog.search(query, { deadline })))
    for (const { error, ms } of (await settle(Promise.all(calls))).value!) {
      expect(error).toMatchObject({ code: 'rate_limited' })
      expect(ms).toBeLessThan(1000)
    }
  })
})
