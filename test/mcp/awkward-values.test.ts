import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { createMcp } from '../../src/extensions/mcp/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { awkwardFunctions, problemsOf } from '../support/awkward-functions.ts'
import { connect } from './connect.ts'

function setUp(client: object) {
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const mcp = createMcp({ client: new SocialSearch({ ...sandbox.clientOptions(), ...client }), budget: 50 })
  return { sandbox, request: connect(mcp) }
}

describe('createMcp()', () => {
  it.each(['beforeRequest'])(
    'responds to tools and resources when a %s hook of its client throws or returns anything',
    { timeout: 60_000 },
    async (hook) => {
      let awkward: () => unknown
      const { request, sandbox } = setUp({ hooks: { [hook]: [() => awkward()] } })
      const problems = await problemsOf(awkwardFunctions, async (fail) => {
        awkward = fail
        sandbox.inject({ status: 400, times: 2 })
        const { content } = await request('tools/call', {
          name: 'microblog_search',
          arguments: { query: 'tea' },
        })
        expect(content?.[0]?.text).toContain('spent: 0')
        const uri = 'social-search://openapi.json'
        await request('resources/read', { name: uri, uri })
        sandbox.clearFaults()
      })
      expect(problems).toEqual([])
    },
  )
})
