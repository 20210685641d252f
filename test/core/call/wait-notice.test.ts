import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ClientOptions, SocialSearch } from '../../../src/index.ts'
import { createSandbox } from '../../../src/extensions/sandbox/index.ts'
import { pass, useVirtualTime } from '../../support/clock.ts'
import { failure, ok, rateLimited } from '../../support/service.ts'

const start = Date.UTC(2026, 10, 20)
const info = vi.spyOn(console, 'info').mockImplementation(() => {})

beforeEach(() => {
  vi.resetModules()
  useVirtualTime()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  info.mockClear()
})
afterAll(() => info.mockRestore())

let clients = 0

/** A client of a new process, whose service answers in this order, the last step for ever. */
async function makeClient(
  steps: (() => Response | Promise<Response>)[],
  options: Partial<ClientOptions> = {},
): Promise<SocialSearch> {
  const { SocialSearch } = await import('../../../src/index.ts')
  const fetch = () => Promise.resolve((steps.length > 1 ? steps.shift() : steps[0])?.() as Response)
  return new SocialSearch({
    ...{ baseUrl: 'https://api.example.com/v1', apiKey: 'a_key_of_sixteen', fetch },
    ...{ organization: `notice ${++clients}`, ...options },
  })
}

function search(client: SocialSearch, times = 1): void {
  for (let i = 0; i < times; i++) client.microblog.search({ query: 'a' }).catch(() => {})
}

const answers = [() => ok()]
const silence = [() => new Promise<Response>(() => {})]
const lines = () => info.mock.calls.map(([line]) => String(line))
/** The time in so many seconds, without milliseconds. */
const secondsFromStart = (seconds: number) => new Date(start + seconds * 1000).toISOString().slice(0, 19)

describe('a client without onWait, logger and observers', () => {
  it('says once a process why a call waits, until when, and how to see or silence it', async () => {
    const client = await makeClient(answers)
    search(client, 22)
    await pass(500)
    expect(lines()).toEqual([
      expect.stringMatching(
        /^social-search-sdk: microblog\.search waits until 2026-11-20T00:01:\S+Z: .* this minute\. .*onWait or a logger .* observers to silence this notice$/,
      ),
    ])
    await pass(70_000)
    search(client, 30)
    search(await makeClient(answers), 30)
    await pass(20_000)
    expect(lines()).toHaveLength(1)
    await client.close()
  })

  it('says so when a call has been queued for 5 seconds and the end is unknown', async () => {
    const client = await makeClient(silence)
    search(client, 3)
    await pass(4900)
    expect(lines()).toEqual([])
    await pass(400)
    expect(lines()).toEqual([
      expect.stringMatching(/: microblog\.search waits for an unknown time: .* in flight .*\./),
    ])
    await client.close()
  })

  it('says so when a 429 closes the surface for more than 5 seconds', async () => {
    const client = await makeClient([() => rateLimited(10), ...answers])
    search(client)
    await pass(300)
    expect(lines()).toEqual([expect.stringContaining(` waits until ${secondsFromStart(10)}`)])
    await client.close()
  })

  it('says so when a retry is due in more than 5 seconds', async () => {
    const unavailable = () => failure(503, 'professionalnet_unavailable', { error: { retryAfter: 7 } })
    const client = await makeClient([unavailable, ...answers])
    search(client)
    await pass(100)
    expect(lines()).toEqual([expect.stringContaining(` waits until ${secondsFromStart(7)}`)])
    await client.close()
  })

  it('says nothing of shorter waits', async () => {
    const client = await makeClient([() => rateLimited(4), ...answers])
    search(client, 10)
    await pass(10_000)
    expect(lines()).toEqual([])
  })
})

describe('nothing is said', () => {
  const observed: Partial<ClientOptions>[] = [
    { onWait: () => {} },
    { logger: {} },
    { observers: [{}] },
    { baseUrl: 'http://127.0.0.1/v1' },
    { baseUrl: 'https://api.example/v1' },
    { baseUrl: 'https://api.test/v1' },
  ]
  it.each(observed)('to a client with %j', async (options) => {
    search(await makeClient(answers, options), 22)
    await pass(10_000)
    expect(lines()).toEqual([])
  })

  it('to a client of the sandbox', async () => {
    search(await makeClient(answers, { ...createSandbox().clientOptions(), limits: {} }), 22)
    await pass(10_000)
    expect(lines()).toEqual([])
  })

  it('in a process that serves MCP over its output', async () => {
    const client = await makeClient(answers)
    const { createMcp } = await import('../../../src/extensions/mcp/index.ts')
    const end = await createMcp({ client, budget: 100 }).stdio()
    search(client, 22)
    await pass(10_000)
    expect(lines()).toEqual([])
    await end()
  })

  it('in a browser', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11)' })
    search(await makeClient(answers, { dangerouslyAllowBrowser: true }), 22)
    await pass(10_000)
    expect(lines()).toEqual([])
  })
})
