import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { type McpOptions, createMcp } from '../../src/extensions/mcp/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import type { ToolResult } from '../../src/extensions/tools/index.ts'
import { connect } from './connect.ts'

const tokensOf = (value: unknown): number =>
  Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / 4

/** A result as JSON: its items are lists of the values of `fields`. */
interface Structured extends Omit<ToolResult, 'items'> {
  fields?: string[]
  items?: unknown[][]
}

/** The result with its items as objects, as a program reads them. */
function withItems({ fields = [], items, ...result }: Structured): ToolResult {
  const objects = items?.map((item) => Object.fromEntries(fields.map((name, at) => [name, item[at]])))
  return { ...result, ...(objects && { items: objects }) }
}

/** A server, and a model that calls its tools. */
function setUp(options: Partial<McpOptions> = {}) {
  const sandbox = createSandbox({ now: new Date('2026-11-22T18:00:00Z'), limits: { perMinute: false } })
  const client = new SocialSearch({ ...sandbox.clientOptions(), apiKey: sandbox.writeKey })
  const request = connect(createMcp({ client, budget: 100, ...options }), false)
  return {
    sandbox,
    request,
    call: async (name: string, args: object) => {
      const { content, structuredContent } = await request('tools/call', { name, arguments: args })
      const text = content?.[0]?.text ?? ''
      const tokens = { text: tokensOf(text), structured: tokensOf(structuredContent) }
      return { text, tokens, result: withItems(structuredContent as unknown as Structured) }
    },
  }
}

describe('createMcp()', () => {
  it('lists its tools in 1,700 tokens', async () => {
    const { tools } = await setUp().request('tools/list')
    expect(tools?.map(({ name }) => name)).toContain('professionalnet_company_get')
    expect(tokensOf(tools)).toBeLessThanOrEqual(1700)
  })

  it.each(['typescript', 'rust', 'coffee', 'cycling', 'garden'])(
    'returns 20 posts about %s in 1,550 tokens, with their authors, counts and addresses',
    async (query) => {
      const { text, tokens, result } = await setUp({ simulated: true }).call('microblog_search', { query })
      const [names, ...rows] = text
        .split('\n')
        .slice(2)
        .map((row) => JSON.parse(row) as unknown[])
      expect(names?.join(' ')).toBe('author text time name url likes replies reposts views')
      expect(rows.map((row) => row[4])).toEqual(result.items?.map(({ url }) => url))
      expect(tokens.text).toBeLessThanOrEqual(1550)
      expect(tokens.structured).toBeLessThanOrEqual(1550)
    },
  )

  it('says that everything is simulated, to begin with and in each result', async () => {
    const { request, call } = setUp({ simulated: true })
    expect((await request('server/discover')).instructions).toContain('simulation')
    for (const [name, args] of [
      ['microblog_search', { query: 'coffee' }],
      ['organization_usage', {}],
      ['microblog_search', {}],
    ] as const)
      expect((await call(name, args)).text).toContain('Simulated')
    const real = setUp()
    expect((await real.request('server/discover')).instructions).not.toContain('simulation')
    expect((await real.call('microblog_search', { query: 'coffee' })).text).not.toContain('Simulated')
  })

  it('tells the model the date at which its session began', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 22, 23, 59) })
    onTestFinished(() => void vi.useRealTimers())
    const { request } = setUp()
    for (const day of [22, 23]) {
      const { instructions } = await request('server/discover')
      expect(instructions).toContain(`This session began on 2026-11-${day} (UTC).`)
      vi.setSystemTime(Date.UTC(2026, 10, 23))
    }
  })

  it('has no table for a search without results', async () => {
    const { text, result } = await setUp().call('microblog_search', { query: 'nothing' })
    expect(text.split('\n').at(-1)).toBe('No matches: drop a filter, or use other keywords.')
    expect(result).toMatchObject({ returned: 0, items: [] })
  })

  it('writes a failure as text, and its result as JSON', async () => {
    const { text, result } = await setUp().call('microblog_search', { query: 3, count: 50 })
    expect(text).toMatch(
      /^failed \(invalid_request; charged: no; stop: false\): query must be .*; count must be/,
    )
    expect(result.error?.code).toBe('invalid_request')
  })

  it('says in text and JSON that a failed write may have been applied', async () => {
    const { sandbox, call } = setUp({ allow: ['mentions.setState'] })
    sandbox.inject({ reset: 'after' })
    const { text, result } = await call('mentions_setState', { id: 'men_764dbb8c410af7ff', state: 'seen' })
    expect(text).toMatch(/^failed \(connection; charged: no; applied: unknown; stop: false\): /)
    expect(result.error?.applied).toBe('unknown')
  })
})
