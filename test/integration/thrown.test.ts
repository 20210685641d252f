import { describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { createEventReceiver } from '../../src/extensions/events/index.ts'
import { createProxy } from '../../src/extensions/proxy/index.ts'
import { SharedBudget, SharedLimiter, memoryStore } from '../../src/extensions/shared/index.ts'
import { createTools } from '../../src/extensions/tools/index.ts'
import type { ClientOptions, PagedOptions } from '../../src/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { hang, makeClient, ok } from '../support/service.ts'
import { query } from '../support/search.ts'
import { thrownValues } from '../support/thrown-values.ts'

virtualTime()

type Throw = () => never

const clientOf = (options: Partial<ClientOptions> = {}) =>
  makeClient({ fetch: () => Promise.resolve(ok()), retry: false, ...options })

/** Searches once; the ledger is what the call cost. */
async function searched(options: Partial<ClientOptions>, own: Partial<PagedOptions> = {}) {
  const client = clientOf(options)
  const { value, error } = await settle(client.microblog.search(query, own as PagedOptions))
  const { spent, uncertain, reserved } = client.credits
  return { isAnswered: value !== undefined, error, ledger: [spent, uncertain, reserved] }
}

const answered = { isAnswered: true, ledger: [2, 0, 0] }
const unsent = [0, 0, 0]
const loggerOf = (log: () => unknown) => ({ debug: log, info: log, warn: log, error: log })

/** Where code of the user is called, and its error must not become the call's. */
const harmless: Record<string, (fail: Throw) => Partial<ClientOptions>> = {
  onAttempt: (fail) => ({ observers: [{ onAttempt: fail }] }),
  // eslint-disable-next-line @typescript-eslint/no-misused-promises -- an observer may be asynchronous
  onCall: (fail) => ({ observers: [{ onCall: () => Promise.resolve().then(fail) }] }),
  'the logger': (fail) => ({ logger: loggerOf(fail), observers: [{ onCall: fail }] }),
  'the logger, later': (fail) => ({ logger: loggerOf(() => Promise.resolve().then(fail)) }),
  'settle() of a budget': (fail) => ({ budget: { reserve: () => ({ settle: fail }) } }),
  'the store of a cache': (fail) => ({
    cache: new ResultCache({ maxAge: 60_000, store: { get: fail, set: fail, delete: fail } }),
  }),
  'the store of a limiter, once': (fail) => {
    const store = memoryStore()
    vi.spyOn(store, 'update').mockImplementationOnce(() => Promise.resolve().then(fail))
    return { limiter: new SharedLimiter({ store, organization: 'x', logger: false }) }
  },
}

/** Where its error ends the call, unchanged. */
const passedOn: Record<string, (fail: Throw) => Partial<ClientOptions>> = {
  'reserve() of a budget': (fail) => ({ budget: { reserve: fail } }),
  'token()': (fail) => ({ apiKey: undefined, auth: { token: fail } }),
  'a function for the key': (fail) => ({ apiKey: fail }),
}

describe.each(thrownValues)('user code that throws %s', (_, make) => {
  const thrown = make()
  const fail = () => {
    throw thrown
  }

  it.each(Object.entries(harmless))('loses no answer and leaves nothing open: %s', async (_, options) => {
    expect(await searched(options(fail))).toMatchObject(answered)
  })

  it.each(Object.entries(passedOn))('ends the call with it: %s', async (_, options) => {
    const { isAnswered, error, ledger } = await searched(options(fail))
    expect([isAnswered, error === thrown, ledger]).toEqual([false, true, unsent])
  })

  it('ends the call with the reason of its signal', async () => {
    const controller = new AbortController()
    const call = searched({ fetch: hang }, { signal: controller.signal })
    controller.abort(thrown)
    // Without a reason, the platform makes one.
    expect((await call).error === (thrown === undefined ? controller.signal.reason : thrown)).toBe(true)
  })

  it('keeps a paid page when a schema does it', async () => {
    const schema = { '~standard': { version: 1, vendor: 'own', validate: fail } } as const
    expect(await searched({}, { schema } as object)).toMatchObject({ ledger: [2, 0, 0] })
  })

  const rejects = () => Promise.resolve().then(fail)
  const terms = { name: 'x', limit: 10, logger: false, store: { update: rejects } } as const
  const ownStore = () => ({ budget: new SharedBudget(terms) })
  it.each<[string, () => Partial<ClientOptions>, object, ledger: number[]]>([
    ['fetch', () => ({ fetch: rejects }), { name: 'ConnectionError', charged: 'unknown' }, [0, 2, 0]],
    ['a headers function', () => ({ headers: fail }), { name: 'ConfigurationError', charged: 'no' }, unsent],
    ['the store of a budget', ownStore, { name: 'BudgetUnavailableError', charged: 'no' }, unsent],
  ])('ends the call with an error that says so when %s does it', async (_, options, error, ledger) => {
    expect(await searched(options())).toMatchObject({ error, ledger })
  })

  it.each(['authorize', 'budget', 'onError'])('gets an answer from the proxy: %s', async (name) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const proxy = createProxy({
      ...{ client: clientOf(), allow: ['microblog.search'] },
      authorize: () => (name === 'onError' ? Promise.reject(new Error('refused')) : { id: 'ada' }),
      [name]: fail,
    })
    const url = 'https://app.example/api/data/microblog/tweets/search'
    const headers = { 'content-type': 'application/json' }
    const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(query) })
    expect((await settle(proxy(request))).value?.status).toBe(500)
  })

  it.each(['verify', 'onEvent', 'onError'])('gets an answer from an event receiver: %s', async (name) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const onEvent = () => (name === 'onError' ? Promise.reject(new Error('refused')) : undefined)
    const receive = createEventReceiver({ verify: () => true, onEvent, [name]: fail })
    const request = new Request('https://app.example/', { method: 'POST', body: '{}' })
    const { value } = await settle(receive(request))
    expect(value?.status).toBe(name === 'verify' ? 401 : 500)
  })

  it.each(['confirm', 'onProgress'])('gets a result from tools: %s', async (name) => {
    const confirm = name === 'confirm' ? fail : () => true
    const tools = createTools({ client: clientOf(), budget: 50, confirmAbove: 1, confirm })
    const options = name === 'onProgress' ? { onProgress: fail } : {}
    const call = tools.microblog_search.execute({ ...query, pages: 2 }, options)
    expect((await settle(call)).value?.ok).toBe(name === 'onProgress')
  })
})
