import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { refused, search, searchPath, searchRequest } from './helpers.ts'

describe('createSandbox() fetch', () => {
  it('answers a search with a page of posts when the key is its own', async () => {
    const sandbox = createSandbox()
    const { status, headers, body } = await search(sandbox, { query: 'typescript' })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(body.requestId).toMatch(/^req_[0-9a-f]{16}$/)
    expect(body.posts).toHaveLength(20)
    expect(body.meta).toEqual({ returnedCount: 20, hasMore: true, nextCursor: expect.any(String) })
  })

  it.each(['', 'Bearer', 'Bearer wrong', 'Basic abc', 'sandbox_'])(
    'answers 401 unauthorized when the authorization is "%s"',
    async (authorization) => {
      const sandbox = createSandbox()
      const { status, body } = await refused(sandbox, { query: 'x' }, { authorization })
      expect(status).toBe(401)
      expect(body).toMatchObject({ requestId: expect.any(String), error: { code: 'unauthorized' } })
      expect(sandbox.ledger.spent).toBe(0)
    },
  )

  it('takes the scheme in any case when the key is right', async () => {
    const sandbox = createSandbox()
    const { status } = await search(sandbox, { query: 'x' }, { authorization: `bearer ${sandbox.apiKey}` })
    expect(status).toBe(200)
  })

  it('answers 403 when the key lacks the scope, and 200 when it has it', async () => {
    const sandbox = createSandbox({
      keys: [
        { key: 'no-search', scopes: ['mentions:read'] },
        { key: 'only-search', scopes: ['search:read'] },
      ],
    })
    const denied = await refused(sandbox, { query: 'x' }, { authorization: 'Bearer no-search' })
    expect(denied.status).toBe(403)
    expect(denied.body.error.message).toContain('search:read')
    expect((await search(sandbox, { query: 'x' }, { authorization: 'Bearer only-search' })).status).toBe(200)
  })

  it('answers 404 when the path is unknown, even without a key', async () => {
    const sandbox = createSandbox()
    for (const path of ['/data/nothing', '']) {
      const response = await sandbox.fetch(new Request(sandbox.baseUrl + path))
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        requestId: expect.any(String),
        error: { code: 'not_found' },
      })
    }
    expect(sandbox.requests.map(({ operation }) => operation)).toEqual([null, null])
  })

  it('answers 405 with the method to use when the method is wrong', async () => {
    const sandbox = createSandbox()
    const response = await sandbox.fetch(new Request(sandbox.baseUrl + searchPath))
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  it('answers on any host when the path is right', async () => {
    const sandbox = createSandbox()
    const elsewhere = { baseUrl: 'https://api.example/v1', apiKey: sandbox.apiKey }
    expect((await sandbox.fetch(searchRequest(elsewhere, { query: 'x' }))).status).toBe(200)
  })
})

describe('createSandbox() requests', () => {
  it('keeps each request and its result, but never the key', async () => {
    const sandbox = createSandbox()
    const ok = await search(sandbox, { query: 'coffee', count: 1 })
    await refused(sandbox, { query: '' })
    await refused(sandbox, 'no json')
    await refused(sandbox, { query: 'x' }, { authorization: 'Bearer secret-of-somebody' })

    expect(sandbox.requests).toMatchObject([
      {
        method: 'POST',
        path: `/v1${searchPath}`,
        operation: 'microblog.search',
        status: 200,
        inFlight: 1,
        charged: 2,
      },
      { status: 400, charged: 0, body: { query: '' } },
      { status: 400, charged: 0, body: undefined },
      { status: 401, charged: 0, body: { query: 'x' } },
    ])
    expect(sandbox.requests[0]).toMatchObject({
      requestId: ok.body.requestId,
      body: { query: 'coffee', count: 1 },
    })
    expect(JSON.stringify(sandbox.requests)).not.toMatch(/secret-of-somebody|sandbox_/)
  })
})

describe('createSandbox() ledger', () => {
  it('charges 2 credits for each success and nothing for errors', async () => {
    const sandbox = createSandbox()
    const { ledger } = sandbox
    const first = await search(sandbox, { query: 'coffee' })
    await refused(sandbox, { query: 'coffee', count: 21 })
    const second = await search(sandbox, { query: 'nothing-will-ever-match-this' })
    expect(second.body.posts).toEqual([])
    expect(ledger.spent).toBe(4)
    expect(ledger.byOperation).toEqual({ 'microblog.search': 4 })
    expect(ledger.entries.map(({ requestId, credits }) => [requestId, credits])).toEqual([
      [first.body.requestId, 2],
      [second.body.requestId, 2],
    ])
  })
})
