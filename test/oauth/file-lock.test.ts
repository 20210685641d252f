import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { FileTokenStore } from '../../src/extensions/oauth/node.ts'
import { tokenSet } from './helpers.ts'
import { folder, lock, path } from './token-file.ts'

/** Leaves the lock of a killed process, and returns its name. */
async function killedOwner(): Promise<string> {
  const holder = fork(join(import.meta.dirname, 'lock-holder.ts'), [path])
  await once(holder, 'message')
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  return String(readdirSync(lock))
}

/** The name of an owner on another machine. */
const elsewhere = (owner: string): string => owner.replace(/\w{8}(?=-\w{8}$)/, '00000000')

describe('FileTokenStore.lock()', () => {
  it('removes the temporary files that killed processes left, and no file of the user', async () => {
    const uuid = '01234567-89ab-cdef-0123-456789abcdef'
    const owner = await killedOwner()
    mkdirSync(`${lock}.${owner}`)
    for (const file of [lock, `${lock}.${owner}`]) writeFileSync(join(file, owner), '.')
    writeFileSync(join(lock, `${owner}.tmp`), '{')
    const own = ['other.json', `tokens.json.${uuid}.tmp`, 'tokens.json.lock.mine', `other.json.lock.${owner}`]
    for (const name of own) writeFileSync(join(folder, name), '')
    expect(await new FileTokenStore(path).lock(() => readdir(lock))).toHaveLength(1)
    expect(readdirSync(folder).toSorted()).toEqual(own.toSorted())
  })

  it('runs the work again, and writes nothing before, when another process has taken the lock', async () => {
    const store = new FileTokenStore(path)
    await store.set(tokenSet())
    const seen: unknown[] = []
    await store.lock(async () => {
      const stored = await store.get()
      seen.push(stored?.accessToken)
      if (seen.length === 1) {
        rmSync(lock, { recursive: true })
        await new FileTokenStore(path).set(tokenSet({ accessToken: 'of the other' }))
      }
      await store.set(tokenSet({ accessToken: `after ${stored?.accessToken}` }))
    })
    expect(seen).toEqual([tokenSet().accessToken, 'of the other'])
    expect((await store.get())?.accessToken).toBe('after of the other')
  })

  /** Runs pieces of work, each through a separate store, and tells how many ran at once. */
  async function together(count: number): Promise<number> {
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
    }
    await Promise.all(Array.from({ length: count }, () => new FileTokenStore(path).lock(work)))
    return most
  }

  it('runs one function at a time, and leaves no file behind', async () => {
    expect(await together(8)).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  })

  it('returns the result, and is free again after a failure', async () => {
    const store = new FileTokenStore(path)
    expect(await store.lock(() => Promise.resolve(5))).toBe(5)
    await expect(store.lock(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(readdirSync(folder)).toEqual([])
  })

  it('does not release a lock that another process has taken', async () => {
    await new FileTokenStore(path).lock(async () => {
      const [owner = ''] = readdirSync(lock)
      renameSync(join(lock, owner), join(lock, elsewhere(owner)))
      await readdir(folder)
    })
    expect(readdirSync(lock)).toHaveLength(1)
  })

  it.each(['file', 'folder'])("reports a user's own %s with the name of the lock", async (kind) => {
    if (kind === 'folder') mkdirSync(lock)
    writeFileSync(kind === 'folder' ? join(lock, 'notes') : lock, 'own')
    const work = new FileTokenStore(path).lock(() => Promise.resolve())
    await expect(work).rejects.toMatchObject({
      code: 'token_store',
      message: `${lock} exists and is not a lock; remove it`,
    })
    expect(readdirSync(folder)).toEqual(['tokens.json.lock'])
  })

  it('is taken over by only one process when its owner was killed', async () => {
    await killedOwner()
    expect(readdirSync(folder)).toEqual(['tokens.json.lock'])
    expect(await together(40)).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  })

  it('renews its lock during the work', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const mark = () => join(lock, String(readdirSync(lock)))
    const modified = () => statSync(mark()).mtimeMs
    await new FileTokenStore(path).lock(async () => {
      utimesSync(mark(), 1, 1)
      vi.advanceTimersByTime(2000)
      for (let turn = 0; turn < 500 && modified() === 1000; turn++) await readdir(folder)
      expect(modified()).toBeGreaterThan(1000)
    })
  })

  /** Moves the clock on until the work is over, and waits for the disk, too. */
  async function elapse(seconds: number, isOver: () => boolean, touch?: (second: number) => void) {
    for (let second = 0; second < seconds && !isOver(); second++) {
      touch?.(second)
      for (let step = 0; step < 4; step++) {
        await vi.advanceTimersByTimeAsync(250)
        for (let turn = 0; turn < 10; turn++) await readdir(folder)
      }
    }
  }

  it('waits for an owner on another machine while it renews the lock, and not much longer', async () => {
    // No process here has that pid any more.
    const owner = await killedOwner()
    const mark = join(lock, elsewhere(owner))
    renameSync(join(lock, owner), mark)
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    let taken = false
    const work = new FileTokenStore(path).lock(() => Promise.resolve((taken = true)))
    const isTaken = () => taken
    await elapse(40, isTaken, (second) => utimesSync(mark, second, second))
    expect(taken).toBe(false)
    await elapse(15, isTaken)
    expect(taken).toBe(false)
    await elapse(15, isTaken)
    vi.useRealTimers()
    await work
    expect(taken).toBe(true)
  })

  type Change = (owner: string) => void
  const reusedPid: [string, Change][] = [
    [
      'a lock whose pid another process has now',
      (owner) => renameSync(join(lock, owner), join(lock, owner.replace(/^\d+/, String(process.pid)))),
    ],
  ]
  it.each<[string, Change]>([
    ['an empty folder', (owner: string) => rmSync(join(lock, owner))],
    ['only a temporary file', (owner: string) => renameSync(join(lock, owner), join(lock, `${owner}.tmp`))],
    [
      'only a temporary file of another machine',
      (owner: string) => renameSync(join(lock, owner), join(lock, `${elsewhere(owner)}.tmp`)),
    ],
    // Only Linux tells when a process was started.
    ...(process.platform === 'linux' ? reusedPid : []),
  ])('continues at once when %s was left', async (_, change) => {
    change(await killedOwner())
    const start = performance.now()
    await new FileTokenStore(path).lock(() => Promise.resolve())
    expect(performance.now() - start).toBeLessThan(5000)
    expect(readdirSync(folder)).toEqual([])
  })
})
