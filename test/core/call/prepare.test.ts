import { describe, expect, it } from 'vitest'
import type { CallLimiter, ClientOptions, QueueRequest, SocialSearch } from '../../../src/index.ts'
import { LocalLimiter } from '../../../src/limits/local-limiter.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { baseUrl, makeClient, ok, rateLimited } from '../../support/service.ts'

virtualTime()

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const never = () => new Promise<never>(() => {})
const begin = (client: SocialSearch, count: number) =>
  Promise.all(Array.from({ length: count }, () => client.microblog.search({ query: 'tea' }).then()))
const searches = (client: SocialSearch, count: number) => settle(begin(client, count))

/** A client whose requests take so long, and how old what they were sent with was, in milliseconds. */
function aging(requestMs: number, options: Partial<ClientOptions>, answer = () => ok()) {
  const ages: number[] = []
  const sentAt: number[] = []
  const fetch = async ({ headers }: Request): Promise<Response> => {
    const made = headers.get('x-made') ?? headers.get('authorization')?.slice('Bearer '.length)
    ages.push(performance.now() - Number(made))
    sentAt.push(Math.round(performance.now()))
    await pause(requestMs)
    return answer()
  }
  const limits = { perMinute: false as const }
  return {
    ages,
    sentAt,
    client: makeClient({ baseUrl, limits, fetch, organization: crypto.randomUUID(), ...options }),
  }
}

const now = () => String(Math.round(performance.now()))
const kinds: [string, (make: () => string | Promise<string>) => Partial<ClientOptions>][] = [
  ['a token', (make) => ({ apiKey: make })],
  ['headers', (make) => ({ headers: async () => ({ 'x-made': await make() }) })],
]

describe.each(kinds)('%s of a function', (_, optionsOf) => {
  it.each([50, 700, 5000])(
    'is fresh when it is sent, however long calls of %i ms queue',
    async (requestMs) => {
      const { ages, client } = aging(requestMs, optionsOf(now))
      await searches(client, 30)
      expect(ages).toHaveLength(30)
      expect(Math.max(...ages)).toBeLessThanOrEqual(1001)
    },
  )

  it('is fresh when a surface opens again after its minute', async () => {
    const { ages, client } = aging(10, { ...optionsOf(now), limits: { perMinute: 5 } })
    await searches(client, 16)
    expect(Math.max(...ages)).toBeLessThanOrEqual(1001)
  })

  it('holds no slot while it is made: sixty calls take little longer than with a key', async () => {
    const slow = async () => {
      await pause(300)
      return now()
    }
    const { client } = aging(110, optionsOf(slow))
    const { ms } = await searches(client, 60)
    expect(ms).toBeLessThan(300 + 30 * 110 * 1.1)
  })

  it('is made once for a call that is sent soon', async () => {
    let calls = 0
    const { client } = aging(
      50,
      optionsOf(() => String(++calls)),
    )
    await searches(client, 30)
    expect(calls).toBe(30)
  })

  it('is not made for calls that cannot go yet', async () => {
    let calls = 0
    const { client } = aging(10, { ...optionsOf(() => String(++calls)), limits: { perMinute: 5 } })
    const all = begin(client, 40)
    await pass(30_000)
    expect(calls).toBeLessThanOrEqual(5 + 8)
    await settle(all)
  })

  it('lets other calls go when it hangs for many', async () => {
    let calls = 0
    const { sentAt, client } = aging(
      10,
      optionsOf(() => (++calls <= 20 ? never() : now())),
    )
    const all = Array.from({ length: 24 }, () => client.microblog.search({ query: 'tea' }).catch(() => {}))
    await pass(4000)
    expect(sentAt).toHaveLength(4)
    expect((await settle(Promise.all(all))).ms).toBeLessThan(61_000)
  })

  it('lets the next call go at once when the calls before it are aborted while it is made', async () => {
    const caller = new AbortController()
    const { signal } = caller
    let calls = 0
    const { sentAt, client } = aging(
      10,
      optionsOf(() => (++calls <= 8 ? never() : now())),
    )
    const gone = Array.from({ length: 8 }, () =>
      client.microblog.search({ query: 'a' }, { signal }).catch(() => {}),
    )
    const left = client.microblog.search({ query: 'b' }).then()
    await pass(100)
    expect(sentAt).toEqual([])
    caller.abort(new Error('enough'))
    await Promise.all(gone)
    expect((await settle(left)).ms).toBe(10)
    expect(calls).toBe(9)
  })

  it('is made again for each attempt, ahead of calls that came later', async () => {
    const made: number[] = []
    const { client, sentAt } = aging(
      10,
      optionsOf(() => now()),
      () => (made.push(1) === 1 ? rateLimited(5) : ok()),
    )
    await searches(client, 1)
    expect(sentAt.map((at) => at - sentAt[0]!)).toEqual([0, 5010])
  })

  it('is made after the slot is taken if a limiter does not ask for it', async () => {
    const own = new LocalLimiter()
    const limiter: CallLimiter = {
      limits: own.limits,
      waitOf: (surface) => own.waitOf(surface),
      acquire: (request: QueueRequest) => own.acquire({ ...request, prepare: undefined }),
    }
    const { ages, client } = aging(700, { ...optionsOf(now), limits: undefined, limiter })
    await searches(client, 10)
    expect(Math.max(...ages)).toBe(0)
  })
})
