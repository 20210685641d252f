import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { operations } from '../../../src/api/operations.ts'
import { SocialSearch } from '../../../src/index.ts'
import { page } from '../../support/pages.ts'
import { type RawServer, http, rawServer } from '../../support/raw-server.ts'

const apiKey = 'org_live_5f2b8c1d9e'
const servers: RawServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function serve(answer: Parameters<typeof rawServer>[0]): Promise<RawServer> {
  const server = await rawServer(answer)
  servers.push(server)
  return server
}

const statuses = [
  '301 Moved Permanently',
  '302 Found',
  '303 See Other',
  '307 Temporary Redirect',
  '308 Permanent Redirect',
]

describe('the origin of baseUrl', () => {
  it.each(statuses.flatMap((status) => [true, false].map((same) => [status, same] as const)))(
    'gets a call once, and no other origin does, when the response is %s (to the same origin: %j)',
    async (status, same) => {
      const target = await serve((socket) => void socket.end(http('200 OK', JSON.stringify(page(['1'])))))
      const origin = await serve((socket) => {
        const to = new URL(same ? origin.baseUrl : target.baseUrl).origin
        socket.end(http(status, '', { location: `${to}/v1/elsewhere` }))
      })
      const client = new SocialSearch({ baseUrl: origin.baseUrl, apiKey, organization: status })
      for (const call of [
        () => client.microblog.search({ query: 'rust' }),
        () => client.organization.usage(),
      ]) {
        await expect(call()).rejects.toMatchObject({
          name: 'RedirectError',
          status: Number(status.slice(0, 3)),
        })
      }
      expect(target.requests).toEqual([])
      expect(origin.requests.map((request) => request.split(' ', 2)[1]).sort()).toEqual([
        '/v1/data/microblog/tweets/search',
        '/v1/organization/usage',
      ])
    },
  )

  it('cannot be left by the path of an operation', () => {
    for (const { path } of operations) expect(path).toMatch(/^\/[a-z]/)
  })

  it('gets no call with an invalid header, and no error repeats its value', async () => {
    const origin = await serve((socket) => void socket.end(http('200 OK', JSON.stringify(page(['1'])))))
    const client = new SocialSearch({ baseUrl: origin.baseUrl, apiKey, organization: 'headers' })
    for (const value of ['a\r\nx-evil: secret', 'a\nsecret', 'a\0secret', 'secret ключ']) {
      const call = client.microblog.search({ query: 'rust' }, { headers: { 'x-team': value } })
      const error: unknown = await call.catch((error: unknown) => error)
      expect(error).toMatchObject({ name: 'ConfigurationError' })
      expect(inspect(error, { showHidden: true, depth: Infinity })).not.toContain('secret')
    }
    expect(origin.requests).toEqual([])
  })
})
