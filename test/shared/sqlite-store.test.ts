import { once } from 'node:events'
import { chmodSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ConfigurationError } from '../../src/index.ts'
import { SharedBudget, SharedLimiter, sqliteStore } from '../../src/extensions/shared/index.ts'
import { takePart } from '../limits/contract.ts'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { queueRequest } from '../support/limiter.ts'
import { realTime } from '../support/real-time.ts'
import { newFolder } from '../support/folder.ts'
import { storeContract } from './store-contract.ts'
import type { ThreadSetup } from './thread.ts'

const path = join(newFolder(), 'shared.sqlite')
storeContract('sqliteStore', () => sqliteStore(path))

describe('sqliteStore()', () => {
  it.skipIf(process.platform === 'win32')('keeps its files readable for their user only', async () => {
    const folder = newFolder()
    const file = join(folder, 'shared.sqlite')
    new DatabaseSync(file).exec('PRAGMA journal_mode = WAL')
    chmodSync(file, 0o644)
    await sqliteStore(file).update('key', () => ({ value: 'x', result: undefined }))
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600])
  })

  it('waits for a program that has the file, while other work goes on', async () => {
    const file = join(newFolder(), 'shared.sqlite')
    const store = sqliteStore(file)
    const add = (value = '') => ({ value: `${value}x`, result: value })
    await store.update('key', add)
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    let isDone = false
    const update = store.update('key', add).finally(() => (isDone = true))
    for (let turn = 0; turn < 30; turn++) await realTime.pass(1)
    expect(isDone).toBe(false)
    other.exec('COMMIT')
    expect(await update).toBe('x')
    other.close()
  })

  it('shares limits and a budget among the threads of one process', async () => {
    const counts = new Int32Array(new SharedArrayBuffer(12))
    const workerData: ThreadSetup = { path: join(newFolder(), 'shared.sqlite'), counts }
    const threads = [1, 2, 3].map(() => new Worker(new URL('thread.ts', import.meta.url), { workerData }))
    await Promise.all(threads.map((thread) => once(thread, 'exit')))
    expect(counts[1]).toBeLessThanOrEqual(2)
    expect(counts[2]).toBe(25)
  })

  it('wakes an idle process once a second at most, and tells one at once what it waits for', async () => {
    useVirtualTime()
    onTestFinished(() => void vi.useRealTimers())
    const file = join(newFolder(), 'shared.sqlite')
    const stores = [sqliteStore(file), sqliteStore(file)]
    const limiters = stores.map(
      (store) => new SharedLimiter({ store, organization: 'acme', limits: { inFlight: 1 } }),
    )
    const [first, second] = limiters as [SharedLimiter, SharedLimiter]
    await settle(takePart(limiters))
    for (const requestMs of [50, 300_000]) {
      await pass(60_000)
      let wakeUps = 0
      for (const end = performance.now() + 60_000; performance.now() < end; wakeUps++)
        await vi.advanceTimersToNextTimerAsync()
      expect(wakeUps).toBeLessThanOrEqual(2 * 61)
      const { value: lease } = await settle(first.acquire(queueRequest()))
      const waiting = second.acquire(queueRequest())
      await pass(requestMs)
      lease!.end()
      const { value: next, ms } = await settle(waiting)
      expect(ms).toBeLessThanOrEqual(20)
      next!.end()
    }
    await settle(Promise.all(limiters.map((limiter) => limiter.close())))
    for (const store of stores) store.close()
  })

  it('rejects with the path for a file of another kind, and works once that is gone', async () => {
    const file = join(newFolder(), 'shared.sqlite')
    writeFileSync(file, 'own notes '.repeat(100))
    const store = sqliteStore(file)
    const read = () => store.update('key', (value) => ({ result: value }))
    await expect(read()).rejects.toThrow(`${file} cannot be used: file is not a database`)
    rmSync(file)
    expect(await read()).toBeUndefined()
  })

  it('rejects for a file that was cut to nothing, which held what was spent, and works once that is gone', async () => {
    const file = join(newFolder(), 'shared.sqlite')
    writeFileSync(file, '')
    const budget = new SharedBudget({ store: sqliteStore(file), name: 'a', limit: 10, logger: false })
    const reason = `${file} cannot be used: it is empty, so what it held is lost; delete it to begin anew`
    await expect(budget.reserve(1, 'any')).rejects.toMatchObject({ code: 'budget_unavailable', reason })
    rmSync(file)
    expect(await budget.summary()).toMatchObject({ remaining: 10 })
  })

  it('works after a full disk has left its new file empty, and rejects once that is filled and cut to nothing', async () => {
    const folder = newFolder()
    const file = join(folder, 'shared.sqlite')
    const readNew = () => sqliteStore(file).update('key', (value) => ({ result: value }))
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
      throw new Error('database or disk is full')
    })
    await expect(readNew()).rejects.toThrow('full')
    vi.restoreAllMocks()
    expect(statSync(file).size).toBe(0)
    expect(await readNew()).toBeUndefined()
    writeFileSync(file, '')
    await expect(readNew()).rejects.toThrow('it is empty, so what it held is lost')
  })

  it.each(['removed', 'moved', 'replaced'])(
    'uses the file that has its name when the one before was %s',
    async (how) => {
      const folder = newFolder()
      const file = join(folder, 'shared.sqlite')
      const [one, other] = [sqliteStore(file), sqliteStore(file)]
      const read = (store: typeof one) => store.update('key', (value) => ({ result: value }))
      const write = (store: typeof one, value: string) =>
        store.update('key', () => ({ value, message: value, result: undefined }))
      const messages: (string | undefined)[] = []
      one.watch?.('key', (message) => messages.push(message))
      await write(one, 'before')
      await read(other)
      if (how === 'moved') renameSync(file, `${file}.old`)
      else for (const name of readdirSync(folder)) rmSync(join(folder, name))
      if (how === 'replaced') await write(sqliteStore(file), 'of another process')
      expect(await read(one)).toBe(how === 'replaced' ? 'of another process' : undefined)
      await write(other, 'after')
      expect(await read(one)).toBe('after')
      for (let turn = 0; turn < 100 && messages.length === 0; turn++) await realTime.pass(10)
      expect(messages).toContain('after')
      one.close()
      other.close()
    },
  )

  it('tells nothing to those who watched before close() when it is used again', async () => {
    const store = sqliteStore(join(newFolder(), 'shared.sqlite'))
    const messages: unknown[] = []
    store.watch?.('key', (message) => messages.push(message))
    store.close()
    await store.update('key', () => ({ value: 'x', message: 'x', result: undefined }))
    for (let turn = 0; turn < 4; turn++) await realTime.pass(10)
    expect(messages).toEqual([])
    store.close()
  })

  it('lets a budget refuse when its file has gone with what was spent', async () => {
    const folder = newFolder()
    const file = join(folder, 'shared.sqlite')
    const store = sqliteStore(file)
    const budget = new SharedBudget({ store, name: 'a', limit: 10, logger: false })
    ;(await budget.reserve(4, 'any')).settle(4)
    await budget.summary()
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    const reason = 'the store has lost a part of what was spent; use another budget'
    const unavailable = { code: 'budget_unavailable', temporary: false, reason }
    await expect(budget.reserve(4, 'any')).rejects.toMatchObject(unavailable)
    await budget.close()
    store.close()
  })

  it('waits for the disk with each change of a text that it may not forget', async () => {
    const waits: boolean[] = []
    const { exec } = DatabaseSync.prototype
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      if (sql === 'COMMIT') waits.push(this.prepare('PRAGMA synchronous').get()?.['synchronous'] === 2)
      exec.call(this, sql)
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const store = sqliteStore(join(newFolder(), 'shared.sqlite'))
    for (const [key, ttlMs] of [...Array(2).fill(['limits', 1000]), ...Array(2).fill(['budget'])])
      await store.update(key, () => ({ value: 'x', ttlMs, result: undefined }))
    expect(waits.slice(1)).toEqual([false, true, true])
    store.close()
  })

  it('throws a ConfigurationError when the runtime has no node:sqlite', () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    onTestFinished(() => void vi.restoreAllMocks())
    const message = 'sqliteStore() needs node:sqlite, which Node has from version 22.13'
    expect(() => sqliteStore('shared.sqlite')).toThrow(new ConfigurationError(message))
  })
})
