import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxServer, serveSandbox } from '../../src/sandbox/node.ts'
import { described } from '../support/description.ts'

const script = fileURLToPath(new URL('../../scripts/contract.ts', import.meta.url))

let sandbox: SandboxServer
beforeAll(async () => (sandbox = await serveSandbox()))
afterAll(() => sandbox.close())

async function run(args: readonly string[], key = sandbox.apiKey) {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, SOCIAL_SEARCH_BASE_URL: '', SOCIAL_SEARCH_API_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { out, errors, code: code as unknown }
}

const url = () => ['--base-url', sandbox.baseUrl]

describe('npm run contract', () => {
  it('finds no difference in the sandbox, and exits with 0', async () => {
    expect(await run(url())).toEqual({ out: 'No differences\n', errors: '', code: 0 })
    expect(sandbox.requests.at(-1)).toMatchObject({ operation: 'openapi', charged: 0 })
  })

  it('lists differences by operation and exits with 1, without printing the key or control characters', async () => {
    const body = described()
    const { post } = body.paths['/data/microblog/tweets/search']
    const { properties, required } = post.requestBody.content['application/json'].schema
    properties.query.maxLength = 300
    properties[`${sandbox.apiKey}\u001b[2J`] = {}
    required.push('count')
    delete post.responses[502]
    delete body.paths['/feeds']
    sandbox.inject({ operation: 'openapi', body })
    expect(await run(url())).toEqual({
      out: `microblog.search
  request.query.maxLength: 300 in the description, 200 here
  request.count: required in the description, optional here
  request.[redacted] [2J: only in the description
  responses.502: not in the description

feeds.list
  GET /feeds: not in the description

5 differences
`,
      errors: '',
      code: 1,
    })
  })

  it('lists newly documented shapes, and exits with 0', async () => {
    const body = described()
    body.paths['/mentions'].get.parameters = ['sort', 'state'].map((name) => ({ name, in: 'query' }))
    sandbox.inject({ operation: 'openapi', body })
    expect(await run(url())).toEqual({
      out: `mentions.list
  query: now documented; not typed in this SDK yet: sort, state

No differences; 1 shape now documented
`,
      errors: '',
      code: 0,
    })
  })

  it('exits with 2 and prints the problem in one line when it cannot compare', async () => {
    const wrong = await run(url(), 'wrong-key')
    expect(wrong).toMatchObject({ out: '', code: 2 })
    expect(wrong.errors).toMatch(/^contract: .*401.*\n$/)
    expect(wrong.errors).not.toContain('wrong-key')
    expect(await run(url(), '')).toEqual({
      out: '',
      errors: 'contract: the environment variable SOCIAL_SEARCH_API_KEY is not set\n',
      code: 2,
    })
    for (const args of [[], ['--base-url', 'ftp://x'], ['--key', 'x']]) {
      const { out, errors, code } = await run(args)
      expect([out, code]).toEqual(['', 2])
      expect(errors).toMatch(/^contract: .+\n$/)
    }
  })
})
