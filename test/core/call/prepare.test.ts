import { describe, expect, it, vi } from 'vitest'
import type { ClientOptions, SocialSearch } from '../../../src/index.ts'
import { LocalLimiter } from '../../../src/limits/local-limiter.ts'
import type { Permit, QueueRequest } from '../../../src/limits/interface.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { query } from '../../support/search.ts'
import { makeClient, ok, rateLimited } from '../../support/service.ts'

virtualTime()

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const begin = (client: SocialSearch, count: number) =>
  Promise.all(Array.from({ length: count }, () => client.microblog.search(query).then()))
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
  return { ages, sentAt, client: makeClient({ limits: { perMinute: false }, fetch, ...options }) }
}

const now = () => String(Math.round(performance.now()))
const slowly = async () => {
  await pause(300)
  return now()
}
const kinds: [string, (make: () => string | Promise<string>) => Partial<ClientOptions>][] = [
  ['a token', (make) => ({ apiKey: make })],
  ['headers', (make) => ({ headers: async () => ({ 'x-made': await make() }) })],
]

describe.each(kinds)('%s of a function', (_, optionsOf) => {
  const lasting = [50, 700, 5000].flatMap((ms) => [0, 300].map((made) => [ms, made] as const))
  it.each(lasting)(
    'is fresh when it is sent, however long calls of %i ms queue, when it takes %i ms',
    async (requestMs, madeMs) => {
      const { ages, client } = aging(requestMs, optionsOf(madeMs > 0 ? slowly : now))
      await searches(client, 30)
      expect(ages).toHaveLength(30)
      expect(Math.max(...ages)).toBeLessThanOrEqual(1001)
    },
  )

  it('gives its slot to others once it takes longer than a moment to make', async () => {
    const { client } = aging(110, optionsOf(slowly))
    const { ms } = await searches(client, 60)
    expect(ms).toBeLessThan(300 + 30 * (110 + 50) * 1.1)
  })

  it('is sent at last when calls with a key take each slot while it is made', async () => {
    const organization = crypto.randomUUID()
    const busy = aging(3000, { organization }).client
    const keepBusy = async (): Promise<void> => {
      for (;;) await busy.microblog.search(query)
    }
    for (let chain = 0; chain < 4; chain++) keepBusy().catch(() => {})
    const { ages, client } = aging(3000, { ...optionsOf(slowly), organization })
    void begin(client, 1)
    await pass(15_000)
    expect(ages).toEqual([0])
    await settle(busy.close())
  })

  it('takes nothing from the time that the pace has cost, which the attempt tells', async () => {
    const { client } = aging(100, { ...optionsOf(slowly), limits: { perMinute: 1 } })
    await searches(client, 1)
    const { value } = await settle(client.microblog.search(query).withResponse())
    expect(value!.attempts[0]!.paced).toBeGreaterThan(59_000)
  })

  it("is sent with a permit of the user's limiter that inherits its methods, and ends it", async () => {
    const own = new LocalLimiter()
    const acquire = async (request: QueueRequest) => Object.create(await own.acquire(request)) as Permit
    const limiter = { limits: own.limits, acquire, waitOf: (surface: string | null) => own.waitOf(surface) }
    const options = { ...optionsOf(now), limits: {}, limiter, retry: { maxWait: 1 } }
    const { client } = aging(10, options, () => rateLimited(5))
    const { error } = await searches(client, 1)
    expect(error).toMatchObject({ code: 'rate_limited', attempts: [{ queued: 0, paced: 0, status: 429 }] })
    expect([client.status().slots.taken, own.waitOf('microblog')?.reason]).toEqual([0, 'rate_limited'])
  })

  it('is not made for calls that cannot go yet', async () => {
    const make = vi.fn(now)
    const all = begin(aging(10, { ...optionsOf(make), limits: { perMinute: 5 } }).client, 40)
    await pass(30_000)
    expect(make).toHaveBeenCalledTimes(5)
    await settle(all)
  })

  const aborts = [20, 100].flatMap((made) => [0, 1, 2, 3, 4, 5, 6].map((steps) => [made, steps] as const))
  it.each(aborts)(
    'keeps no call open that is aborted when it has come after %i ms, %i steps later',
    async (made, steps) => {
      const { promise, resolve } = Promise.withResolvers<string>()
      const make = () => promise
      const { sentAt, client } = aging(2000, optionsOf(make))
      const caller = new AbortController()
      const { signal } = caller
      const call = client.microblog.search(query, { signal }).catch((error: unknown) => error)
      await pass(made)
      resolve('1')
      for (let step = 0; step < steps; step++) await Promise.resolve()
      caller.abort(new Error('enough'))
      const { value, ms } = await settle(call)
      expect([value, ms, client.status().slots.taken]).toEqual([signal.reason, 0, 0])
      expect(sentAt).toEqual([])
    },
  )
})
