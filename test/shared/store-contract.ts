import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SharedStore } from '../../src/shared/index.ts'

/** The promises of every store. `open` connects like another process. */
export function storeContract(name: string, open: () => SharedStore | Promise<SharedStore>): void {
  let stores: SharedStore[] = []
  let keys = 0
  const newKey = (): string => `contract-1:${name} ${++keys} ${Math.random()}`

  describe(`${name} as a store`, () => {
    beforeAll(async () => void (stores = await Promise.all([open(), open(), open()])))
    afterAll(() => void (stores = []))
    const textOf = (key: string, from = 0): Promise<string | undefined> =>
      stores[from]!.update(key, (value) => ({ result: value }))

    it('update() gives undefined before the first text, and then the latest text to all processes', async () => {
      const key = newKey()
      expect(await textOf(key)).toBeUndefined()
      await stores[1]!.update(key, () => ({ value: 'one', result: undefined }))
      expect(await stores[2]!.update(key, (value) => ({ value: `${value} two`, result: value }))).toBe('one')
      expect([await textOf(key, 0), await textOf(key, 1)]).toEqual(['one two', 'one two'])
    })

    it('update() loses no change when processes change a text at the same time', async () => {
      const key = newKey()
      const count = (value?: string) => ({ value: String(Number(value ?? 0) + 1), result: undefined })
      await Promise.all(Array.from({ length: 60 }, (_, i) => stores[i % 3]!.update(key, count)))
      expect(await textOf(key)).toBe('60')
    })

    it('update() keeps texts of any characters, and each key apart', async () => {
      const [key, other] = [newKey(), newKey()]
      const text = `"quotes" \\ 'single' \n ü 漢 🙂 ${'x'.repeat(20_000)}`
      await stores[0]!.update(key, () => ({ value: text, result: undefined }))
      expect([await textOf(key, 1), await textOf(other, 1)]).toEqual([text, undefined])
    })

    it('update() gives a clock that goes on, and a time before it was read', async () => {
      const key = newKey()
      const read = (store: SharedStore) =>
        store.update(key, (_, clock, readAt) => ({ result: { clock, readAt, now: performance.now() } }))
      const first = await read(stores[0]!)
      await new Promise((resolve) => setTimeout(resolve, 300))
      const second = await read(stores[1]!)
      expect(Math.abs(second.clock - first.clock - (second.now - first.now))).toBeLessThan(150)
      for (const { readAt, now } of [first, second]) expect(now - readAt).toBeGreaterThanOrEqual(0)
      expect(second.readAt).toBeGreaterThan(first.now)
    })

    it('update() rejects with what the change throws, and keeps the text', async () => {
      const key = newKey()
      await stores[0]!.update(key, () => ({ value: 'kept', result: undefined }))
      const failing = stores[1]!.update(key, () => {
        throw new Error('it failed')
      })
      await expect(failing).rejects.toThrow('it failed')
      expect(await textOf(key)).toBe('kept')
    })

    it('watch() calls back with each notice of its key, until it ends', async () => {
      const [key, other] = [newKey(), newKey()]
      const heard: (string | undefined)[] = []
      const end = stores[1]!.watch?.(key, (notice) => heard.push(notice))
      expect(end).toBeDefined()
      const send = (to: string, notice: string) =>
        stores[0]!.update(to, () => ({ value: 'x', notice, result: undefined }))
      await expect
        .poll(async () => {
          await send(key, 'first')
          return heard
        })
        .toContain('first')
      await send(other, 'of another key')
      await stores[0]!.update(key, () => ({ value: 'y', result: undefined }))
      await stores[0]!.update(key, () => ({ notice: 'without a text', result: undefined }))
      await expect.poll(() => heard).toContain('without a text')
      end?.()
      await send(key, 'late')
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(new Set(heard.filter((notice) => notice !== undefined))).toEqual(
        new Set(['first', 'without a text']),
      )
    })
  })
}
