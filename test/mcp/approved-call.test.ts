import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { type Mcp, createMcp } from '../../src/extensions/mcp/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { type Reply, connect } from './connect.ts'

/** A server that asks about every call that costs credits, and a client that sends it whatever it likes. */
function setUp() {
  const sandbox = createSandbox()
  const { baseUrl, apiKey, fetch } = sandbox
  const client = new SocialSearch({ baseUrl, apiKey, fetch, organization: 'approved calls' })
  const allow = ['microblog.search', 'technews.search'] as const
  const mcp = createMcp({ client, allow, budget: 50, confirmAbove: 1, reuseFor: 0 })
  const request = connect(mcp)
  const call = (input: object, more: object = {}, name = 'microblog_search'): Promise<Reply> =>
    request('tools/call', { name, arguments: input, ...more })
  return { sandbox, call }
}

/** The answer of a person to the question of a reply. */
function answer({ requestState }: Reply, action = 'accept', approve = true) {
  return { requestState, inputResponses: { approval: { action, content: { approve } } } }
}

describe('createMcp()', () => {
  it('makes the call that the person has approved, once', async () => {
    const { sandbox, call } = setUp()
    const approval = answer(await call({ query: 'coffee' }))
    expect((await call({ query: 'coffee' }, approval)).structuredContent?.ok).toBe(true)
    expect(sandbox.ledger.spent).toBe(2)
    expect((await call({ query: 'coffee' }, approval)).requestState).toBeTypeOf('string')
    expect(sandbox.ledger.spent).toBe(2)
  })

  it.each([
    ['other arguments', { query: 'tea' }, 'microblog_search'],
    ['more pages', { query: 'coffee', pages: 3 }, 'microblog_search'],
    ['another tool', { query: 'coffee' }, 'technews_search'],
  ])('asks again when the client uses an approval for %s', async (_, input, name) => {
    const { sandbox, call } = setUp()
    const first = await call({ query: 'coffee' })
    const second = await call(input, answer(first), name)
    expect(second.requestState).toBeTypeOf('string')
    expect(second.requestState).not.toBe(first.requestState)
    expect(sandbox.requests).toEqual([])
  })

  it('asks again when the client answers a question that was not asked', async () => {
    const { sandbox, call } = setUp()
    for (const given of [{ requestState: 'forged' }, {}])
      expect((await call({ query: 'coffee' }, answer(given))).requestState).toBeTypeOf('string')
    expect(sandbox.requests).toEqual([])
  })

  it.each([
    ['decline', true, 'declined'],
    ['accept', false, 'declined'],
    ['cancel', true, 'nobody has answered'],
    ['something else', true, 'nobody has answered'],
  ])('sends nothing when a person answers %s with %j, and says so', async (action, approve, said) => {
    const { sandbox, call } = setUp()
    const approval = answer(await call({ query: 'coffee' }), action, approve)
    const { structuredContent } = await call({ query: 'coffee' }, approval)
    expect(structuredContent).toMatchObject({ ok: false, error: { code: 'confirmation', charged: 'no' } })
    const [found] = /declined|nobody has answered/.exec(JSON.stringify(structuredContent)) ?? []
    expect(found).toBe(said)
    expect(sandbox.requests).toEqual([])
  })

  it.each([undefined, null, {}])('makes the call when accepted with the content %j', async (content) => {
    const { sandbox, call } = setUp()
    const { requestState } = await call({ query: 'coffee' })
    const approval = { requestState, inputResponses: { approval: { action: 'accept', content } } }
    const { structuredContent } = await call({ query: 'coffee' }, approval)
    expect([structuredContent?.ok, sandbox.ledger.spent]).toEqual([true, 2])
  })
})

/** A client of 2025, which answers questions itself, on a transport in memory. */
async function connectOld({ server }: Mcp, answerOf: () => object) {
  const messages: Message[] = []
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => {
      const received = message as Message
      messages.push(received)
      if (received.method === 'elicitation/create')
        transport.onmessage?.({ jsonrpc: '2.0', id: received.id, ...answerOf() } as never)
      return Promise.resolve()
    },
  }
  await server().connect(transport)
  const send = (message: object): void => transport.onmessage?.({ jsonrpc: '2.0', ...message } as never)
  const reply = (id: number) =>
    vi.waitFor(() => {
      const found = messages.find((message) => message.id === id && message.method === undefined)
      if (found === undefined) throw new Error('no reply yet')
      return found
    })
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo }
  send({ id: 0, method: 'initialize', params })
  await reply(0)
  send({ method: 'notifications/initialized' })
  const search = { name: 'microblog_search', arguments: { query: 'coffee' } }
  const call = (more: object = {}): void =>
    send({ id: 1, method: 'tools/call', params: { ...search, ...more } })
  return { messages, send, reply, call }
}

type Transport = Parameters<ReturnType<Mcp['server']>['connect']>[0]
type Message = { id: number; method?: string; result?: Reply }

describe('createMcp() for a client of 2025', () => {
  it('says what an error in place of an answer means: nothing was sent', async () => {
    const sandbox = createSandbox()
    const client = new SocialSearch(sandbox.clientOptions())
    const error = { code: -32601, message: 'no such method' }
    const mcp = createMcp({ client, budget: 50, confirmAbove: 1 })
    const { call, reply } = await connectOld(mcp, () => ({ error }))
    call()
    const { result } = await reply(1)
    expect(result?.structuredContent).toMatchObject({
      ...{ ok: false, error: { code: 'confirmation', charged: 'no', stop: false } },
      credits: { spent: 0, uncertain: 0 },
    })
    expect(result?.content?.[0]?.text).toContain('charged: no')
    expect(sandbox.requests).toEqual([])
  })

  it('reports no progress after the client has cancelled the call', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const sandbox = createSandbox()
    const fetch = () => new Promise<Response>(() => {})
    const client = new SocialSearch({ ...sandbox.clientOptions(), fetch, timeout: 60_000 })
    onTestFinished(() => client.close())
    const { call, send, messages } = await connectOld(createMcp({ client, budget: 50 }), () => ({}))
    const reports = () => messages.filter(({ method }) => method === 'notifications/progress').length
    call({ _meta: { progressToken: 'p' } })
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(5000)
      expect(reports()).toBeGreaterThan(0)
    })
    send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    const before = reports()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(reports()).toBe(before)
  })
})
