import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, SocialSearch } from '../../../src/index.ts'
import { createSandbox } from '../../support/sandbox.ts'
import { pass, useVirtualTime } from '../../support/clock.ts'
import { failure, ok, rateLimited } from '../../support/service.ts'

const start = Date.UTC(2026, 10, 20)
const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})

beforeEach(useVirtualTime)
afterEach(() => {
  vi.useRealTimers()
  warn.mockClear()
})
afterAll(() => warn.mockRestore())

/** A client whose service answers in this order, the last step for ever. */
function makeClient(
  steps: (() => Response | Promise<Response>)[],
  options: Partial<ClientOptions> = {},
): SocialSearch {
  const fetch = () => Promise.resolve((steps.length > 1 ? steps.shift() : steps[0])?.() as Response)
  return new SocialSearch({
    ...{ baseUrl: 'http://127.0.0.1/v1', apiKey: 'a_key_of_sixteen', fetch },
    ...{ organization: crypto.randomUUID(), ...options },
  })
}

function search(client: SocialSearch, times = 1): void {
  for (let i = 0; i < times; i++) client.microblog.search({ query: 'a' }).catch(() => {})
}

const answers = [() => ok()]
const silence = [() => new Promise<Response>(() => {})]
const lines = () => warn.mock.calls.map(([line]) => String(line))
/** The time in so many seconds, without milliseconds. */
const secondsFromStart = (seconds: number) => new Date(start + seconds * 1000).toISOString().slice(0, 19)

describe('console.warn()', () => {
  it('gets one line of a client that says why a call waits for more than 5 seconds, and until when', async () => {
    const client = makeClient(answers)
    search(client, 22)
    await pass(500)
    expect(lines()).toEqual([
      expect.stringMatching(
        /^social-search-sdk: a call waits for more than 5 seconds: this minute's requests are used up \(operation: microblog\.search, surface: microblog, reason: pace, until: 2026-11-20T00:01:\S+Z\)$/,
      ),
    ])
    await pass(70_000)
    search(client.withOptions({ timeout: 1000 }), 30)
    await pass(20_000)
    expect(lines()).toHaveLength(1)
    await client.close()
  })

  it('gets it when a call has been queued for 5 seconds and the end is unknown', async () => {
    const client = makeClient(silence)
    search(client, 3)
    await pass(4900)
    expect(lines()).toEqual([])
    await pass(400)
    expect(lines()).toEqual([expect.stringMatching(/ other requests are running .*reason: slot\)$/)])
    await client.close()
  })

  it('gets it when a 429 closes the surface for more than 5 seconds', async () => {
    const client = makeClient([() => rateLimited(10), ...answers])
    search(client)
    await pass(300)
    expect(lines()).toEqual([expect.stringContaining(`rate_limited, until: ${secondsFromStart(10)}`)])
    await client.close()
  })

  it('gets it when a retry is due in more than 5 seconds', async () => {
    const unavailable = () => failure(503, 'professionalnet_unavailable', { error: { retryAfter: 7 } })
    const client = makeClient([unavailable, ...answers])
    search(client)
    await pass(100)
    expect(lines()).toEqual([expect.stringContaining(`retry, until: ${secondsFromStart(7)}`)])
    await client.close()
  })

  it('gets nothing of shorter waits', async () => {
    search(makeClient([() => rateLimited(4), ...answers]), 10)
    await pass(10_000)
    expect(lines()).toEqual([])
  })

  it.each<[string, Partial<ClientOptions>]>([
    ['logger is false', { logger: false }],
    ['another logger is given', { logger: {} }],
    ['the client is one of a sandbox', { ...createSandbox().clientOptions(), limits: {} }],
  ])('gets nothing when %s', async (_, options) => {
    search(makeClient(answers, options), 22)
    await pass(10_000)
    expect(lines()).toEqual([])
  })
})

it('logger gets the wait as fields', async () => {
  const warn = vi.fn()
  search(makeClient(answers, { logger: { warn } }), 22)
  await pass(10_000)
  expect(warn.mock.calls).toEqual([
    [
      expect.any(String),
      { operation: 'microblog.search', surface: 'microblog', reason: 'pace', until: expect.any(String) },
    ],
  ])
})
