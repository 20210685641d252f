import { expect, it, vi } from 'vitest'
import { type ClientOptions, SocialSearch } from '../../../src/index.ts'
import { ok } from '../../support/service.ts'

function clientOf(options: Partial<ClientOptions>) {
  const warn = vi.fn()
  const own = { apiKey: 'key', organization: crypto.randomUUID(), logger: { warn }, ...options }
  return { client: new SocialSearch({ baseUrl: 'https://api.example.com/v1', ...own }), warn }
}
const answerWith = (headers: object) => () => Promise.resolve(ok(undefined, { headers: { ...headers } }))

it('search() warns once when the service announces its end', async () => {
  const announced = { deprecation: '@1794398400', sunset: 'Wed, 11 Nov 2027 11:11:11 GMT' }
  const { client, warn } = clientOf({ fetch: answerWith(announced) })
  await client.microblog.search({ query: 'tea' })
  await client.withOptions({ timeout: 5000 }).microblog.search({ query: 'coffee' })
  const fields = { operation: 'microblog.search', ...announced }
  expect(warn.mock.calls).toEqual([['the service announces the end of this call', fields]])
})

it('search() warns without the token of its attempt, though another call has a later one', async () => {
  let tokens = 0
  const fetch = async ({ headers }: Request) => {
    if (tokens === 1) await client.creditRates().catch(() => {})
    return answerWith({ deprecation: headers.get('authorization') })()
  }
  const { client, warn } = clientOf({ apiKey: () => `token_number_${++tokens}`, fetch })
  await client.microblog.search({ query: 'tea' })
  const deprecation = 'Bearer [redacted]'
  expect(tokens).toBe(2)
  expect(warn.mock.calls.map(([, fields]) => fields as unknown)).toMatchObject([
    { deprecation },
    { deprecation },
  ])
})

it('search() does not warn without an announcement, and keeps a page whose headers throw', async () => {
  const get = (name: string) => (name === 'sunset' ? expect.unreachable('odd') : null)
  const odd = Object.defineProperty(ok(), 'headers', { value: { get, has: () => false } })
  for (const fetch of [answerWith({}), () => Promise.resolve(odd)]) {
    const { client, warn } = clientOf({ fetch })
    expect((await client.microblog.search({ query: 'tea' })).posts).toHaveLength(1)
    expect(warn).not.toHaveBeenCalled()
  }
})
