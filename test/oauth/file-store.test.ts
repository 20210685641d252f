import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FileTokenStore } from '../../src/oauth/node.ts'
import { secrets, tokenSet } from './helpers.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'))
  path = join(folder, 'tokens.json')
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

const mode = () => statSync(path).mode & 0o777

describe('FileTokenStore', () => {
  it('keeps tokens in a file that only its owner can read, with any umask', async () => {
    const umask = process.umask(0)
    const store = new FileTokenStore(path)
    expect(await store.get()).toBeNull()
    await store.set(tokenSet())
    process.umask(umask)
    expect(await new FileTokenStore(path).get()).toEqual(tokenSet({ ...(await store.get()) }))
    expect(mode()).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['tokens.json'])
  })

  it('replaces the file atomically', async () => {
    const store = new FileTokenStore(path)
    await store.set(tokenSet())
    const { ino } = statSync(path)
    await store.set(tokenSet({ accessToken: 'next' }))
    expect(statSync(path).ino).not.toBe(ino)
    expect((await store.get())?.accessToken).toBe('next')
  })

  it('shares a file through links', async () => {
    const store = new FileTokenStore(path)
    await store.set(tokenSet())
    const link = join(folder, 'link.json')
    symlinkSync(path, link)
    const other = new FileTokenStore(link)
    await other.set(tokenSet({ accessToken: 'next' }))
    expect((await store.get())?.accessToken).toBe('next')
    expect(await other.lock(() => readdir(folder))).toContain('tokens.json.lock')
    expect(readdirSync(folder).toSorted()).toEqual(['link.json', 'tokens.json'])
  })

  it('keeps the old tokens and no temporary file when writing fails', async () => {
    const store = new FileTokenStore(path)
    await store.set(tokenSet())
    const circular: Record<string, unknown> = { ...tokenSet() }
    circular['self'] = circular
    await expect(store.set(circular as never)).rejects.toMatchObject({ code: 'token_store' })
    expect((await store.get())?.accessToken).toBe(tokenSet().accessToken)
    expect(readdirSync(folder)).toEqual(['tokens.json'])
    const nowhere = new FileTokenStore(join(folder, 'missing', 'tokens.json'))
    await expect(nowhere.set(tokenSet())).rejects.toThrow(/lock file .* cannot be used \(ENOENT\)/)
    await expect(nowhere.lock(() => Promise.resolve())).rejects.toMatchObject({ code: 'token_store' })
  })

  it.each([0o640, 0o604, 0o644, 0o660])('refuses a file of mode %o', async (wide) => {
    const store = new FileTokenStore(path)
    await store.set(tokenSet())
    chmodSync(path, wide)
    const error: unknown = await store.get().catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'token_store' })
    expect((error as Error).message).toContain(`mode ${wide.toString(8)}`)
    await store.set(tokenSet())
    expect(await store.get()).not.toBeNull()
  })

  it.each([
    '',
    '{',
    `{"accessToken":"${secrets.access}`,
    '[]',
    '5',
    `{"accessToken":5,"x":"${secrets.refresh}"}`,
    `{"accessToken":"${secrets.access}","obtainedAt":1,"boundTo":{"issuer":5}}`,
  ])('reports a corrupted file without repeating it: %j', async (text) => {
    writeFileSync(path, text, { mode: 0o600 })
    const error: unknown = await new FileTokenStore(path).get().catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'token_store' })
    expect((error as Error).message).toContain(path)
    const shown = inspect(error, { showHidden: true })
    for (const secret of [secrets.access, secrets.refresh]) expect(shown).not.toContain(secret)
  })
})

describe('FileTokenStore.set()', () => {
  it('waits while another process holds the lock', async () => {
    const order: string[] = []
    const holder = new FileTokenStore(path)
    let write = Promise.resolve()
    await holder.lock(async () => {
      write = new FileTokenStore(path).set(tokenSet()).then(() => void order.push('written'))
      await new Promise((resolve) => setTimeout(resolve, 200))
      order.push('released')
    })
    await write
    expect(order).toEqual(['released', 'written'])
  })

  it('writes again when its temporary file was removed under its own lock', async () => {
    const removed = new Set<string>()
    const timer = setInterval(() => {
      const name = readdirSync(folder).find((name) => /^tokens\.json\.[^l].*\.tmp$/.test(name))
      if (name === undefined || removed.size > 0) return
      rmSync(join(folder, name))
      removed.add(name)
    })
    const store = new FileTokenStore(path)
    // Large, so that writing takes some time.
    for (let turn = 0; turn < 50 && removed.size === 0; turn++)
      await store.set(tokenSet({ scope: 'x'.repeat(5_000_000) }))
    clearInterval(timer)
    expect([removed.size, readdirSync(folder)]).toEqual([1, ['tokens.json']])
  })
})

describe('FileTokenStore.lock()', () => {
  it('removes the temporary files that killed processes left, and no file of the user', async () => {
    const uuid = '01234567-89ab-cdef-0123-456789abcdef'
    const left = [`tokens.json.${uuid}.tmp`, `tokens.json.lock.${uuid}.tmp`]
    const own = ['other.json', `other.json.${uuid}.tmp`, 'tokens.json.mine.tmp', `tokens.json.${uuid}`]
    for (const name of [...left, ...own]) writeFileSync(join(folder, name), '')
    await new FileTokenStore(path).lock(() => Promise.resolve())
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
        rmSync(`${path}.lock`)
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
    const lock = `${path}.lock`
    await new FileTokenStore(path).lock(async () => {
      rmSync(lock)
      writeFileSync(lock, 'another owner')
      await readdir(folder)
    })
    expect(readFileSync(lock, 'utf8')).toBe('another owner')
  })

  it('reports a lock file that it did not write', async () => {
    mkdirSync(`${path}.lock`)
    const work = new FileTokenStore(path).lock(() => Promise.resolve())
    await expect(work).rejects.toMatchObject({ code: 'token_store' })
  })

  it('is taken over by only one process when its owner was killed', async () => {
    const holder = fork(join(import.meta.dirname, 'lock-holder.ts'), [path])
    await once(holder, 'message')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect(readdirSync(folder)).toEqual(['tokens.json.lock'])
    expect(await together(40)).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  })

  it('renews its lock file during the work', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const modified = () => statSync(`${path}.lock`).mtimeMs
    await new FileTokenStore(path).lock(async () => {
      utimesSync(`${path}.lock`, 1, 1)
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
    const lock = `${path}.lock`
    // No process here has that pid any more.
    const { pid } = spawnSync(process.execPath, ['--version'])
    writeFileSync(lock, JSON.stringify({ pid, place: 'elsewhere', id: 'a' }))
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    let taken = false
    const work = new FileTokenStore(path).lock(() => Promise.resolve((taken = true)))
    const isTaken = () => taken
    await elapse(40, isTaken, (second) => utimesSync(lock, second, second))
    expect(taken).toBe(false)
    await elapse(15, isTaken)
    expect(taken).toBe(false)
    await elapse(15, isTaken)
    vi.useRealTimers()
    await work
    expect(taken).toBe(true)
  })

  it.each(['', 'null', '5', '{"pid":'])('continues at once when a lock of %j was left', async (text) => {
    writeFileSync(`${path}.lock`, text)
    const start = performance.now()
    await new FileTokenStore(path).lock(() => Promise.resolve())
    expect(performance.now() - start).toBeLessThan(5000)
    expect(readdirSync(folder)).toEqual([])
  })
})
