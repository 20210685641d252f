import type { SharedStore } from '../../src/extensions/shared/index.ts'
import { type Time, realTime } from '../support/real-time.ts'

/** A promise of every store: it gets three stores, each opened as by another process, and throws if it is broken. */
type Promised = (
  stores: readonly [SharedStore, SharedStore, SharedStore],
  key: string,
  pass: Time['pass'],
) => Promise<void>

const write = (store: SharedStore, key: string, value: string) =>
  store.update(key, () => ({ value, result: undefined }))
const read = (store: SharedStore, key: string): Promise<string | undefined> =>
  store.update(key, (value) => ({ result: value }))
const count = (value?: string) => ({ value: String(Number(value ?? 0) + 1), result: undefined })

/** It has no test runner, so that workerd runs it, too. */
export function equal(found: unknown, expected: unknown): void {
  const [one, other] = [found, expected].map((value) => JSON.stringify([value]))
  if (one !== other) throw new Error(`expected ${other?.slice(0, 300)}, found ${one?.slice(0, 300)}`)
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  pass = realTime.pass,
): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await condition()) return
    await pass(50)
  }
  throw new Error(`never ${what}`)
}

/** Watches a key until a message arrives, and returns what arrives. */
export async function listen(
  store: SharedStore,
  from: SharedStore,
  key: string,
  pass = realTime.pass,
): Promise<{ arrived: string[]; end(): void }> {
  const arrived: string[] = []
  if (store.watch === undefined) throw new Error('the store has no watch()')
  const end = store.watch(key, (message = '') => arrived.push(message))
  const hasArrived = async () => {
    await from.update(key, () => ({ message: 'first', result: undefined }))
    return arrived.includes('first')
  }
  await until(hasArrived, 'a message arrived', pass)
  return { arrived, end }
}

/** What every store promises, by the title of its test. */
export const promises: Readonly<Record<string, Promised>> = {
  'update() gives undefined before the first text, and then the latest text to all processes': async (
    [first, second, third],
    key,
  ) => {
    equal(await read(first, key), undefined)
    await write(second, key, 'one')
    equal(await third.update(key, (value) => ({ value: `${value} two`, result: value })), 'one')
    equal([await read(first, key), await read(second, key)], ['one two', 'one two'])
    await write(first, key, '')
    equal(await read(second, key), '')
  },

  'update() loses no change when processes change a text at the same time': async (stores, key) => {
    await Promise.all(Array.from({ length: 60 }, (_, i) => stores[i % 3]!.update(key, count)))
    equal(await read(stores[0], key), '60')
  },

  'update() includes a change of another process that begins between its read and its write': async (
    [first, second],
    key,
  ) => {
    for (let round = 0; round < 10; round++) {
      let other: Promise<unknown> | undefined
      await first.update(key, (value) => {
        other ??= Promise.resolve().then(() => second.update(key, count))
        return count(value)
      })
      await other
    }
    equal(await read(first, key), '20')
  },

  'update() keeps texts of any characters, and each key apart': async ([first, second], key) => {
    const text = `"quotes" \\ 'single' \n ü 漢 🙂 ${'x'.repeat(20_000)}`
    await write(first, key, text)
    equal([await read(second, key), await read(second, `${key} other`)], [text, undefined])
  },

  'update() gives a clock that goes on, and a time before it was read': async (
    [first, second],
    key,
    pass,
  ) => {
    const readClock = (store: SharedStore) =>
      store.update(key, (_, clock, readAt) => ({ result: { clock, readAt, now: performance.now() } }))
    const one = await readClock(first)
    await pass(300)
    const two = await readClock(second)
    const aheadMs = two.clock - one.clock - (two.now - one.now)
    equal(Math.abs(aheadMs) < 150, true)
    equal(
      [one, two].map(({ readAt, now }) => readAt <= now),
      [true, true],
    )
    equal(two.readAt > one.now, true)
  },

  'update() rejects with what the change throws, and keeps the text': async ([first, second], key) => {
    await write(first, key, 'kept')
    const fail = (): never => {
      throw new Error('it failed')
    }
    equal(await second.update(key, fail).catch((error: unknown) => String(error)), 'Error: it failed')
    equal(await read(first, key), 'kept')
  },

  'watch() calls back with each message of its key, until it ends': async ([first, second], key, pass) => {
    const { arrived, end } = await listen(second, first, key, pass)
    await first.update(`${key} other`, () => ({ value: 'x', message: 'of another key', result: undefined }))
    await write(first, key, 'y')
    await first.update(key, () => ({ message: 'without a text', result: undefined }))
    await until(() => arrived.includes('without a text'), 'the second message arrived', pass)
    await first.update(key, () => ({ value: 'z', message: 'with a text', result: undefined }))
    await until(() => arrived.includes('with a text'), 'the third message arrived', pass)
    end()
    await first.update(key, () => ({ message: 'late', result: undefined }))
    await pass(200)
    equal([...new Set(arrived)].filter(Boolean).sort(), ['first', 'with a text', 'without a text'])
  },

  'watch() calls back each listener of a store, also after another one of the same key has ended': async (
    [first, second],
    key,
    pass,
  ) => {
    const ended = await listen(second, first, key, pass)
    const staying = await listen(second, first, key, pass)
    const other = await listen(second, first, `${key} other`, pass)
    ended.end()
    await first.update(key, () => ({ message: 'again', result: undefined }))
    await until(() => staying.arrived.includes('again'), 'the message arrived', pass)
    await first.update(`${key} other`, () => ({ message: 'for the other', result: undefined }))
    await until(() => other.arrived.includes('for the other'), 'the message of the other key arrived', pass)
    equal([ended.arrived.includes('again'), staying.arrived.includes('for the other')], [false, false])
    staying.end()
    other.end()
  },
}
