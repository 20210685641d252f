import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { createMcp } from '../../src/mcp/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { awkwardFunctions } from '../support/awkward-functions.ts'
import { connect } from './connect.ts'

function setUp(client: object) {
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const mcp = createMcp({ client: new SocialSearch({ ...sandbox.clientOptions(), ...client }), budget: 50 })
  return { sandbox, request: connect(mcp) }
}

describe('createMcp() when a hook of its client', () => {
  it.each(awkwardFunctions)('%s responds to tools and resources', async (_, fail) => {
    for (const hooks of [{ beforeRequest: [fail] }, { afterResponse: [fail] }, { beforeError: [fail] }]) {
      const { request, sandbox } = setUp({ hooks })
      sandbox.inject({ status: 400 })
      const { content } = await request('tools/call', {
        name: 'microblog_search',
        arguments: { query: 'tea' },
      })
      expect(content?.[0]?.text).toContain('spent: 0')
      sandbox.inject({ status: 400 })
      const uri = 'social-search://openapi.json'
      await expect(request('resources/read', { name: uri, uri }).then(() => 'responded')).resolves.toBe(
        'responded',
      )
    }
  })
})
