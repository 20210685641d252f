import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { createMcp } from '../../src/extensions/mcp/index.ts'
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
    for (const requestState of ['forged', undefined])
      expect(
        (await call({ query: 'coffee' }, answer({ ...(requestState && { requestState }) }))).requestState,
      ).toBeTypeOf('string')
    expect(sandbox.requests).toEqual([])
  })

  it.each([
    ['decline', true],
    ['cancel', true],
    ['accept', false],
  ])('sends nothing when the person answers %s with %j', async (action, approve) => {
    const { sandbox, call } = setUp()
    const approval = answer(await call({ query: 'coffee' }), action, approve)
    const { structuredContent } = await call({ query: 'coffee' }, approval)
    expect(structuredContent).toMatchObject({ ok: false, error: { code: 'confirmation' } })
    expect(sandbox.requests).toEqual([])
  })
})
