import { afterEach, describe, expect, it, vi } from 'vitest'
import { RateLimitError, SocialSearch } from '../../src/index.ts'
import { createSandbox, serveSandbox } from '../support/sandbox.ts'
import { SharedLimiter, memoryStore } from '../../src/extensions/shared/index.ts'

const query = { query: 'coffee', count: 2 }

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('clientOptions()', () => {
  /** Two clients, the first of which a 429 refuses. */
  async function afterRefusal(share: boolean) {
    vi.useFakeTimers()
    const sandbox = createSandbox()
    const options = sandbox.clientOptions()
    sandbox.inject({ status: 429, retryAfter: 7 })
    const first = new SocialSearch({ ...options, retry: false })
    await expect(first.microblog.search(query)).rejects.toBeInstanceOf(RateLimitError)
    return { sandbox, second: new SocialSearch(share ? options : sandbox.clientOptions()) }
  }

  it('gives a client that is not delayed by a 429 of another client', async () => {
    const { sandbox, second } = await afterRefusal(false)
    await second.microblog.search(query)
    expect(sandbox.requests.map(({ status }) => status)).toEqual([429, 200])
  })

  it('gives clients that share their limits when they get the same object', async () => {
    const { sandbox, second } = await afterRefusal(true)
    const answer = second.microblog.search(query).then()
    await vi.advanceTimersByTimeAsync(6999)
    expect(sandbox.requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1001)
    await answer
  })

  it('gives separate limits where random values are refused, as in an edge worker before its first request', () => {
    vi.stubGlobal('crypto', {
      getRandomValues: () => {
        throw new Error('Disallowed operation called within global scope')
      },
    })
    const labels = Array.from({ length: 2 }, () => createSandbox().clientOptions().organization)
    expect(new Set(labels).size).toBe(2)
  })

  it('gives the rate limit that the sandbox enforces', async () => {
    vi.useFakeTimers()
    const sandbox = createSandbox({ limits: { perMinute: false } })
    const client = new SocialSearch(sandbox.clientOptions())
    for (let i = 0; i < 25; i++) await client.microblog.search(query)
    expect(sandbox.requests).toHaveLength(25)
  })

  it('gives options that take a limiter, which has the limits', async () => {
    const limiter = new SharedLimiter({ store: memoryStore(), organization: 'acme' })
    const client = new SocialSearch({ ...createSandbox().clientOptions(), limiter })
    expect((await client.microblog.search(query)).posts).toHaveLength(2)
    await client.close()
    await limiter.close()
  })

  it('gives a key that is allowed in a page', async () => {
    const sandbox = createSandbox()
    vi.stubGlobal('window', {})
    vi.stubGlobal('document', {})
    const client = new SocialSearch(sandbox.clientOptions())
    expect((await client.microblog.search(query)).posts).toHaveLength(2)
  })

  it('gives the URL of a server, and only values that JSON keeps', async () => {
    await using server = await serveSandbox()
    const options = server.clientOptions()
    expect(JSON.parse(JSON.stringify(options))).toEqual(options)
    expect((await new SocialSearch(options).microblog.search(query)).posts).toHaveLength(2)
    expect(server.requests).toHaveLength(1)
  })
})
