import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { CreditBudget, type SocialSearchError } from '../../src/index.ts'
import { page } from '../support/pages.ts'
import { apiKey, baseUrl, failure, makeClient, ok, virtualService } from '../support/service.ts'

const service = virtualService()

/** As `console.log` prints it in a terminal. */
const printed = (value: unknown): string => inspect(value, { breakLength: 80 })
const linesOf = (value: unknown): string[] => printed(value).split('\n')

async function failed(): Promise<SocialSearchError> {
  service.script(failure(503, 'professionalnet_unavailable', { error: { message: 'out' } }))
  return (await service.search()).error as SocialSearchError
}

describe('a client', () => {
  it('is printed as its address and credits', async () => {
    service.script(ok())
    const { client } = await service.search()
    const credits = '{ spent: 2, uncertain: 0, reserved: 0, saved: 0 }'
    expect(printed(client)).toBe(`SocialSearch {\n  baseUrl: '${baseUrl}',\n  credits: ${credits}\n}`)
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(apiKey)
  })

  it('is printed through a Proxy', () => {
    expect(printed(new Proxy(makeClient(), {}))).toMatch(/^SocialSearch \{/)
  })
})

it('a call is printed as what to do with it', () => {
  const { microblog, organization } = makeClient()
  const search = microblog.search({ query: 'rust' })
  expect(printed(search)).toBe('PagedCall microblog.search (await it or iterate it)')
  service.script(ok({ requestId: 'r' }))
  expect(printed(organization.usage())).toBe('ApiCall (await it)')
})

it('a CreditBudget is printed as what is left of it, and until when', () => {
  const budget = new CreditBudget(5)
  budget.reserve(2, 'microblog.search')
  expect(printed(budget)).toBe('CreditBudget { limit: 5, remaining: 3 }')
  const daily = printed(new CreditBudget(5, { every: 'day', name: 'acme' }))
  const facts = ["name: 'acme'", 'limit: 5', 'remaining: 5', "every: 'day'", 'resetsAt: \\S+T00:00:00.000Z']
  expect(daily).toMatch(new RegExp(facts.join(',\\s+')))
})

describe('a page', () => {
  const ids = Array.from({ length: 20 }, (_, i) => `post-${i}`)
  const search = async () => (await service.script(ok(page(ids, 'x'.repeat(20)))).search()).value!

  it('is printed with the count and the beginning of its items', async () => {
    const found = await search()
    expect(linesOf(found).length).toBeLessThanOrEqual(12)
    expect(printed(found)).toMatch(/posts: 20 items, the first: \{ id: 'post-0'/)
    expect(printed(found.posts)).toContain("'post-19'")
    expect(inspect(found, { depth: null })).toContain("'post-19'")
  })

  it('is whole in JSON, and equal to a plain object', async () => {
    const found = await search()
    expect(JSON.parse(JSON.stringify(found))).toStrictEqual(found)
    expect(Object.getOwnPropertySymbols(found)).toEqual([])
  })
})

describe('an error', () => {
  it('is printed with a line for each attempt, the latest five at most', async () => {
    const error = await failed()
    expect(error.attempts.length).toBe(3)
    const text = printed(error)
    const head =
      /^ServiceUnavailableError: microblog\.search: temporarily unavailable \(503\): out\. Retry later\.\n {4}at /
    expect(text).toMatch(head)
    expect(text).toMatch(/'503 after \d+ ms, waited \d+ ms, req_professionalnet_unavailable',\n/)
    expect(text).toContain("charged: 'no'")

    const [attempt] = error.attempts
    Object.defineProperty(error, 'attempts', { value: Array(8).fill(attempt) })
    expect(printed(error)).toMatch(/\[\n {4}'4 earlier attempts',\n( {4}'503 .*\n){4} {2}\]/)
    expect(linesOf(error).length).toBeLessThanOrEqual(20)
  })

  it('is printed with frames of the program, and with its own if there are none', async () => {
    const error = await failed()
    error.stack = `Error\n    at a (file:///x/dist/a.js:1:1)\n    at b (file:///x/dist/b.js:1:1)\n    at mine (file:///app/mine.js:1:1)`
    expect(linesOf(error)[1]).toBe('    at mine (file:///app/mine.js:1:1) {')
    error.stack = 'Error\n    at a (file:///x/dist/a.js:1:1)'
    expect(linesOf(error)[1]).toBe('    at a (file:///x/dist/a.js:1:1) {')
    error.stack = ''
    expect(printed(error)).toContain('temporarily unavailable')
  })

  it('is short where nothing asks it how to be printed, and whole in JSON', async () => {
    const error = await failed()
    expect(inspect(error, { customInspect: false }).split('\n').length).toBeLessThanOrEqual(24)
    expect(Object.keys(error)).not.toContain('attempts')
    const { code, attempts } = error
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code, attempts })
  })
})
