import { describe, expect, it } from 'vitest'
import { call, unpaced } from './helpers.ts'

describe('createSandbox() fetch', () => {
  it('finds a record by its id, percent-encoded or not', async () => {
    const sandbox = unpaced()
    const { body } = await call(sandbox, 'GET /mentions?limit=1')
    const id: string = body['mentions'][0].id
    const encoded = `%6d${id.slice(1)}`
    for (const path of [id, encoded])
      expect((await call(sandbox, `GET /mentions/${path}`)).body['mention'].id).toBe(id)
  })

  it('counts mentions at /mentions/count, which is not an id', async () => {
    const { status, body } = await call(unpaced(), 'GET /mentions/count')
    expect([status, body['count']]).toEqual([200, 240])
  })

  it.each(['mentions/men_0', 'listeners/lis_0', 'feeds/svw_0', 'feeds/%2e%2e', 'mentions/a%2Fb'])(
    'responds with 404 not_found when /%s does not exist',
    async (path) => {
      const { status, body } = await call(unpaced(), `GET /${path}`)
      expect([status, body['error'].code]).toEqual([404, 'not_found'])
      expect(body['requestId']).toMatch(/^req_/)
    },
  )

  it.each(['/mentions/', '/mentions/%zz', '/mentions/a/b', '/mentions/men_1/state/x'])(
    'responds with 404 when %s is not a path of the service',
    async (path) => {
      const sandbox = unpaced()
      expect((await call(sandbox, `GET ${path}`)).status).toBe(404)
      expect(sandbox.requests[0]?.operation).toBe(null)
    },
  )

  it.each([
    ['GET', '/mentions/men_1/state', 'PATCH'],
    ['DELETE', '/mentions/men_1', 'GET'],
    ['PATCH', '/mentions/count', 'GET'],
    ['POST', '/openapi.json', 'GET'],
  ])('answers 405 to %s %s with the method to use', async (method, path, allowed) => {
    const { status, headers } = await call(unpaced(), `${method} ${path}`)
    expect([status, headers.get('allow')]).toEqual([405, allowed])
  })

  it('keeps the query of a request apart from its path', async () => {
    const sandbox = unpaced()
    await call(sandbox, 'GET /mentions?limit=2&sort=newest')
    await call(sandbox, 'GET /feeds')
    expect(sandbox.requests).toMatchObject([
      { path: '/v1/mentions', query: '?limit=2&sort=newest', operation: 'mentions.list', body: undefined },
      { path: '/v1/feeds', query: '' },
    ])
  })
})
