import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { CreditBudgetError } from '../../src/index.ts'
import { SharedBudget, SharedLimiter, type SharedStore } from '../../src/extensions/shared/index.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { queueRequest } from '../support/limiter.ts'
import { type Time, realTime } from '../support/real-time.ts'

/** What happens to a command on its way to the server. */
export type Meet = (send: () => Promise<unknown>, isWrite: boolean) => Promise<unknown>

/** The server of a store, whose time is real. */
export interface StoreServer {
  readonly port: number
  /** Connects through a proxy at a port, with a timeout. */
  openAt(port: number): SharedStore | Promise<SharedStore>
  openThrough(meet: Meet): SharedStore | Promise<SharedStore>
  /** Deletes a text. */
  forget(key: string): Promise<unknown>
  /** Returns a function that sets a text back to what it is now, as from a backup. */
  backUp(key: string): Promise<() => Promise<unknown>>
  /** Sends a text to the listeners of a key, as another program does. */
  send(key: string, text: string): Promise<unknown>
  /** The length of the longest text that it sends. */
  readonly longest: number
  /** How many connections listen. */
  listening(): Promise<number>
}

interface World extends Time {
  /** Each is opened as by another process. */
  readonly stores: readonly [SharedStore, SharedStore, SharedStore]
  readonly key: string
}

type Promised<World> = Readonly<Record<string, (world: World) => Promise<void>>>

const write = (store: SharedStore, key: string, value: string) =>
  store.update(key, () => ({ value, result: 0 }))
const read = (store: SharedStore, key: string) => store.update(key, (value) => ({ result: value }))
const send = (store: SharedStore, key: string, message: string) =>
  store.update(key, () => ({ value: 'x', message, result: 0 }))
const count = (value = '0') => ({ value: String(Number(value) + 1), result: 0 })

async function until(condition: () => unknown, { pass }: Pick<Time, 'pass'>): Promise<void> {
  for (let tries = 0; tries < 300 && !(await condition()); tries++) await pass(50)
  expect(await condition()).toBeTruthy()
}

/** Watches a key until a message arrives, and returns what arrives. */
export async function listen(
  store: SharedStore,
  from: SharedStore,
  key: string,
  time: Pick<Time, 'pass'> = realTime,
) {
  const arrived: string[] = []
  const end = store.watch!(key, (message = '') => arrived.push(message))
  await until(async () => {
    await send(from, key, 'first')
    return arrived.includes('first')
  }, time)
  return { arrived, end }
}

const promises: Promised<World> = {
  'update() gives undefined before the first text, and then the latest to all': async (world) => {
    const { stores, key } = world
    const [first, second, third] = stores
    expect(await read(first, key)).toBeUndefined()
    await write(second, key, 'one')
    expect(await third.update(key, (value) => ({ value: `${value} two`, result: value }))).toBe('one')
    expect([await read(first, key), await read(second, key)]).toEqual(['one two', 'one two'])
    await write(first, key, '')
    expect(await read(second, key)).toBe('')
  },

  'update() loses no change when processes change a text at the same time': async ({ stores, key }) => {
    await Promise.all(Array.from({ length: 60 }, (_, i) => stores[i % 3]!.update(key, count)))
    expect(await read(stores[0], key)).toBe('60')
  },

  'update() includes a change of another process between its read and its write': async (world) => {
    const { stores, key } = world
    const [first, second] = stores
    for (let round = 0; round < 10; round++) {
      let other: Promise<unknown> | undefined
      await first.update(key, (value) => {
        other ??= Promise.resolve().then(() => second.update(key, count))
        return count(value)
      })
      await other
    }
    expect(await read(first, key)).toBe('20')
  },

  'update() keeps texts of any characters, and each key apart': async ({ stores: [first, second], key }) => {
    const text = `"quotes" \\ 'single' \n ü 漢 🙂 ${'x'.repeat(20_000)}`
    await write(first, key, text)
    expect([await read(second, key), await read(second, `${key} other`)]).toEqual([text, undefined])
  },

  'update() gives a clock that goes on, and a time before it was read': async ({ stores, key, pass }) => {
    const [first, second] = stores
    const readClock = (store: SharedStore) =>
      store.update(key, (_, clock, readAt) => ({ result: { clock, readAt, now: performance.now() } }))
    const one = await readClock(first)
    await pass(300)
    const two = await readClock(second)
    expect(Math.abs(two.clock - one.clock - (two.now - one.now))).toBeLessThan(150)
    for (const { readAt, now } of [one, two]) expect(readAt).toBeLessThanOrEqual(now)
    expect(two.readAt).toBeGreaterThan(one.now)
  },

  'update() rejects with what the change throws, and keeps the text': async ({ stores, key }) => {
    const [first, second] = stores
    await write(first, key, 'kept')
    const fail = (): never => {
      throw new Error('it failed')
    }
    await expect(second.update(key, fail)).rejects.toThrow('it failed')
    expect(await read(first, key)).toBe('kept')
  },

  'update() keeps a SharedBudget from being exceeded when many processes reserve at once': async ({
    stores,
    key: name,
    settle,
  }) => {
    const budgets = stores.map((store) => new SharedBudget({ store, name, limit: 51 }))
    const asked = Array.from({ length: 100 }, (_, i) => budgets[i % 3]!.reserve(2, 'any'))
    const { value = [] } = await settle(Promise.allSettled(asked))
    const refused = value.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
    expect(refused).toHaveLength(75)
    for (const error of refused) expect(error).toBeInstanceOf(CreditBudgetError)
    const summary = { limit: 51, remaining: 1, spent: 0, uncertain: 0, reserved: 50 }
    expect((await settle(budgets[1]!.summary())).value).toMatchObject(summary)
    for (const reservation of value) if (reservation.status === 'fulfilled') reservation.value.settle(0)
    await settle(Promise.all(budgets.map((budget) => budget.close())))
  },

  'watch() calls back with each message of its key, until it ends': async ({ stores, key, pass }) => {
    const [first, second] = stores
    const { arrived, end } = await listen(second, first, key, { pass })
    await first.update(`${key} other`, () => ({ value: 'x', message: 'of another key', result: 0 }))
    await write(first, key, 'y')
    await first.update(key, () => ({ message: 'without a text', result: 0 }))
    await send(first, key, 'with a text')
    await until(() => arrived.includes('with a text'), { pass })
    end()
    await send(first, key, 'late')
    await pass(200)
    expect([...new Set(arrived)].filter(Boolean).sort()).toEqual(['first', 'with a text'])
  },

  'watch() calls back each listener, also after another of its key has ended': async (world) => {
    const { stores, key, pass } = world
    const [first, second] = stores
    const ended = await listen(second, first, key, { pass })
    const staying = await listen(second, first, key, { pass })
    const other = await listen(second, first, `${key} other`, { pass })
    ended.end()
    await send(first, key, 'again')
    await until(() => staying.arrived.includes('again'), { pass })
    await send(first, `${key} other`, 'for the other')
    await until(() => other.arrived.includes('for the other'), { pass })
    expect(ended.arrived).not.toContain('again')
    expect(staying.arrived).not.toContain('for the other')
    staying.end()
    other.end()
  },
}

/** What other programs may send where the processes of a limiter listen. */
const foreign = [
  ...[
    '',
    ' ',
    'garbage',
    '{',
    'null',
    '0',
    '"text"',
    '[]',
    '{}',
    '[1,2,3,4,5]',
    '["other",0,[],0]',
    '\u0000\ud800',
  ],
  ...[
    '{"from":"other","processes":[null]}',
    '{"from":"other","processes":{}}',
    '{"__proto__":{"processes":["*"]}}',
  ],
]

/** Writes a text after something has happened to it since it was read, and returns what the store has then. */
async function writeLate({ stores: [store], key, server }: ServerWorld, happen: () => Promise<unknown>) {
  let isLate = true
  const slow = await server.openThrough(async (send, isWrite) => {
    if (isWrite && isLate) {
      isLate = false
      await happen()
    }
    return send()
  })
  await slow.update(key, (value = 'nothing') => ({ value: `${value} and late`, result: 0 }))
  return read(store, key)
}

interface ServerWorld extends World {
  readonly server: StoreServer
}

const serverPromises: Promised<ServerWorld> = {
  'does not store a late text when the text was changed, lost or set back': async (world) => {
    const { stores, key, server } = world
    await write(stores[0], key, 'first')
    const setBack = await server.backUp(key)
    await write(stores[0], key, 'second')
    expect(await writeLate(world, setBack)).toBe('first and late')
    expect(await writeLate(world, () => server.forget(key))).toBe('nothing and late')
    expect(await writeLate(world, () => write(stores[1], key, 'other'))).toBe('other and late')
  },

  'lets a process that is far away change a text that a near one changes all the time': async (world) => {
    const { stores, key, server, pass } = world
    const [near] = stores
    const far = await server.openThrough(async (send) => {
      await pass(100)
      return send()
    })
    // It need not wait for the disk.
    const change = (value?: string) => ({ ...count(value), ttlMs: 60_000 })
    const over = new AbortController()
    let times = 0
    const busy = (async () => {
      for (; !over.signal.aborted; times++) await near.update(key, change)
    })()
    const changed = far.update(key, change).then(() => 'changed')
    const outcome = await Promise.race([changed, pass(3000).then(() => 'lost each time')])
    over.abort()
    await busy
    expect(outcome).toBe('changed')
    expect(await read(near, key)).toBe(String(times + 1))
  },

  'lets others write at once when one that had lost to them changes nothing, or fails': async (world) => {
    const { stores, key, server, pass } = world
    const [near] = stores
    for (const last of ['stays', 'fails']) {
      // It takes a lock for as long as its first reading took, so this one is slow.
      let isFirst = true
      let changes = 0
      const far = await server.openThrough(async (send, isWrite) => {
        if (isWrite && changes === 1) await near.update(key, count)
        if (isFirst) await pass(500)
        isFirst = false
        return send()
      })
      const update = far.update(key, (value) => {
        changes++
        if (changes === 1) return count(value)
        if (last === 'fails') throw new Error('it failed')
        return { result: 0 }
      })
      await update.catch(() => {})
      expect(changes).toBe(2)
      const startedAt = performance.now()
      await near.update(key, count)
      expect(performance.now() - startedAt).toBeLessThan(500)
    }
  },

  'goes on by new connections when one falls silent without being closed, with the timeouts of docs/fleet.md':
    async ({ key, server }) => {
      const sockets: Socket[] = []
      const proxy = createServer((near) => {
        const far = connect(server.port, '127.0.0.1')
        near.pipe(far).pipe(near)
        for (const socket of [near, far]) sockets.push(socket.on('error', () => {}))
      }).listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      const store = await server.openAt((proxy.address() as AddressInfo).port)
      await write(store, key, 'before')
      for (const socket of sockets) socket.unpipe().pause()
      await expect.poll(() => read(store, key).catch(String), { interval: 200 }).toBe('before')
      for (const socket of sockets) socket.destroy()
      proxy.close()
    },

  'leaves no connection open when a watch ends at once': async ({ stores: [store], key, server }) => {
    await expect.poll(() => server.listening()).toBe(0)
    store.watch!(key, () => {})()
    const end = store.watch!(key, () => {})
    await expect.poll(() => server.listening()).not.toBe(0)
    end()
    await expect.poll(() => server.listening()).toBe(0)
  },

  'lets a limiter ignore messages of other programs, and then get the slot of another one': async (world) => {
    const { stores, server } = world
    let key = ''
    const spied: SharedStore = { ...stores[0], update: (at, change) => stores[0].update((key = at), change) }
    const common = { organization: world.key, limits: { inFlight: 1, perMinute: 100 } }
    const [first, second] = [spied, stores[1]].map((store) => new SharedLimiter({ store, ...common }))
    const lease = await first!.acquire(queueRequest())
    let isGranted = false
    const waiting = second!.acquire(queueRequest()).finally(() => (isGranted = true))
    const { arrived, end } = await listen(stores[1], stores[0], key)
    for (const text of [...foreign, 'x'.repeat(server.longest), `["${'x'.repeat(server.longest - 20)}",0]`])
      await server.send(key, text)
    await until(() => arrived.some((text) => text.endsWith('xxx",0]')), world)
    expect(isGranted).toBe(false)
    lease.end()
    ;(await waiting).end()
    end()
    await Promise.all([first!.close(), second!.close()])
  },
}

/**
 * The promises of every store.
 *
 * @param open Connects like another process.
 * @param hasMessages Whether the store has `watch`.
 * @param server Undefined for a store in this process, whose time is virtual.
 */
export function storeContract(
  name: string,
  open: () => SharedStore | Promise<SharedStore>,
  { hasMessages = true, server }: { hasMessages?: boolean; server?: () => StoreServer } = {},
): void {
  const kept = Object.entries(promises).filter(([title]) => hasMessages || !title.startsWith('watch()'))
  describe(`${name} as a store`, () => {
    let stores: World['stores']
    beforeAll(async () => void (stores = await Promise.all([open(), open(), open()])))
    if (server === undefined) {
      beforeEach(useVirtualTime)
      afterEach(() => void vi.useRealTimers())
    }
    const worldOf = (title: string): World => ({
      ...(server === undefined ? { pass, settle } : realTime),
      ...{ stores, key: `contract-1:${title} ${crypto.randomUUID()}` },
    })
    it.each(kept)('%s', (title, promised) => promised(worldOf(title)))
    if (server !== undefined)
      it.each(Object.entries(serverPromises))('%s', (title, promised) =>
        promised({ ...worldOf(title), server: server() }),
      )
  })
}
