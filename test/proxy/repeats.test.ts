import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SocialSearch } from '../../src/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { clientOf, everything, mount, post, setUp } from './setup.ts'

virtualTime()

const attempt = { 'social-search-attempt': 'x0a1b2c3d4e5f6g7h8i9' }
const search = (query: string): string => JSON.stringify({ query })

/** Everything that a page can read of a response. */
async function seen(response: Response | undefined) {
  const { status, headers } = response!
  return { status, headers: [...headers], text: await response!.text() }
}

describe('createProxy() when a browser sends a request again', () => {
  it('forwards it once, and answers it as the first time', async () => {
    const { proxy, sandbox, backend } = setUp({ budget: 2 })
    const first = await seen(await post(proxy, { headers: attempt }))
    expect(first).toMatchObject({ status: 200, text: expect.stringContaining('requestId') })
    expect(await seen(await post(proxy, { headers: attempt }))).toEqual(first)
    expect(await seen(await post(proxy, { headers: attempt }))).toEqual(first)
    expect([sandbox.requests.length, sandbox.ledger.spent, backend.credits.spent]).toEqual([1, 2, 2])
  })

  it('forwards it once, in whatever moment between the answer of the service and its own it comes', async () => {
    const spent: number[] = []
    for (let turns = 0; turns < 60; turns++) {
      let answer = () => {}
      const { proxy, sandbox } = setUp({}, { backend: { fetch: (request) => held(request) } })
      const held = async (request: Request) => {
        const response = await sandbox.fetch(request)
        await new Promise<void>((resolve) => (answer = resolve))
        return response
      }
      const first = post(proxy, { headers: attempt })
      await pass(1)
      answer()
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      const repeat = post(proxy, { headers: attempt })
      await pass(1)
      answer()
      const both = await settle(Promise.all([first, repeat]))
      expect(both.value?.map(({ status }) => status)).toEqual([200, 200])
      spent.push(sandbox.ledger.spent)
    }
    expect(new Set(spent)).toEqual(new Set([2]))
  })

  /** A request that waits behind another one, an equal one, and what breaks its connection, after some time. */
  async function crowd({ proxy }: ReturnType<typeof setUp>, ms: number) {
    const ahead = post(proxy)
    const connection = new AbortController()
    const first = post(proxy, { headers: attempt, signal: connection.signal })
    const early = post(proxy, { headers: attempt })
    await pass(ms)
    return { ahead, first, early, leave: () => connection.abort() }
  }
  const statusesOf = async (...answers: Promise<Response>[]) =>
    (await settle(Promise.all(answers))).value?.map(({ status }) => status)

  it('does so when the connection of the first one has broken while the service works on it', async () => {
    const { proxy, sandbox } = setUp({}, { sandbox: { latency: 3_000 } })
    const connection = new AbortController()
    const first = post(proxy, { headers: attempt, signal: connection.signal })
    await pass(100)
    connection.abort()
    expect(await statusesOf(first, post(proxy, { headers: attempt }))).toEqual([200, 200])
    expect([sandbox.requests.length, sandbox.ledger.spent]).toEqual([1, 2])
  })

  it('sends it when the connection of the first one has broken before that was sent', async () => {
    const world = setUp({}, { sandbox: { latency: 3_000 }, backend: { limits: { inFlight: 1 } } })
    const { ahead, first, early, leave } = await crowd(world, 100)
    leave()
    const late = post(world.proxy, { headers: attempt })
    expect(await statusesOf(ahead, first, early, late)).toEqual([200, 499, 200, 200])
    expect(world.sandbox.requests).toHaveLength(2)
  })

  it('sends nothing more for a client that retries what may have been charged, once the first one has left', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9)
    onTestFinished(() => void vi.restoreAllMocks())
    const { proxy, sandbox } = setUp({}, { backend: { retry: { unknown: true } } })
    sandbox.inject({ reset: 'after' })
    const connection = new AbortController()
    const first = post(proxy, { headers: attempt, signal: connection.signal })
    await pass(100)
    connection.abort()
    expect(await statusesOf(first, post(proxy, { headers: attempt }))).toEqual([499, 499])
    expect(sandbox.requests).toHaveLength(1)
  })

  it('waits no longer than the time limit of its own request', async () => {
    const world = setUp({}, { backend: { limits: { inFlight: 1 } } })
    for (const delay of [10_000, 16_000]) world.sandbox.inject({ delay })
    const { ahead, first, early, leave } = await crowd(world, 5_010)
    const late = post(world.proxy, { headers: attempt })
    await pass(995)
    // The late one is the next to see it, and is sent in its place.
    leave()
    expect(await statusesOf(ahead, first, early, late)).toEqual([200, 499, 504, 200])
    expect(await (await early).json()).toMatchObject({ error: { code: 'timeout', charged: 'unknown' } })
  })

  it('retries for the page that repeats it when the first connection has gone', async () => {
    const { proxy, sandbox } = setUp()
    sandbox.inject({ status: 503, retryAfter: 1, delay: 1000 })
    const connection = new AbortController()
    const first = post(proxy, { headers: attempt, signal: connection.signal })
    const repeat = post(proxy, { headers: attempt })
    await pass(500)
    connection.abort()
    const { value } = await settle(Promise.all([first, repeat]))
    expect(value?.[1].status).toBe(200)
  })

  it('changes nothing again that the first one may have changed, whose connection has gone', async () => {
    const keys = [{ key: 'org_writes', scopes: ['mentions:read', 'mentions:write'] as const }]
    const { proxy, sandbox } = setUp({}, { sandbox: { keys }, backend: { apiKey: 'org_writes' } })
    sandbox.inject({ status: 500, delay: 1000 })
    const connection = new AbortController()
    const change = { path: '/mentions/men_764dbb8c410af7ff/state', method: 'PATCH', body: '{"state":"seen"}' }
    const first = post(proxy, { ...change, headers: attempt, signal: connection.signal })
    await pass(500)
    connection.abort()
    const repeat = post(proxy, { ...change, headers: attempt })
    expect(await statusesOf(first, repeat)).toEqual([500, 500])
    expect(sandbox.requests).toHaveLength(1)
  })

  it.each([
    ['of the service', { inject: { status: 500 } }, {}],
    ['of the connection', { inject: { reset: 'after' } }, {}],
    ['of a budget', {}, { budget: 1 }],
    ['of authorize', {}, { authorize: () => null }],
  ] as const)('repeats an error %s', async (_, { inject }: { inject?: object }, options) => {
    const { proxy, sandbox } = setUp(options)
    if (inject) sandbox.inject(inject)
    const first = await seen((await settle(post(proxy, { headers: attempt }))).value)
    expect(first.status).toBeGreaterThanOrEqual(400)
    const repeat = await seen((await settle(post(proxy, { headers: attempt }))).value)
    expect(repeat.status).toBe(first.status)
    expect(sandbox.requests.length).toBeLessThanOrEqual(1)
  })

  it('gives the answer to nobody else, and to no other request', async () => {
    let id = 'ada'
    const { proxy, sandbox } = setUp({ authorize: () => (id === '' ? null : { id }) })
    await post(proxy, { headers: attempt })
    id = 'bob'
    await post(proxy, { headers: attempt })
    await post(proxy, { headers: attempt, body: search('tea') })
    await post(proxy, { headers: attempt, body: search('tea'), path: '/data/technews/search' })
    expect(sandbox.requests).toHaveLength(4)
    await post(proxy, { headers: attempt })
    expect(sandbox.requests).toHaveLength(4)
    id = ''
    expect((await post(proxy, { headers: attempt })).status).toBe(401)
  })

  it('forgets an answer after a minute', async () => {
    const { proxy, sandbox } = setUp()
    await post(proxy, { headers: attempt })
    await pass(59_000)
    await post(proxy, { headers: attempt })
    expect(sandbox.requests).toHaveLength(1)
    await pass(1_000)
    await post(proxy, { headers: attempt })
    expect(sandbox.requests).toHaveLength(2)
  })

  it('forgets the oldest answers when all together are too large', async () => {
    const { proxy, sandbox } = setUp()
    const large = `{ ${' '.repeat(1_000_000)} "query": "coffee" }`
    const sendAs = (number: number) =>
      post(proxy, { headers: { 'social-search-attempt': `attempt${number}` }, body: large })
    for (let number = 1; number <= 10; number++) await sendAs(number)
    expect(sandbox.requests).toHaveLength(10)
    await sendAs(10)
    await sendAs(4)
    expect(sandbox.requests).toHaveLength(10)
    await sendAs(1)
    expect(sandbox.requests).toHaveLength(11)
  })
})

describe('SocialSearch before a proxy', () => {
  /** The ids of the attempts that a client sends. */
  async function idsOf(options: ConstructorParameters<typeof SocialSearch>[0], get = false) {
    const { sandbox, proxy } = setUp({ allow: everything })
    sandbox.inject({ status: 503, operation: 'microblog.search' })
    const ids: (string | null)[] = []
    const fetch = (request: Request) => {
      ids.push(request.headers.get('social-search-attempt'))
      return options.apiKey === undefined ? proxy(request) : sandbox.fetch(request)
    }
    const client = clientOf({ ...options, ...(options.apiKey && sandbox.clientOptions()), fetch })
    if (get) await settle(client.professionalnet.industries.list())
    else await settle(client.microblog.search({ query: 'coffee' }))
    return ids
  }

  it('sends a random id with each attempt that may cost something', async () => {
    const proxied = { baseUrl: mount, auth: false } as const
    const ids = [...(await idsOf(proxied)), ...(await idsOf(proxied))]
    expect(ids.length).toBeGreaterThanOrEqual(2)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{20}$/)
    expect(await idsOf(proxied, true)).toEqual([null])
  })

  it('sends none to the service, where it would need CORS', async () => {
    expect(new Set(await idsOf({ baseUrl: mount, apiKey: 'key_12345678' }))).toEqual(new Set([null]))
  })
})
