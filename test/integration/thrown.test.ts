import { describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { createEventReceiver } from '../../src/extensions/events/index.ts'
import { createProxy } from '../../src/extensions/proxy/index.ts'
import {
  SharedBudget,
  SharedLimiter,
  type SharedStore,
  memoryStore,
} from '../../src/extensions/shared/index.ts'
import { createTools } from '../../src/extensions/tools/index.ts'
import { type ClientOptions, type PagedOptions, SocialSearch } from '../../src/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { ok } from '../support/service.ts'
import { query } from '../support/search.ts'
import { thrownValues } from '../support/thrown-values.ts'

virtualTime()

type Throw = () => never

function clientOf(options: Partial<ClientOptions>): SocialSearch {
  return new SocialSearch({
    ...{ baseUrl: 'https://api.example/v1', apiKey: 'org_live_5f2b8c1d9e' },
    organization: crypto.randomUUID(),
    fetch: () => Promise.resolve(ok()),
    logger: false,
    retry: false,
    ...options,
  })
}

/** Searches once; the ledger is what the call cost. */
async function searched(client: SocialSearch, options: Partial<PagedOptions> = {}) {
  const { value, error } = await settle(client.microblog.search(query, options as PagedOptions))
  const { spent, uncertain, reserved } = client.credits
  return { isAnswered: value !== undefined, error, ledger: [spent, uncertain, reserved] }
}

const answered = { isAnswered: true, ledger: [2, 0, 0] }
const store = (fail: Throw) => ({ update: () => Promise.resolve().then(fail) })

/** Where code of the user is called, and its error must not become the call's. */
const harmless: Record<string, (fail: Throw) => Partial<ClientOptions>> = {
  onAttempt: (fail) => ({ observers: [{ onAttempt: fail }] }),
  // eslint-disable-next-line @typescript-eslint/no-misused-promises -- an observer may be asynchronous
  onCall: (fail) => ({ observers: [{ onCall: () => Promise.resolve().then(fail) }] }),
  'the logger': (fail) => ({
    logger: { debug: fail, info: fail, warn: fail, error: fail },
    observers: [{ onCall: fail }],
  }),
  'the logger, later': (fail) => {
    const later = (): unknown => Promise.resolve().then(fail)
    return { logger: { debug: later, info: later, warn: later, error: later } }
  },
  'settle() of a budget': (fail) => ({ budget: { reserve: () => ({ settle: fail }) } }),
  'the store of a cache': (fail) => ({
    cache: new ResultCache({ maxAge: 60_000, store: { get: fail, set: fail, delete: fail } }),
  }),
  'the store of a limiter, once': (fail) => {
    const stores = [store(fail), memoryStore()]
    const update: SharedStore['update'] = (...change) =>
      (stores.length > 1 ? stores.shift()! : stores[0]!).update(...change)
    return { limiter: new SharedLimiter({ store: { update }, organization: 'x', logger: false }) }
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
    expect(await searched(clientOf(options(fail)))).toMatchObject(answered)
  })

  it.each(Object.entries(passedOn))('ends the call with it: %s', async (_, options) => {
    const { isAnswered, error, ledger } = await searched(clientOf(options(fail)))
    expect([isAnswered, error === thrown, ledger]).toEqual([false, true, [0, 0, 0]])
  })

  it('ends the call with the reason of its signal', async () => {
    const controller = new AbortController()
    const call = searched(clientOf({ fetch: () => new Promise(() => {}) }), { signal: controller.signal })
    controller.abort(thrown)
    // Without a reason, the platform makes one.
    expect((await call).error === (thrown === undefined ? controller.signal.reason : thrown)).toBe(true)
  })

  it('is an error of the connection when fetch does it, and of the configuration when the function for headers does', async () => {
    expect(await searched(clientOf({ fetch: () => Promise.resolve().then(fail) }))).toMatchObject({
      error: { name: 'ConnectionError', charged: 'unknown' },
      ledger: [0, 2, 0],
    })
    expect(await searched(clientOf({ headers: fail }))).toMatchObject({
      error: { name: 'ConfigurationError', charged: 'no' },
      ledger: [0, 0, 0],
    })
  })

  it('keeps a paid page when a schema does it', async () => {
    const schema = { '~standard': { version: 1, vendor: 'own', validate: fail } } as const
    expect(await searched(clientOf({}), { schema } as object)).toMatchObject({ ledger: [2, 0, 0] })
  })

  it('ends the call before it is sent when the store of a budget does it', async () => {
    const budget = new SharedBudget({ name: 'x', limit: 10, logger: false, store: store(fail) })
    expect(await searched(clientOf({ budget }))).toMatchObject({
      error: { name: 'BudgetUnavailableError', charged: 'no' },
      ledger: [0, 0, 0],
    })
  })

  it.each(['authorize', 'budget', 'onError'])('gets an answer from the proxy: %s', async (name) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const proxy = createProxy({
      ...{ client: clientOf({ organization: 'proxy' }), allow: ['microblog.search'] },
      authorize: () => (name === 'onError' ? Promise.reject(new Error('refused')) : { id: 'ada' }),
      [name]: fail,
    })
    const request = new Request('https://app.example/api/data/microblog/tweets/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(query),
    })
    expect((await settle(proxy(request))).value?.status).toBe(500)
  })

  it.each(['verify', 'onEvent', 'onError'])('gets an answer from an event receiver: %s', async (name) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const onEvent = () => (name === 'onError' ? Promise.reject(new Error('refused')) : undefined)
    const receive = createEventReceiver({ verify: () => true, onEvent, [name]: fail })
    const { value } = await settle(
      receive(new Request('https://app.example/', { method: 'POST', body: '{}' })),
    )
    expect(value?.status).toBe(name === 'verify' ? 401 : 500)
  })

  it.each(['confirm', 'onProgress'])('gets a result from tools: %s', async (name) => {
    const confirm = name === 'confirm' ? fail : () => true
    const tools = createTools({ client: clientOf({}), budget: 50, confirmAbove: 1, confirm })
    const input = { ...query, pages: 2 }
    const call = tools.microblog_search.execute(input, name === 'onProgress' ? { onProgress: fail } : {})
    expect((await settle(call)).value?.ok).toBe(name === 'onProgress')
  })
})
