import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { createMcp } from '../../src/extensions/mcp/index.ts'
import { createSandbox } from '../support/sandbox.ts'

const call = { name: 'microblog_search', arguments: { query: 'coffee' }, _meta: { progressToken: 1 } }

function setUp() {
  const mcp = createMcp({ client: new SocialSearch(createSandbox().clientOptions()), budget: 10 })
  return (message: object, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    return mcp.fetch(new Request('http://localhost/mcp', { ...init, body }))
  }
}

describe('createMcp() over HTTP', () => {
  it.each([{ accept: 'application/json' }, { accept: '*/*' }, {}])(
    'answers a client that sends %j with one JSON message',
    async (headers: Record<string, string>) => {
      const response = await setUp()({ id: 7, method: 'tools/call', params: call }, headers)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
      expect(await response.json()).toMatchObject({ id: 7, result: { structuredContent: { ok: true } } })
    },
  )

  const stream = 'text/event-stream'
  it.each([stream, `application/json, ${stream}`])('answers %s with a stream', async (accept) => {
    const response = await setUp()({ id: 7, method: 'tools/call', params: call }, { accept })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(await response.text()).toMatch(/^data: .*"id":7/m)
  })

  it('accepts a notification of a client that names no type', async () => {
    const { status } = await setUp()({ method: 'notifications/initialized' })
    expect(status).toBe(202)
  })

  it.each([
    ['organization_usage', null, { ok: true }],
    ['organization_usage', '', { ok: true }],
    ['microblog_search', null, { ok: false, error: { code: 'invalid_request' } }],
    ['microblog_search', '{"query":"coffee"}', { ok: true }],
  ])('understands a call of %s with the arguments %j', async (name, given, structuredContent) => {
    const response = await setUp()({ id: 7, method: 'tools/call', params: { name, arguments: given } })
    expect(await response.json()).toMatchObject({ result: { structuredContent } })
  })

  it.each(['{', [], 5])('refuses the arguments %j, as the protocol says', async (given) => {
    const params = { name: 'organization_usage', arguments: given }
    const response = await setUp()({ id: 7, method: 'tools/call', params })
    expect(await response.json()).toMatchObject({ error: { code: -32602 } })
  })

  it('does not announce that its list of tools changes', async () => {
    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const response = await setUp()({ id: 1, method: 'initialize', params })
    const { result } = (await response.json()) as { result: { capabilities: { tools: object } } }
    expect(result.capabilities.tools).toEqual({ listChanged: false })
  })

  it('answers an unknown tool in well-formed Unicode, also one with a line separator', async () => {
    const response = await setUp()({ id: 1, method: 'tools/call', params: { name: 'two\u2028 \ud83d\n' } })
    expect(JSON.stringify(await response.json())).toMatch(/two\u2028 (?!\\ud83d)/)
  })
})
