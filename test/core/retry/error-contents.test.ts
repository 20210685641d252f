import { describe, expect, it } from 'vitest'
import { ConnectionError, InvalidResponseError, type SocialSearchError } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, ok, scriptedService, unreachable } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

const search = (options = {}) => settle(makeClient(options).microblog.search({ query: 'rust' }))

describe('contents of an error', () => {
  it('search() lists the fields that the service names in a 400', async () => {
    const issues = [{ path: 'filters.lang', message: 'not a language' }]
    service.script(
      failure(400, 'validation_error', {
        error: { message: 'invalid', issues: [...issues, { path: 1 }, 'x'] },
      }),
    )
    const { error } = await search()
    expect(error).toMatchObject({
      name: 'ValidationError',
      code: 'validation_error',
      issues,
      requestId: 'req_validation_error',
    })
  })

  it('search() names both causes and the scopes when the status is 403, with any body', async () => {
    for (const body of ['', '<html>', '[]']) {
      service.script(new Response(body, { status: 403 }))
      const { error } = await search()
      expect(error).toMatchObject({ name: 'PermissionDeniedError', requiredScopes: ['search:read'] })
      expect((error as Error).message).toMatch(/lacks search:read, or the member/)
    }
  })

  it('search() keeps codes and statuses that are not documented', async () => {
    service.script(failure(451, 'legal_reasons'))
    const { error } = await search()
    expect(error).toMatchObject({ name: 'ApiError', status: 451, code: 'legal_reasons' })
  })

  it('search() keeps the paid body on the error when it is not of the documented shape', async () => {
    const body = { requestId: 'req_9', posts: [{ id: 1 }], meta: { returnedCount: 1, hasMore: false } }
    service.script(ok(body))
    const client = makeClient()
    const { error } = await settle(client.microblog.search({ query: 'rust' }))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect((error as InvalidResponseError).body).toEqual(body)
    expect((error as InvalidResponseError).issues).toContainEqual({
      path: 'posts.0.id',
      message: 'must be a string, got 1',
    })
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0 })
  })

  it('search() keeps the text on the error when a success is not JSON, and counts it as uncertain', async () => {
    service.script(ok('{"requestId":"r","posts":[{"id"'))
    const client = makeClient()
    const { error } = await settle(client.microblog.search({ query: 'rust' }))
    expect((error as InvalidResponseError).body).toBe('{"requestId":"r","posts":[{"id"')
    expect(client.credits).toMatchObject({ spent: 0, uncertain: 2, reserved: 0 })
  })

  it('search() sanitises a requestId that would break a log line', async () => {
    service.script(
      new Response(
        JSON.stringify({ requestId: `a\r\nb${'x'.repeat(9999)}`, error: { code: 'upstream_error' } }),
        { status: 502 },
      ),
    )
    const { error } = await search({ retry: false })
    expect((error as SocialSearchError).requestId).toMatch(/^abx{126}$/)
  })

  it('search() hides the error of fetch', async () => {
    service.script(unreachable())
    const { error } = await search()
    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).cause).toBeUndefined()
  })

  it('search() never follows a redirect', async () => {
    service.script(
      new Response(null, { status: 308, headers: { location: `https://api.example/v1/elsewhere` } }),
    )
    const { error } = await search()
    expect(error).toMatchObject({ name: 'RedirectError', status: 308 })
    expect(service.arrivals).toHaveLength(1)
  })
})
