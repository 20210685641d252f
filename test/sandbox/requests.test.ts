import { describe, expect, it } from 'vitest'
import { call, issuesOf, search, searchRequest, searching, setUp } from './helpers.ts'

const [, searchPath] = searching.split(' ')

describe('createSandbox() fetch', () => {
  it.each(['', 'Bearer', 'Bearer wrong', 'Basic abc', 'sandbox_'])(
    'answers 401 unauthorized when the authorization is "%s"',
    async (authorization) => {
      const { sandbox } = setUp()
      const { status, body } = await search(sandbox, { query: 'x' }, { authorization })
      expect([status, body['error'].code]).toEqual([401, 'unauthorized'])
      expect(body['requestId']).toMatch(/^req_[0-9a-f]{16}$/)
    },
  )

  it('accepts the scheme in any case, and any host', async () => {
    const { sandbox } = setUp()
    const elsewhere = { baseUrl: 'https://api.example/v1', apiKey: sandbox.apiKey }
    const authorization = `bearer ${sandbox.apiKey}`
    const response = await sandbox.fetch(searchRequest(elsewhere, { query: 'x' }, { authorization }))
    expect(response.status).toBe(200)
  })

  const noPaths = [
    '',
    '/data/nothing',
    '/mentions/',
    '/mentions/%zz',
    '/mentions/a/b',
    '/mentions/men_1/state',
    '/mentions/men_1/state/x',
  ]
  const noRecords = ['/mentions/men_0', '/listeners/lis_0', '/feeds/svw_0', '/mentions/a%2Fb']
  it.each([
    ...[...noPaths, '/feeds/%2e%2e'].map((path): [string, unknown] => [path, null]),
    ...noRecords.map((path): [string, unknown] => [path, expect.any(String)]),
  ])(
    'answers 404 when "%s" is not a path of the service, or there is no such record',
    async (path, operation) => {
      const { sandbox } = setUp()
      const { status, body } = await call(sandbox, `GET ${path}`)
      expect([status, body['error'].code]).toEqual([404, 'not_found'])
      expect(sandbox.requests).toMatchObject([{ operation, requestId: body['requestId'] }])
    },
  )

  it('finds a record by its percent-encoded id', async () => {
    const { sandbox, client } = setUp()
    const [mention] = await client.mentions.list().toArray({ limit: 1 })
    const path = `/mentions/%6d${String(mention?.['id']).slice(1)}`
    expect((await call(sandbox, `GET ${path}`)).body['mention']).toEqual(mention)
  })
})

describe('createSandbox() requests', () => {
  it('keeps each request with its headers, its result and its charge, but never the key', async () => {
    const { sandbox } = setUp()
    const ok = await search(sandbox, { query: 'coffee', count: 1 })
    await search(sandbox, { query: '' })
    await search(sandbox, 'no json')
    await search(sandbox, { query: 'x' }, { authorization: 'Bearer secret-of-somebody' })
    await call(sandbox, 'GET /mentions?count=2&sort=newest')
    await call(sandbox, 'GET /feeds', undefined, { authorization: 'secret-of-somebody' })

    const { requestId } = ok.body
    const searched = { method: 'POST', path: `/v1${searchPath}`, query: '', operation: 'microblog.search' }
    const body = { query: 'coffee', count: 1 }
    const headers = { 'content-type': 'application/json', authorization: 'Bearer [redacted]' }
    expect(sandbox.requests).toMatchObject([
      { ...searched, headers, status: 200, inFlight: 1, charged: 2, requestId, body },
      { ...searched, status: 400, charged: 0, body: { query: '' } },
      { ...searched, status: 400, charged: 0, body: undefined },
      { ...searched, headers, status: 401, charged: 0, body: { query: 'x' } },
      { method: 'GET', path: '/v1/mentions', query: '?count=2&sort=newest', operation: 'mentions.list' },
      { operation: 'feeds.list', headers: { authorization: '[redacted]' }, status: 401 },
    ])
    expect(JSON.stringify(sandbox.requests)).not.toMatch(/secret-of-somebody|sandbox_/)
    expect(sandbox.ledger).toEqual({ spent: 2, byOperation: { 'microblog.search': 2 } })
  })
})

describe('createSandbox() invalid requests', () => {
  const wrong = { query: 1, count: 0, filters: { minimumLikesCount: -1 } }
  it.each<[what: string, params: unknown, paths: string[]]>([
    ['several fields are wrong', wrong, ['count', 'filters.minimumLikesCount', 'query']],
    ['the cursor is made up', { query: 'x', cursor: 'bm90IGEgY3Vyc29y' }, ['cursor']],
    ['the cursor is not base64', { query: 'x', cursor: '%%%' }, ['cursor']],
    ['the body is not an object', ['x'], ['']],
    ['the body is not JSON', '{"query":', ['']],
    ['the body is empty', '', ['']],
  ])('are answered with 400 naming the fields when %s', async (_, params, paths) => {
    const { sandbox } = setUp()
    const answer = await search(sandbox, params)
    expect([answer.status, answer.body['error'].code]).toEqual([400, 'validation_error'])
    expect(issuesOf(answer).sort()).toEqual(paths)
    for (const path of paths) expect(answer.body['error'].message).toContain(path || 'body')
    expect(sandbox.ledger.spent).toBe(0)
  })
})
