import type { Lease } from '../../src/limits/interface.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebLocksLimiter } from '../../src/weblocks/index.ts'
import { holdLock } from '../../src/weblocks/locks.ts'
import { type Message, type MessageOf, isMessage } from '../../src/weblocks/messages.ts'
import { channelName } from '../../src/weblocks/options.ts'

const limits = { inFlight: 2, perMinute: 4, windowMs: 500 }
const share = { inFlight: 2, perMinute: 4 }
const never = new AbortController().signal
const nothing = { grants: [], holds: [] }
let organizations = 0
const ends: (() => unknown)[] = []

afterEach(async () => {
  vi.useRealTimers()
  for (const end of ends.splice(0).reverse()) await end()
})

const moment = (ms = 50) => new Promise((resolve) => setTimeout(resolve, ms))

function acquire(limiter: WebLocksLimiter): Promise<Lease> {
  const lease = limiter.acquire({
    ...{ surface: 'a', share, priority: 0, resumed: false, patience: 60_000, signal: never },
  })
  lease.then(
    ({ release }) => ends.push(release),
    () => {},
  )
  return lease
}

function join(organization: string): WebLocksLimiter {
  const limiter = new WebLocksLimiter({ organization, limits })
  ends.push(() => limiter.close())
  return limiter
}

/** A tab that says only what a test has it say. */
async function puppet(organization: string) {
  const name = channelName(organization)
  const tabId = `puppet ${++organizations}`
  const heard: Message[] = []
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: { data: unknown }) => {
    if (isMessage(data)) heard.push(data)
  }
  const die = await holdLock(`${name}/tab/${tabId}`, { signal: never })
  ends.push(die, () => channel.close())
  /** The next message of a kind, or one that came before. */
  const hear = async <K extends Message['kind']>(kind: K): Promise<MessageOf<K>> => {
    await expect.poll(() => heard.some((message) => message.kind === kind), { timeout: 5000 }).toBe(true)
    return heard.find((message): message is MessageOf<K> => message.kind === kind)!
  }
  const say = (message: Message): void => channel.postMessage(message)
  let calls = 0
  const request = () => ({
    ...{ call: `${tabId}/${++calls}`, surface: 'a', share: { id: tabId, ...share } },
    ...{ priority: 0, resumed: false, patience: 60_000, maxQueueWait: Infinity },
  })
  return { tabId, heard, hear, say, request, die }
}

describe('a WebLocksLimiter that takes the lead', () => {
  it('grants nothing before other tabs have sent their state', async () => {
    const organization = `takes over ${++organizations}`
    const { tabId, hear, say } = await puppet(organization)
    let isGranted = false
    const lease = acquire(join(organization)).then(() => (isGranted = true))
    const { leader } = await hear('leader')
    await moment(200)
    expect(isGranted).toBe(false)
    const grants = [1, 2, 3, 4].map((n) => ({
      ...{ call: `old ${n}`, tabId: 'gone', leader: 'gone', surface: 'a', share: { id: 'x', ...share } },
      ...{ age: 10, answered: 5, open: false },
    }))
    const start = performance.now()
    say({ kind: 'tabState', tabId, to: leader, leases: [], queue: [], snapshot: { grants, holds: [] } })
    await lease
    expect(performance.now() - start).toBeGreaterThan(limits.windowMs - 10)
  })

  it('starts without a tab that does not respond', async () => {
    const organization = `takes over ${++organizations}`
    await puppet(organization)
    expect(await acquire(join(organization))).toBeDefined()
  })

  it('sends no second probe', async () => {
    const organization = `takes over ${++organizations}`
    const { tabId, hear, say } = await puppet(organization)
    let isGranted = false
    const lease = acquire(join(organization)).then(() => (isGranted = true))
    const { leader } = await hear('leader')
    const probe = {
      ...{ call: 'probe', tabId, leader: 'gone', surface: 'a', share: { id: tabId, ...share } },
      ...{ age: 10, answered: null, open: true },
    }
    const holds = [{ surface: 'a', remaining: 0, probe: 'probe' }]
    say({
      kind: 'tabState',
      tabId,
      to: leader,
      leases: ['probe'],
      queue: [],
      snapshot: { grants: [probe], holds },
    })
    await moment(200)
    expect(isGranted).toBe(false)
    say({ kind: 'release', call: 'probe' })
    await lease
  })

  it('does not count calls that were cancelled before it could grant', async () => {
    const organization = `takes over ${++organizations}`
    const { tabId, hear, say, request } = await puppet(organization)
    // Longer than the test may take.
    const limiter = new WebLocksLimiter({ organization, limits: { ...limits, windowMs: 60_000 } })
    ends.push(() => limiter.close())
    const { leader } = await hear('leader')
    const requests = Array.from({ length: limits.perMinute }, request)
    for (const each of requests) say({ kind: 'acquire', tabId, to: leader, request: each })
    for (const { call } of requests) say({ kind: 'cancel', call })
    say({ kind: 'tabState', tabId, to: leader, leases: [], queue: [], snapshot: nothing })
    for (let i = 0; i < limits.perMinute; i++) (await acquire(limiter)).release()
  })

  it('releases grants of the last leader that no tab received', async () => {
    const organization = `takes over ${++organizations}`
    const { tabId, hear, say } = await puppet(organization)
    const granted = [acquire(join(organization)), acquire(join(organization))]
    const { leader } = await hear('leader')
    const lost = {
      ...{ call: 'lost', tabId, leader: 'gone', surface: 'b', share: { id: tabId, ...share } },
      ...{ age: 10, answered: null, open: true },
    }
    say({
      kind: 'tabState',
      tabId,
      to: leader,
      leases: [],
      queue: [],
      snapshot: { grants: [lost], holds: [] },
    })
    await Promise.all(granted)
  })
})

describe('a WebLocksLimiter that leads', () => {
  /** A leader, and a puppet that has joined it. */
  async function leaderAndPuppet() {
    const organization = `leads ${++organizations}`
    const limiter = join(organization)
    ;(await acquire(limiter)).release()
    const other = await puppet(organization)
    other.say({ kind: 'newTab', tabId: other.tabId })
    const { leader } = await other.hear('leader')
    other.say({ kind: 'tabState', tabId: other.tabId, to: leader, leases: [], queue: [], snapshot: nothing })
    const take = async (request = other.request()): Promise<void> => {
      other.say({ kind: 'acquire', tabId: other.tabId, to: leader, request })
      await expect
        .poll(() => other.heard.some((m) => m.kind === 'grant' && m.call === request.call))
        .toBe(true)
    }
    return { organization, limiter, leader, other, take }
  }

  it('counts grants of the previous leader that it learns of late', async () => {
    const { limiter, other } = await leaderAndPuppet()
    const call = { call: 'late', surface: 'b', share: { id: other.tabId, ...share } }
    other.say({ kind: 'grant', leader: 'gone', tabId: other.tabId, ...call, paced: 0 })
    await moment()
    let granted = 0
    const both = [acquire(limiter), acquire(limiter)].map((lease) => lease.then(() => granted++))
    await moment(100)
    expect(granted).toBe(1)
    other.say({ kind: 'release', call: 'late' })
    await Promise.all(both)
  })

  it('grants one lease to a call that is requested twice', async () => {
    const { limiter, other, take } = await leaderAndPuppet()
    const request = other.request()
    await take(request)
    await take(request)
    await moment()
    expect(
      other.heard.filter((message) => message.kind === 'grant' && message.call === request.call),
    ).toHaveLength(1)
    await acquire(limiter)
  })

  it('frees the leases and calls of a tab that ends without a message', async () => {
    const { limiter, leader, other, take } = await leaderAndPuppet()
    await take()
    await take()
    other.say({ kind: 'acquire', tabId: other.tabId, to: leader, request: other.request() })
    await moment()
    const both = [acquire(limiter), acquire(limiter)]
    other.die()
    await Promise.all(both)
  })

  it('keeps the slots of a closed tab for a moment, since its requests may not have ended', async () => {
    const { limiter, other, take } = await leaderAndPuppet()
    await take()
    await take()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let isGranted = false
    const lease = acquire(limiter).then(() => (isGranted = true))
    other.die()
    for (const ms of [49, 0]) {
      const start = performance.now()
      while (performance.now() - start < 100) await new Promise((resolve) => setImmediate(resolve))
      expect(isGranted).toBe(false)
      await vi.advanceTimersByTimeAsync(ms)
    }
    await vi.advanceTimersByTimeAsync(1)
    await lease
  })

  it('grants nothing after losing the lead, until it has it back', async () => {
    const { organization, limiter, leader, other } = await leaderAndPuppet()
    const giveBack = await holdLock(`${channelName(organization)}/leader`, { signal: never, steal: true })
    ends.push(giveBack)
    await moment()
    other.say({ kind: 'acquire', tabId: other.tabId, to: leader, request: other.request() })
    await moment(100)
    expect(other.heard.filter(({ kind }) => kind === 'grant')).toEqual([])
    giveBack()
    expect(await acquire(limiter)).toBeDefined()
  })

  it('frees the leases of a tab that slept longer than any request takes', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const { limiter, take } = await leaderAndPuppet()
    await take()
    await take()
    let isGranted = false
    const lease = acquire(limiter).then(() => (isGranted = true))
    await vi.advanceTimersByTimeAsync(99_000)
    expect(isGranted).toBe(false)
    await vi.advanceTimersByTimeAsync(4000)
    await lease
  })

  it('keeps the leases that a tab confirms, for any time', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const { limiter, leader, other, take } = await leaderAndPuppet()
    await take()
    await take()
    const leases = other.heard.flatMap((message) => (message.kind === 'grant' ? [message.call] : []))
    let isGranted = false
    void acquire(limiter).then(() => (isGranted = true))
    for (let i = 0; i < 30; i++) {
      await vi.advanceTimersByTimeAsync(5000)
      other.say({ kind: 'tabState', tabId: other.tabId, to: leader, leases, queue: [], snapshot: nothing })
      await moment(5)
    }
    expect(isGranted).toBe(false)
    other.say({ kind: 'release', call: leases[0]! })
    await expect.poll(() => isGranted).toBe(true)
  })

  it('grants nothing after a sleep until it has checked its lead', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { limiter } = await leaderAndPuppet()
    vi.advanceTimersByTime(5000)
    // A thread has one client; here, another one has taken the lead meanwhile.
    const query = vi.spyOn(navigator.locks, 'query').mockResolvedValue({ held: [], pending: [] })
    let isGranted = false
    void acquire(limiter).then(
      () => (isGranted = true),
      () => {},
    )
    await expect.poll(() => query.mock.calls.length).toBeGreaterThan(0)
    await moment()
    expect(isGranted).toBe(false)
    query.mockRestore()
  })

  it('grants leases on time when its timers are late', async () => {
    const { limiter, other, leader } = await leaderAndPuppet()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    limiter.hold('a', 100)
    const lease = acquire(limiter)
    const start = performance.now()
    while (performance.now() - start < 150) await new Promise((resolve) => setImmediate(resolve))
    other.say({ kind: 'ping', tabId: other.tabId, to: leader })
    expect(await lease).toBeDefined()
  })
})

describe('a WebLocksLimiter that follows', () => {
  /** A puppet that leads, and a tab that waits for its grant. */
  async function puppetAndFollower() {
    const organization = `follows ${++organizations}`
    const leading = await holdLock(`${channelName(organization)}/leader`, { signal: never })
    const { say, hear, heard } = await puppet(organization)
    ends.push(leading)
    const limiter = join(organization)
    const lease = acquire(limiter)
    await hear('newTab')
    say({ kind: 'leader', leader: 'first', to: null, snapshot: nothing })
    const { queue, tabId } = await hear('tabState')
    const { call, surface, share: known } = queue[0]!
    const grant = (leader: string): void =>
      say({ kind: 'grant', leader, tabId, call, surface, share: known, paced: 0 })
    return { limiter, lease, say, hear, heard, grant }
  }

  it('ignores a grant of a replaced leader', async () => {
    const { lease, say, hear, grant } = await puppetAndFollower()
    say({ kind: 'leader', leader: 'second', to: null, snapshot: nothing })
    grant('first')
    let isGranted = false
    void lease.then(() => (isGranted = true))
    await hear('release')
    expect(isGranted).toBe(false)
    grant('second')
    await lease
  })

  it('ignores a grant that came while it slept, and asks again', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const { lease, heard, hear, grant, say } = await puppetAndFollower()
    heard.length = 0
    // Its timers did not run, and time went by.
    const real = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => real() + 60_000)
    grant('first')
    await hear('release')
    await hear('newTab')
    say({ kind: 'leader', leader: 'first', to: null, snapshot: nothing })
    await hear('tabState')
    grant('first')
    await lease
    vi.restoreAllMocks()
  })
})
