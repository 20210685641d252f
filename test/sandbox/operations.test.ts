import { describe, expect, it } from 'vitest'
import specification from '../../docs/specs/openapi.json' with { type: 'json' }
import { creditRates } from '../../src/api/price.ts'
import type { Operation, Scope } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { check } from '../../src/api/schema/check.ts'
import type { Sandbox } from '../../src/extensions/sandbox/index.ts'
import { people } from '../../src/extensions/sandbox/compose-post.ts'
import { madeUpCompanies, pageOfCompany } from '../../src/extensions/sandbox/companies.ts'
import { call, networkPostsOf, setUp } from './helpers.ts'

const scopes: readonly Scope[] = [
  ...([
    'mentions:read',
    'mentions:write',
    'listeners:read',
    'feeds:read',
    'org:read',
    'search:read',
  ] as const),
]
const posts = networkPostsOf(1)
const profileUrl = people[0]?.profile.url

/** A body that any operation accepts which takes one. */
const bodies: Record<string, object> = {
  'microblog.search': { query: 'ai' },
  'professionalnet.posts.search': { query: 'ai' },
  'professionalnet.company.get': { url: pageOfCompany(madeUpCompanies[0]!) },
  'professionalnet.person.posts': { profileUrl },
  'professionalnet.person.comments': { profileUrl },
  'professionalnet.posts.comments': { postUrl: posts[0]?.post.share_url },
  'professionalnet.posts.reactions': { postUrl: posts[0]?.post.share_url },
  'technews.search': { query: 'ai' },
  'mentions.setState': { state: 'done' },
}

const every: readonly Operation[] = operations

async function send(sandbox: Sandbox, operation: Operation, key: string) {
  const list = operation.path.split('/')[1]
  const first = operation.pathId === undefined ? null : await call(sandbox, `GET /${list}`)
  const path = operation.path.replace('{id}', String(first?.body[list ?? ''][0].id))
  return call(sandbox, `${operation.method} ${path}`, bodies[operation.id], { key })
}

describe.each(every.map((operation) => [operation.id, operation] as const))(
  'createSandbox() %s',
  (id, operation) => {
    it('responds and charges as the contract says', async () => {
      const { sandbox } = setUp()
      const { status, headers, body } = await send(sandbox, operation, sandbox.writeKey)
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
      expect(check(operation.response, body)).toEqual([])
      const items = operation.list === undefined ? [] : (body[operation.list] as unknown[])
      const { price } = operation
      const expected =
        price.kind === 'free' ? 0 : price.kind === 'perRequest' ? price.credits : price.credits * items.length
      expect(sandbox.ledger.spent).toBe(expected)
      expect(sandbox.requests.at(-1)).toMatchObject({ operation: id, charged: expected })
    })

    it('answers 401 without a key, and 403 when any one scope is missing', async () => {
      const keys = operation.scopes.map((scope) => ({
        key: `without-${scope}`,
        scopes: scopes.filter((each) => each !== scope),
      }))
      const { sandbox } = setUp({ keys: [...keys, { key: 'exact', scopes: operation.scopes }] })
      expect((await send(sandbox, operation, 'nobody')).status).toBe(401)
      for (const { key } of keys) {
        const { status, body } = await send(sandbox, operation, key)
        expect([status, body['requestId']], key).toEqual([403, expect.any(String)])
        expect(body['error'].message).toContain(key.slice(key.indexOf('-') + 1))
      }
      expect((await send(sandbox, operation, 'exact')).status).toBe(200)
    })
  },
)

describe('createSandbox() openapi', () => {
  it('is answered with docs/specs/openapi.json, as a sandbox and without a requestId', async () => {
    const { status, body } = await call(setUp().sandbox, 'GET /openapi.json')
    const { openapi, info, paths, components } = specification
    const title = `${info.title} (sandbox)`
    expect([status, body]).toEqual([200, { openapi, info: { ...info, title }, paths, components }])
  })

  it('publishes the rates that this package assumes', async () => {
    expect((await setUp().client.creditRates()).rates).toMatchObject(creditRates)
  })
})
