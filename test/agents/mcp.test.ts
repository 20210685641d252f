import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, describe, expect, it } from 'vitest'
import { createMcp } from '../../src/extensions/mcp/index.ts'
import type { McpOptions } from '../../src/extensions/mcp/index.ts'
import type { ToolResult } from '../../src/extensions/tools/index.ts'
import { budget, decide, setUp } from './loop.ts'

const command = join(import.meta.dirname, '../../src/cli/main.ts')
const url = new URL('http://localhost/mcp')
const eras = [['2025', 'legacy'] as const, ['2026', { pin: '2026-07-28' }] as const]
const open: Client[] = []

afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})

type Mode = (typeof eras)[number][1]

/** @param answer What the person at the client says; undefined for a client that cannot ask. */
function clientOf(mode: Mode, answer?: boolean): { client: Client; asked: string[] } {
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } }
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } })
  const asked: string[] = []
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return { action: 'accept', content: { approve: answer } }
    })
  open.push(client)
  return { client, asked }
}

async function connect(mode: Mode, options: Partial<McpOptions> = {}, answer?: boolean, latency = 0) {
  const { sandbox, client: own } = setUp(latency)
  const mcp = createMcp({ client: own, budget, ...options })
  const { client, asked } = clientOf(mode, answer)
  const fetch = (input: string | URL, init?: RequestInit) => mcp.fetch(new Request(input, init))
  await client.connect(new StreamableHTTPClientTransport(url, { fetch }))
  return { sandbox, own, mcp, client, asked }
}

const searchTool = { name: 'microblog_search' }

async function call(client: Client, args: Record<string, unknown>) {
  const result = await client.callTool({ ...searchTool, arguments: args })
  return result.structuredContent as unknown as ToolResult
}

describe.each(eras)('createMcp() over HTTP, for a client of %s', (_, mode) => {
  it('serves an agent until the budget says stop', async () => {
    const { sandbox, client } = await connect(mode)
    let latest: ToolResult | undefined
    let calls = 0
    for (let args = decide(latest); args !== null; args = decide(latest)) {
      latest = await call(client, args)
      calls++
    }
    expect([calls, sandbox.ledger.spent]).toEqual([3, 4])
  })

  it('lists tools with prices and honest hints', async () => {
    const allow = ['microblog.search', 'organization.usage', 'mentions.setState'] as const
    const { client } = await connect(mode, { allow })
    const [search, usage, set] = (await client.listTools()).tools
    expect(search?._meta?.['social-search-sdk/price']).toMatchObject({ kind: 'perRequest', credits: 2 })
    expect(search?.outputSchema?.['required']).toEqual(['ok', 'credits'])
    expect(search?.annotations).toEqual({ readOnlyHint: false, destructiveHint: false, openWorldHint: true })
    expect(usage?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false })
    expect(set?.annotations).toEqual({ readOnlyHint: false, destructiveHint: true, openWorldHint: false })
  })

  it('answers bad input with what is wrong, and refuses unknown tools', async () => {
    const { sandbox, client } = await connect(mode)
    const { isError, structuredContent } = await client.callTool({ ...searchTool, arguments: { query: 1 } })
    const { error } = structuredContent as unknown as ToolResult
    expect([isError, error?.issues]).toEqual([true, [{ path: 'query', message: 'must be a string, got 1' }]])
    await expect(client.callTool({ name: 'microblog_find', arguments: {} })).rejects.toThrow(/not found/)
    await expect(call(client, { query: 'x'.repeat(10_000_000) })).rejects.toThrow()
    expect(sandbox.requests).toHaveLength(0)
  })

  it('keeps the answer of a client that disconnects, and does not charge again', async () => {
    const { sandbox, own, mcp, client } = await connect(mode, {}, undefined, 50)
    const leaving = clientOf(mode).client
    const leaver = new AbortController()
    const fetch = (input: string | URL, init?: RequestInit) =>
      mcp.fetch(new Request(input, { ...init, signal: leaver.signal }))
    await leaving.connect(new StreamableHTTPClientTransport(url, { fetch }))
    leaving.callTool({ ...searchTool, arguments: { query: 'coffee' } }).catch(() => {})
    await expect.poll(() => sandbox.requests.length, { interval: 1 }).toBe(1)
    leaver.abort()
    await expect.poll(() => own.credits.spent).toBe(2)
    const { items, credits } = await call(client, { query: 'coffee' })
    expect([items?.length, credits.spent, sandbox.ledger.spent]).toEqual([20, 0, 2])
  })
})

describe('createMcp() over HTTP', () => {
  it.each<[to: string, code: number, init: RequestInit]>([
    ['http://evil.example/mcp', 403, {}],
    ['http://localhost/mcp', 403, { headers: { origin: 'https://evil.example' } }],
    [
      'http://localhost/mcp',
      413,
      { headers: { 'content-type': 'application/json' }, body: 'x'.repeat(10_000_000) },
    ],
  ])('refuses another host, another page and a body of 10 MB: %s with %i', async (to, code, init) => {
    const { fetch } = createMcp({ client: setUp().client, budget })
    expect((await fetch(new Request(to, { method: 'POST', ...init }))).status).toBe(code)
  })
})

describe.each(eras)('social-search mcp, for a client of %s', (_, mode) => {
  const start = async (args: string[], answer?: boolean) => {
    const { client, asked } = clientOf(mode, answer)
    const words = [command, 'mcp', '--sandbox', ...args]
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: words, stderr: 'ignore' }),
    )
    return { client, asked }
  }

  it('asks the person about calls above --confirm-above, and tells its progress', async () => {
    const { client, asked } = await start(['--budget', '50', '--confirm-above', '3'], true)
    const seen: unknown[] = []
    const onprogress = (each: unknown) => seen.push(each)
    const input = { ...searchTool, arguments: { query: 'coffee', pages: 3 } }
    const { structuredContent } = await client.callTool(input, { onprogress })
    expect(asked).toHaveLength(1)
    const result = structuredContent as unknown as ToolResult
    expect([client.getInstructions(), result.notice, result.pages]).toEqual([
      expect.stringContaining('simulation'),
      expect.stringContaining('Simulated'),
      3,
    ])
    // A client of 2026 also reports its own steps.
    expect(seen.slice(-2)).toMatchObject([
      { progress: 1, total: 3 },
      { progress: 2, total: 3 },
    ])
  })

  it('refuses 10 MB of input, and goes on', async () => {
    const { client } = await start(['--budget', '5'])
    expect((await call(client, { query: 'x'.repeat(10_000_000) })).error?.code).toBe('invalid_request')
    expect((await call(client, { query: 'coffee' })).ok).toBe(true)
  })
})
