import { describe, expect, it, vi } from 'vitest'
import { CreditBudget } from '../../src/index.ts'
import type { Fault } from '../../src/extensions/sandbox/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { clientOf, leave, post, setUp } from './setup.ts'

virtualTime()

describe('a caller of createProxy() who leaves', () => {
  it('before the budget is known reserves nothing, with any budget', async () => {
    const budget = new CreditBudget(0)
    const reserve = vi.spyOn(budget, 'reserve')
    const later = () => new Promise<CreditBudget>((resolve) => setTimeout(() => resolve(budget), 1000))
    const { proxy, sandbox, failures } = setUp({ budget: later })
    expect(await leave(proxy)).toMatchObject({ status: 499 })
    expect(reserve).not.toHaveBeenCalled()
    expect([sandbox.requests, failures]).toEqual([[], []])
  })

  const scopes = ['search:read', 'mentions:read', 'mentions:write'] as const
  const mentions = { path: '/mentions', method: 'GET' }
  const change = { path: '/mentions/men_1/state', method: 'PATCH', body: '{"state":"done"}' }
  type Asked = Parameters<typeof post>[1]

  it.each<[string, Fault, Asked, status: number, ms: number, spent: number]>([
    ['a free request frees its slot', { delay: 1000 }, mentions, 499, 0, 0],
    ['a paid request leaves nothing uncertain', { delay: 1000 }, {}, 200, 900, 2],
    ['a PATCH does not stop it', { status: 502, delay: 1000 }, change, 502, 900, 0],
    ['the wait for the next attempt ends the call', { status: 503, retryAfter: 5 }, {}, 499, 0, 0],
    ['a failing paid request stops the retry', { status: 502, delay: 1000 }, {}, 502, 900, 0],
  ])('during %s', async (_, fault, request, status, ms, spent) => {
    const budget = new CreditBudget(10)
    const key = 'writer_key_1'
    const more = { sandbox: { keys: [{ key, scopes }] }, backend: { apiKey: key } }
    const { proxy, sandbox, backend } = setUp({ budget: () => budget }, more)
    sandbox.inject({ ...fault, times: Infinity })
    const atLeave = () => expect(sandbox.requests).toHaveLength(1)
    expect(await leave(proxy, request, atLeave)).toEqual({ status, ms })
    expect(sandbox.requests).toHaveLength(1)
    expect(backend.credits).toMatchObject({ spent, uncertain: 0, reserved: 0 })
    expect(budget.summary()).toMatchObject({ spent, uncertain: 0 })
    expect(sandbox.ledger.spent).toBe(spent)
  })
})

describe('createProxy() for a page with a timeout', () => {
  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  it('includes the time of authorize in its time limit, so that the page gets a response', async () => {
    const { browser, sandbox } = setUp({ authorize: () => later(10_000).then(() => ({ id: 'ada' })) })
    sandbox.inject({ delay: 22_000 })
    const { error, ms } = await settle(browser.microblog.search({ query: 'coffee' }))
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringMatching(/the `deadline`/) })
    expect(ms).toBe(25_000)
  })

  it('waits longer for an operation with a recommended timeout', async () => {
    const { proxy, sandbox } = setUp()
    sandbox.inject({ delay: 80_000 })
    const body = '{"url":"https://professionalnet.example/company/quillfeather-software"}'
    const { value } = await settle(post(proxy, { path: '/data/professionalnet/company/get', body }))
    expect(value?.status).toBe(200)
  })

  it('does not wait for a body that never ends', async () => {
    const { proxy, sandbox } = setUp()
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) })
    const { value, ms } = await settle(post(proxy, { body }))
    expect([value?.status, ms]).toEqual([408, 15_000])
    expect(await value?.json()).toMatchObject({ error: { code: 'request_timeout', charged: 'no' } })
    expect(sandbox.requests).toEqual([])
  })
})

describe('createProxy() under load', () => {
  it('asks callers to retry before it sends, so that all succeed without uncertain credits', async () => {
    const limits = { perMinute: 4 }
    const { proxy, sandbox } = setUp({}, { sandbox: { limits }, backend: { limits } })
    const pages = Array.from({ length: 12 }, () =>
      clientOf({ auth: false, fetch: proxy, retry: { maxWait: 600_000 } }),
    )
    const calls = pages.map((page) => page.microblog.search({ query: 'coffee' }))
    expect((await settle(Promise.all(calls))).error).toBeUndefined()
    for (const { credits } of pages) expect(credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
    expect(sandbox.requests).toHaveLength(12)
    expect(sandbox.ledger.spent).toBe(24)
  })

  it('sends nothing so late that the caller would miss the response', async () => {
    const limits = { inFlight: 1, perMinute: false } as const
    const { proxy, sandbox, failures } = setUp({}, { backend: { limits } })
    sandbox.inject({ delay: 20_000 })
    const first = post(proxy)
    const { value, ms } = await settle(post(proxy))
    expect([value?.status, value?.headers.get('retry-after'), ms]).toEqual([429, '5', 15_000])
    const { requestId, error } = (await value?.json()) as { requestId: string; error: object }
    expect(error).toMatchObject({ message: 'not sent: it waited too long at the proxy' })
    expect(failures).toMatchObject([[{ name: 'TimeoutError', phase: 'queue' }, { requestId }]])
    expect((await settle(first)).value?.status).toBe(200)
    expect(sandbox.requests).toHaveLength(1)
  })

  it('passes on the wait that the service announced when it is too long for the caller', async () => {
    const { proxy, sandbox } = setUp()
    sandbox.inject({ status: 429, retryAfter: 40 })
    const { value, ms } = await settle(post(proxy))
    expect([value?.status, value?.headers.get('retry-after'), ms]).toEqual([429, '40', 0])
    const { value: next } = await settle(post(proxy))
    expect([next?.status, next?.headers.get('retry-after')]).toEqual([429, '40'])
    expect(sandbox.requests).toHaveLength(1)
  })
})
