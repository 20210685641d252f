import { expect, it, vi } from 'vitest'
import { SocialSearch } from '../../../src/index.ts'
import { page } from '../../support/pages.ts'

const answerWith = (headers: object) => () =>
  Promise.resolve(Response.json(page(['1']), { headers: { ...headers } }))

function clientOf(fetch: () => Promise<Response>) {
  const warn = vi.fn()
  const options = { baseUrl: 'https://api.example.com/v1', apiKey: 'key', organization: crypto.randomUUID() }
  return { client: new SocialSearch({ ...options, fetch, logger: { warn } }), warn }
}

it('search() warns once when the service announces its end', async () => {
  const sunset = 'Wed, 11 Nov 2027 11:11:11 GMT'
  const { client, warn } = clientOf(answerWith({ deprecation: '@1794398400', sunset }))
  await client.microblog.search({ query: 'tea' })
  await client.withOptions({ timeout: 5000 }).microblog.search({ query: 'coffee' })
  expect(warn.mock.calls).toEqual([
    [
      'the service announces the end of this call',
      { operation: 'microblog.search', deprecation: '@1794398400', sunset },
    ],
  ])
})

it('search() warns without the token of its attempt, though another call has a later one', async () => {
  const warn = vi.fn()
  let tokens = 0
  const apiKey = () => `token_number_${++tokens}`
  const fetch = async (request: Request) => {
    const deprecation = request.headers.get('authorization')
    if (tokens === 1) await client.creditRates().catch(() => {})
    return answerWith({ deprecation })()
  }
  const options = { baseUrl: 'https://api.example.com/v1', organization: crypto.randomUUID(), apiKey, fetch }
  const client = new SocialSearch({ ...options, logger: { warn } })
  await client.microblog.search({ query: 'tea' })
  expect([tokens, warn.mock.calls.map(([, fields]) => fields as unknown)]).toMatchObject([
    2,
    [{ deprecation: 'Bearer [redacted]' }, { deprecation: 'Bearer [redacted]' }],
  ])
})

it('search() does not warn without an announcement, and keeps a page whose headers throw', async () => {
  const { client, warn } = clientOf(answerWith({}))
  expect((await client.microblog.search({ query: 'tea' })).posts).toHaveLength(1)
  const odd = clientOf(async () => {
    const response = await answerWith({})()
    const get = (name: string) => {
      if (name === 'sunset') throw new Error('odd')
      return null
    }
    return Object.defineProperty(response, 'headers', { value: { get, has: () => false } })
  })
  expect((await odd.client.microblog.search({ query: 'tea' })).posts).toHaveLength(1)
  expect([...warn.mock.calls, ...odd.warn.mock.calls]).toEqual([])
})
