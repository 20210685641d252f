import { rmSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { pack } from '../packaging/tarball.ts'

it('npx of the packed package serves MCP with the package @modelcontextprotocol/server', async () => {
  const { folder, tarball } = pack()
  const client = new Client({ name: 'test', version: '1' })
  try {
    const packages = [`--package=${tarball}`, '--package=@modelcontextprotocol/server@2']
    const args = ['--yes', ...packages, 'social-search', 'mcp', '--sandbox']
    const env = { ...process.env } as Record<string, string>
    const program = { command: 'npx', args, cwd: folder, env, stderr: 'ignore' } as const
    await client.connect(new StdioClientTransport(program))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('microblog_search')
    const result = await client.callTool({ name: 'microblog_search', arguments: { query: 'coffee' } })
    expect(result.structuredContent).toMatchObject({ ok: true, credits: { spent: 2, remaining: 98 } })
  } finally {
    await client.close()
    rmSync(folder, { recursive: true })
  }
})
