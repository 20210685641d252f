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
    await client.connect(
      new StdioClientTransport({ command: 'npx', args, cwd: folder, env, stderr: 'ignore' }),
    )
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('microblog_search')
    const { structuredContent } = await client.callTool({
      name: 'microblog_search',
      arguments: { query: 'coffee' },
    })
    expect(structuredContent).toMatchObject({ ok: true, credits: { spent: 2, remaining: 98 } })
  } finally {
    await client.close()
    rmSync(folder, { recursive: true })
  }
})
