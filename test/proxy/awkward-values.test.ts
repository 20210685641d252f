import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CreditBudget, SocialSearch } from '../../src/index.ts'
import { type OperationId, type ProxyOptions, createProxy } from '../../src/proxy/index.ts'
import { awkwardFunctions, endOf } from '../support/awkward-functions.ts'
import { awkwardValues } from '../support/awkward-values.ts'
import { post, setUp } from './setup.ts'

const log = vi.spyOn(console, 'error')
beforeEach(() => void log.mockReset().mockReturnValue())

const seams: [name: string, options: (fail: () => never) => Partial<ProxyOptions>][] = [
  ['authorize', (fail) => ({ authorize: fail })],
  ['budget', (fail) => ({ budget: fail })],
  [
    'a budget of authorize',
    (fail) => ({
      authorize: () =>
        Promise.resolve()
          .then(fail)
          .then((budget) => ({ id: 'ada', budget })),
    }),
  ],
  ['reserve()', (fail) => ({ budget: () => Object.assign(new CreditBudget(9), { reserve: fail }) })],
  ['onError', (fail) => ({ authorize: () => null, onError: fail })],
]

describe.each(seams)('createProxy() when %s', (_, options) => {
  it.each(awkwardFunctions)('%s responds with its error format', async (_, fail) => {
    for (const onError of [options(fail).onError ?? (() => {}), undefined]) {
      const { proxy } = setUp({ onError, ...options(fail) })
      const response = await post(proxy)
      const { requestId, error } = (await response.json()) as { requestId: string; error?: object }
      expect(requestId).toBeTypeOf('string')
      if (!response.ok) expect(error).toMatchObject({ code: expect.any(String) })
    }
  })
})

describe('createProxy() when a hook of its client', () => {
  it.each(awkwardFunctions)('%s responds, and counts the credits', async (_, fail) => {
    for (const hooks of [{ beforeRequest: [fail] }, { beforeError: [fail] }]) {
      const { proxy, sandbox } = setUp({ onError: undefined }, { backend: { hooks } })
      sandbox.inject({ status: 400 })
      const response = await post(proxy)
      expect(await response.json()).toMatchObject({ requestId: expect.any(String) })
      expect(response.headers.get('social-search-credits')).toContain('spent=0')
    }
  })
})

describe('createProxy() when an option is', () => {
  const client = new SocialSearch({ baseUrl: 'https://api.example/v1', apiKey: 'key' })
  const options = { client, allow: ['microblog.search' as OperationId], authorize: () => null }

  it.each(awkwardValues)('%s fails with an error of this package, or works', async (_, make) => {
    const names = ['authorize', 'budget', 'maxCallers', 'ceiling', 'deadline', 'onError']
    const values: object[] = [{ allow: [make()] }, { cors: { origins: [make()] } }]
    for (const changed of [...values, ...names.map((name) => ({ [name]: make() }))])
      expect(await endOf(() => createProxy({ ...options, ...changed }))).not.toContain('TypeError')
  })
})
