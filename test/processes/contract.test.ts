import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxServer, serveSandbox } from '../../src/extensions/sandbox/node.ts'
import { described } from '../support/description.ts'
import { run } from './command.ts'

const script = fileURLToPath(new URL('../../scripts/contract.ts', import.meta.url))

let sandbox: SandboxServer
beforeAll(async () => (sandbox = await serveSandbox()))
afterAll(() => sandbox.close())

const contract = (flags = `--base-url ${sandbox.baseUrl}`, key = sandbox.apiKey) =>
  run({ folder: process.cwd(), file: script }, flags, { env: { SOCIAL_SEARCH_API_KEY: key } })

describe('npm run contract', () => {
  it('finds no difference in the sandbox, and exits with 0', async () => {
    expect(await contract()).toEqual({ out: 'No differences\n', err: '', code: 0 })
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
    expect(await contract()).toEqual({
      out: `microblog.search
  request.query.maxLength: 300 in the description, 200 here
  request.count.required: yes in the description, no here
  responses.502: not in the description
  request.[redacted] [2J: only in the description

feeds.list
  GET /feeds: not in the description

5 differences
`,
      err: '',
      code: 1,
    })
  })

  it('exits with 2 and prints the problem in one line when it cannot compare', async () => {
    const wrong = await contract(undefined, 'wrong-key')
    expect(wrong).toMatchObject({ out: '', code: 2 })
    expect(wrong.err).toMatch(/^contract: .*401.*\n$/)
    expect(wrong.err).not.toContain('wrong-key')
    expect(await contract(undefined, '')).toEqual({
      out: '',
      err: 'contract: the environment variable SOCIAL_SEARCH_API_KEY is not set\n',
      code: 2,
    })
    for (const flags of ['', '--base-url ftp://x', '--key x'])
      expect(await contract(flags)).toEqual({
        out: '',
        err: expect.stringMatching(/^contract: .+\n$/),
        code: 2,
      })
  })
})
