import { describe, expect, it } from 'vitest'
import type { ClientOptions, SocialSearch } from '../../../src/index.ts'
import { LocalLimiter } from '../../../src/limits/local-limiter.ts'
import type { Permit, QueueRequest } from '../../../src/limits/interface.ts'
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
  const lasting = [50, 700, 5000].flatMap((ms) => [0, 300].map((made) => [ms, made] as const))
  it.each(lasting)(
    'is fresh when it is sent, however long calls of %i ms queue, when it takes %i ms',
    async (requestMs, madeMs) => {
      const make = async () => {
        if (madeMs > 0) await pause(madeMs)
        return now()
      }
      const { ages, client } = aging(requestMs, optionsOf(make))
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

  it('gives its slot to others once it takes longer than a moment to make', async () => {
    const slow = async () => {
      await pause(300)
      return now()
    }
    const { client } = aging(110, optionsOf(slow))
    const { ms } = await searches(client, 60)
    expect(ms).toBeLessThan(300 + 30 * (110 + 50) * 1.1)
  })

  it('is sent at last when calls with a key take each slot while it is made', async () => {
    const organization = crypto.randomUUID()
    const busy = aging(3000, { organization }).client
    for (let chain = 0; chain < 4; chain++)
      void (async () => {
        for (;;) await busy.microblog.search({ query: 'busy' })
      })().catch(() => {})
    const slow = async () => {
      await pause(300)
      return now()
    }
    const { ages, client } = aging(3000, { ...optionsOf(slow), organization })
    void begin(client, 1)
    await pass(15_000)
    expect(ages).toEqual([0])
    await settle(busy.close())
  })

  it('takes nothing from the time that the pace has cost, which the attempt tells', async () => {
    const slow = async () => {
      await pause(300)
      return now()
    }
    const { client } = aging(100, { ...optionsOf(slow), limits: { perMinute: 1 } })
    await searches(client, 1)
    const { value } = await settle(client.microblog.search({ query: 'b' }).withResponse())
    expect(value!.attempts[0]!.paced).toBeGreaterThan(59_000)
  })

  it("is sent with a permit of the user's limiter that inherits its methods, and ends it", async () => {
    const own = new LocalLimiter()
    const acquire = async (request: QueueRequest) => Object.create(await own.acquire(request)) as Permit
    const limiter = { limits: own.limits, acquire, waitOf: (surface: string | null) => own.waitOf(surface) }
    const options = { ...optionsOf(now), limits: {}, limiter, retry: { maxWait: 1 } }
    const { client } = aging(10, options, () => rateLimited(5))
    const { error } = await settle(client.microblog.search({ query: 'tea' }).then())
    expect(error).toMatchObject({ code: 'rate_limited', attempts: [{ queued: 0, paced: 0, status: 429 }] })
    expect([client.status().slots.taken, own.waitOf('microblog')?.reason]).toEqual([0, 'rate_limited'])
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
    expect(calls).toBe(5)
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
    let hangs = true
    const { sentAt, client } = aging(
      10,
      optionsOf(() => (hangs ? never() : now())),
    )
    const gone = Array.from({ length: 8 }, () =>
      client.microblog.search({ query: 'a' }, { signal }).catch(() => {}),
    )
    const left = client.microblog.search({ query: 'b' }).then()
    await pass(100)
    expect(sentAt).toEqual([])
    hangs = false
    caller.abort(new Error('enough'))
    await Promise.all(gone)
    expect((await settle(left)).ms).toBe(10)
  })

  const aborts = [20, 100].flatMap((made) => [0, 1, 2, 3, 4, 5, 6].map((steps) => [made, steps] as const))
  it.each(aborts)(
    'keeps no call open that is aborted when it has come after %i ms, %i steps later',
    async (made, steps) => {
      let give: (text: string) => void = () => {}
      const { sentAt, client } = aging(
        2000,
        optionsOf(() => new Promise((resolve) => (give = resolve))),
      )
      const caller = new AbortController()
      const { signal } = caller
      const call = client.microblog.search({ query: 'a' }, { signal }).catch((error: unknown) => error)
      await pass(made)
      give('1')
      for (let step = 0; step < steps; step++) await Promise.resolve()
      caller.abort(new Error('enough'))
      const { value, ms } = await settle(call)
      expect([value, ms, client.status().slots.taken]).toEqual([signal.reason, 0, 0])
      expect(sentAt).toEqual([])
    },
  )
})
