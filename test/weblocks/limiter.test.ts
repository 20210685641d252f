import {
  type Lease,
  type Limits,
  type Share,
  type Ticket,
  SurfaceClosed,
} from '../../src/limits/interface.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { organizationLimits } from '../../src/api/limits.ts'
import { ClosedError, ConfigurationError } from '../../src/index.ts'
import { WebLocksLimiter } from '../../src/weblocks/index.ts'
import { channelName } from '../../src/weblocks/options.ts'

const never = new AbortController().signal
const scaled = { windowMs: 300, perMinute: 4 }
let organizations = 0
const open: WebLocksLimiter[] = []
const held: Lease[] = []
/** What a client takes that leaves nothing to others. */
let whole: Share

afterEach(async () => {
  for (const lease of held.splice(0)) lease.release()
  await Promise.all(open.splice(0).map((limiter) => limiter.close()))
})

/** Tabs of a new organization. */
function tabs(count: number, limits: Partial<Limits> = scaled): WebLocksLimiter[] {
  const organization = `test ${++organizations}`
  whole = { ...organizationLimits, ...limits }
  const made = Array.from({ length: count }, () => new WebLocksLimiter({ organization, limits }))
  open.push(...made)
  return made
}

async function ask(limiter: WebLocksLimiter, ticket: Partial<Ticket> = {}): Promise<Lease> {
  const lease = await limiter.acquire({
    ...{ surface: 'a', share: whole, priority: 0, resumed: false, patience: 60_000, signal: never },
    ...ticket,
  })
  held.push(lease)
  return lease
}

/** Lets messages arrive; nothing depends on how long it really takes but whether a broken limiter is found out. */
const moment = (ms = 50) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends requests over limiters, and notes when and how many at a time. */
function traffic() {
  const sends: number[] = []
  let inFlight = 0
  const seen = { peak: 0, sends }
  const run = async (limiter: WebLocksLimiter, ms = 5, ticket: Partial<Ticket> = {}): Promise<void> => {
    const lease = await ask(limiter, ticket)
    lease.sent()
    sends.push(performance.now())
    seen.peak = Math.max(seen.peak, ++inFlight)
    await moment(ms)
    lease.answered(new Date())
    inFlight--
    lease.release()
  }
  return { seen, run }
}

function expectPace(sends: readonly number[], { perMinute, windowMs } = scaled): void {
  for (const [i, at] of sends.entries()) {
    const later = sends[i + perMinute]
    if (later !== undefined) expect(later - at).toBeGreaterThan(windowMs)
  }
}

describe('WebLocksLimiter.acquire()', () => {
  it('grants two leases at a time when many tabs ask', async () => {
    const limiters = tabs(4, { perMinute: 1000 })
    const { seen, run } = traffic()
    await Promise.all(Array.from({ length: 60 }, (_, i) => run(limiters[i % 4]!)))
    expect(seen.sends).toHaveLength(60)
    expect(seen.peak).toBe(2)
  })

  it('keeps the pace of a surface for all tabs together, and lets other surfaces pass', async () => {
    const limiters = tabs(3)
    const { seen, run } = traffic()
    const other = traffic()
    const all = Array.from({ length: 9 }, (_, i) => run(limiters[i % 3]!))
    await Promise.all(Array.from({ length: 4 }, (_, i) => other.run(limiters[i % 3]!, 1, { surface: 'b' })))
    expect(seen.sends.length).toBeLessThan(9)
    await Promise.all(all)
    expect(seen.sends).toHaveLength(9)
    expectPace(seen.sends)
  })

  it('serves a tab in the order of priority, and of arrival within it', async () => {
    const [leader, follower] = tabs(2, { inFlight: 1 })
    const first = await ask(leader!)
    const order: string[] = []
    const note = async (name: string, priority = 0): Promise<void> => {
      const lease = await ask(follower!, { priority })
      order.push(name)
      lease.release()
    }
    const all = [note('1'), note('2'), note('urgent', 5), note('3')]
    await moment()
    first.release()
    await Promise.all(all)
    expect(order).toEqual(['urgent', '1', '2', '3'])
  })

  it('keeps each client to its own share, whichever tab leads', async () => {
    const [leader, follower] = tabs(2, {})
    await ask(leader!, { surface: null }).then((lease) => lease.release())
    const share = { inFlight: 1, perMinute: 2 }
    const first = await ask(follower!, { share })
    let granted = false
    const second = ask(follower!, { share }).then((lease) => {
      granted = true
      return lease
    })
    await ask(leader!).then((lease) => lease.release())
    await moment()
    expect(granted).toBe(false)
    first.release()
    ;(await second).release()
    const third = ask(follower!, { share, signal: AbortSignal.timeout(100) })
    await expect(third).rejects.toThrow()
  })

  it('settles a queued call at once when its signal aborts, and delays no other', async () => {
    const [leader, follower] = tabs(2, { inFlight: 1 })
    const first = await ask(leader!)
    const abort = new AbortController()
    const reason = new Error('enough')
    const queued = ask(follower!, { signal: abort.signal })
    await moment()
    const next = ask(follower!)
    abort.abort(reason)
    await expect(queued).rejects.toBe(reason)
    first.release()
    ;(await next).release()
    await expect(ask(follower!, { signal: abort.signal })).rejects.toBe(reason)
  })

  it('does not count a call that was aborted while it waited', async () => {
    const [leader, follower] = tabs(2, { inFlight: 1, perMinute: 3 })
    const first = await ask(leader!)
    const abort = new AbortController()
    const queued = [1, 2].map(() => ask(follower!, { signal: abort.signal }))
    await moment()
    abort.abort()
    await Promise.allSettled([...queued, moment()])
    first.release()
    for (let i = 0; i < 2; i++) (await ask(leader!)).release()
  })

  it('releases the slot when a call was aborted before its grant arrived', async () => {
    const [leader, follower] = tabs(2, { inFlight: 1, perMinute: 1000 })
    ;(await ask(leader!)).release()
    await ask(follower!).then((lease) => lease.release())
    for (let i = 0; i < 30; i++) {
      const abort = new AbortController()
      const queued = ask(follower!, { signal: abort.signal })
      // The grant leaves as soon as the question has come.
      setTimeout(() => abort.abort(), i % 3)
      await queued.then(
        (lease) => lease.release(),
        () => {},
      )
    }
    expect(await ask(leader!)).toBeDefined()
  })

  it('refuses a call at once when its surface is closed longer than it may wait, in any tab', async () => {
    const [leader, follower] = tabs(2)
    ;(await ask(leader!)).release()
    const queued = ask(follower!, { patience: 1000 })
    ;(await queued).release()
    follower!.hold('a', 30_000)
    await moment()
    for (const limiter of [leader!, follower!]) {
      const error: unknown = await ask(limiter, { patience: 1000 }).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(SurfaceClosed)
      expect((error as SurfaceClosed).remaining).toBeGreaterThan(20_000)
    }
  })

  it('refuses a call at once when its pace opens later than it may wait, in any tab', async () => {
    const [leader, follower] = tabs(2, { inFlight: 2, perMinute: 3 })
    for (let i = 0; i < 3; i++) (await ask(follower!)).release()
    for (const limiter of [leader!, follower!]) {
      const error: unknown = await ask(limiter, { maxQueueWait: 5000 }).catch((error: unknown) => error)
      expect(error).toMatchObject({ reason: 'pace', remaining: expect.any(Number) })
      expect((error as SurfaceClosed).remaining).toBeGreaterThan(50_000)
    }
  })

  it('closes the surface in all tabs, and sends one probe afterwards', async () => {
    const limiters = tabs(3, {})
    const first = await ask(limiters[0]!)
    await ask(limiters[1]!).then((lease) => lease.release())
    const start = performance.now()
    limiters[2]!.hold('a', 300)
    await moment(20)
    first.release()
    const granted: Lease[] = []
    const all = limiters.map((limiter) => ask(limiter).then((lease) => granted.push(lease)))
    await Promise.race(all)
    expect(performance.now() - start).toBeGreaterThan(299)
    await moment(100)
    expect(granted).toHaveLength(1)
    granted[0]!.release()
    while (granted.length < 3) {
      await moment(5)
      granted.at(-1)!.release()
    }
  })

  it('reports how long a call queued and how long it was paced', async () => {
    const [leader, follower] = tabs(2, { inFlight: 1 })
    const first = await ask(leader!)
    const second = ask(follower!)
    await moment(100)
    first.release()
    const { queued, paced } = await second
    expect(queued).toBeGreaterThan(80)
    expect(paced).toBe(0)
    ;(await second).release()
    follower!.hold('a', 200)
    const third = await ask(follower!)
    expect(third.paced).toBeGreaterThan(150)
  })

  it('keeps slots when a lease is released twice', async () => {
    const [leader, follower] = tabs(2)
    ;(await ask(leader!)).release()
    const { seen, run } = traffic()
    const twice = await ask(follower!)
    twice.release()
    twice.release()
    await Promise.all([run(leader!, 30), run(follower!, 30), run(leader!, 30)])
    expect(seen.peak).toBe(2)
  })

  it('ignores foreign messages on the channel', async () => {
    const [leader, follower] = tabs(2)
    ;(await ask(leader!)).release()
    const channel = new BroadcastChannel(channelName(`test ${organizations}`))
    const nested = { kind: 'leader', leader: 'x', to: null, known: { grants: [{ call: 1 }], holds: [] } }
    const noise = [
      ...[
        null,
        1,
        'grant',
        [],
        {},
        { kind: 'toString' },
        { kind: 'grant' },
        { kind: 'hold', surface: 1, ms: 1 },
      ],
      ...[{ kind: 'acquire', tab: 'x', to: 'y', ask: {} }, { kind: 'hold', surface: 'a', ms: NaN }, nested],
    ]
    for (const message of noise) channel.postMessage(message)
    await moment()
    channel.close()
    for (const limiter of [leader!, follower!]) (await ask(limiter)).release()
  })
})

describe('WebLocksLimiter.close()', () => {
  it('refuses waiting and later calls, and leaves the other tabs working', async () => {
    const [leader, follower] = tabs(2, { inFlight: 1 })
    const first = await ask(leader!)
    const queued = [ask(follower!), ask(follower!)]
    await moment()
    const settled = Promise.allSettled(queued)
    await follower!.close()
    expect(await settled).toEqual(queued.map(() => ({ status: 'rejected', reason: expect.any(ClosedError) })))
    await expect(ask(follower!)).rejects.toThrow(ClosedError)
    first.release()
    ;(await ask(leader!)).release()
  })

  it('passes on the lead with all sends, requests in flight, waiting calls and closures', async () => {
    const [leader, second, third] = tabs(3)
    const { seen, run } = traffic()
    await run(leader!)
    await run(second!)
    const underWay = [run(second!, 200), run(third!, 200)]
    while (seen.sends.length < 4) await moment(1)
    third!.hold('b', 300)
    const heldAt = performance.now()
    const waiting = [run(second!), run(third!), run(third!)]
    const probe = ask(third!, { surface: 'b' }).then((lease) => {
      lease.release()
      return performance.now() - heldAt
    })
    await moment(20)
    await leader!.close()
    await Promise.all([...underWay, ...waiting])
    expect(seen.sends).toHaveLength(7)
    expect(seen.peak).toBe(2)
    expectPace(seen.sends)
    expect(await probe).toBeGreaterThan(299)
  })

  it('passes on when a request was sent', async () => {
    const [leader, second, third] = tabs(3, { windowMs: 100, perMinute: 1 })
    const lease = await ask(second!)
    await moment(300)
    const sentAt = performance.now()
    lease.sent()
    lease.release()
    await leader!.close()
    await ask(third!)
    // A request without an answer may have been under way for a second.
    expect(performance.now() - sentAt).toBeGreaterThan(1100)
  })

  it('passes on its state to a later tab', async () => {
    const [leader] = tabs(1)
    const { seen, run } = traffic()
    for (let i = 0; i < 4; i++) await run(leader!)
    const late = new WebLocksLimiter({ organization: `test ${organizations}`, limits: scaled })
    open.push(late)
    const joined = ask(late, { surface: null })
    ;(await joined).release()
    await leader!.close()
    await run(late)
    expectPace(seen.sends)
  })

  it('counts a request in flight until it has ended', async () => {
    const [leader, follower] = tabs(2, { inFlight: 1 })
    const last = await ask(leader!)
    await moment()
    let hasLeft = false
    const left = leader!.close().then(() => (hasLeft = true))
    let granted = false
    const next = ask(follower!).then((lease) => {
      granted = true
      return lease
    })
    await moment(100)
    expect([hasLeft, granted]).toEqual([false, false])
    last.release()
    await left
    ;(await next).release()
  })

  it('keeps the limits and loses no call when several leaders close', async () => {
    const limiters = tabs(6, { windowMs: 300, perMinute: 12 })
    const { seen, run } = traffic()
    const all = limiters.map((limiter, i) =>
      Promise.allSettled(Array.from({ length: 8 }, () => run(limiter, 10))).then((settled) =>
        settled.filter(({ status }) => status === 'rejected').map(() => i),
      ),
    )
    for (const limiter of limiters.slice(0, 4)) {
      await moment(60)
      void limiter.close()
    }
    const refused = (await Promise.all(all)).flat()
    expect(seen.sends).toHaveLength(48 - refused.length)
    expect(refused.every((i) => i < 4)).toBe(true)
    expect(seen.peak).toBe(2)
    expectPace(seen.sends, { windowMs: 300, perMinute: 12 })
  })
})

describe('WebLocksLimiter', () => {
  it('separates organizations, and hides their names', async () => {
    const [one] = tabs(1, { inFlight: 1 })
    const [other] = tabs(1, { inFlight: 1 })
    await ask(one!)
    ;(await ask(other!)).release()
    const { held: locks = [] } = await navigator.locks.query()
    expect(locks.length).toBeGreaterThan(3)
    expect(locks.some(({ name }) => name?.includes('test'))).toBe(false)
  })

  it.each([
    [{ organization: '' }, 'organization must be a string that is not empty, got a string of 0 characters'],
    [
      { organization: 'x', limits: { inFlight: 0 } },
      'limits.inFlight must be a whole number of at least 1, got 0',
    ],
    [{ organization: 'x', limits: { window: 1 } }, 'unknown option limits.window; did you mean windowMs?'],
    [{ organisation: 'x' }, 'unknown option organisation; did you mean organization?'],
  ])('refuses %j', (options, message) => {
    expect(() => new WebLocksLimiter(options as never)).toThrow(ConfigurationError)
    expect(() => new WebLocksLimiter(options as never)).toThrow(message)
  })
})
