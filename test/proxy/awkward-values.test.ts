import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CreditBudget, SocialSearch } from '../../src/index.ts'
import { type OperationId, type ProxyOptions, createProxy } from '../../src/extensions/proxy/index.ts'
import { awkwardFunctions, endOf, problemsOf } from '../support/awkward-functions.ts'
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

describe('createProxy()', { timeout: 60_000 }, () => {
  it.each(seams)('responds with its error format when %s throws or returns anything', async (_, options) => {
    const problems = await problemsOf(awkwardFunctions, async (fail) => {
      for (const onError of [options(fail).onError ?? (() => {}), undefined]) {
        const { proxy } = setUp({ onError, ...options(fail) })
        const response = await post(proxy)
        const { requestId, error } = (await response.json()) as { requestId: string; error?: object }
        expect(requestId).toBeTypeOf('string')
        if (!response.ok) expect(error).toMatchObject({ code: expect.any(String) })
      }
    })
    expect(problems).toEqual([])
  })

  it.each(['beforeRequest'])(
    'responds, and counts the credits, when a %s hook of its client throws or returns anything',
    async (hook) => {
      let awkward: () => unknown
      const backend = { hooks: { [hook]: [() => awkward()] } }
      const { proxy, sandbox } = setUp({ onError: undefined }, { backend })
      const problems = await problemsOf(awkwardFunctions, async (fail) => {
        awkward = fail
        sandbox.inject({ status: 400 })
        const response = await post(proxy)
        expect(await response.json()).toMatchObject({ requestId: expect.any(String) })
        expect(response.headers.get('social-search-credits')).toContain('spent=0')
        sandbox.clearFaults()
      })
      expect(problems).toEqual([])
    },
  )

  it('fails with an error of this package, or works, when an option is anything', async () => {
    const client = new SocialSearch({ baseUrl: 'https://api.example/v1', apiKey: 'key' })
    const options = { client, allow: ['microblog.search' as OperationId], authorize: () => null }
    const names = ['authorize', 'budget', 'ceiling', 'deadline', 'onError']
    const problems = await problemsOf(awkwardValues, async (make) => {
      const values: object[] = [{ allow: [make()] }, { cors: { origins: [make()] } }]
      for (const changed of [...values, ...names.map((name) => ({ [name]: make() }))])
        expect(await endOf(() => createProxy({ ...options, ...changed }))).not.toContain('TypeError')
    })
    expect(problems).toEqual([])
  })
})
