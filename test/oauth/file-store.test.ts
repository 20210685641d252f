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
    await expect(nowhere.set(tokenSet())).rejects.toThrow(/cannot be written \(ENOENT\)/)
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
  ])('reports a corrupted file without repeating it: %j', async (text) => {
    writeFileSync(path, text, { mode: 0o600 })
    const error: unknown = await new FileTokenStore(path).get().catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'token_store' })
    expect((error as Error).message).toContain(path)
    const shown = inspect(error, { showHidden: true })
    for (const secret of [secrets.access, secrets.refresh]) expect(shown).not.toContain(secret)
  })
})

describe('FileTokenStore.lock()', () => {
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

  it.each(['', 'null', '5', '{"pid":'])(
    'continues after some time when a lock of %j and its guard were left behind, with any dates',
    async (text) => {
      const inAnHour = Date.now() / 1000 + 3600
      for (const [file, content] of Object.entries({ [`${path}.lock`]: text, [`${path}.lock.guard`]: '' })) {
        writeFileSync(file, content)
        utimesSync(file, inAnHour, inAnHour)
      }
      vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
      let over = false
      const work = new FileTokenStore(path).lock(() => Promise.resolve()).then(() => (over = true))
      await elapse(60, () => over)
      expect(over).toBe(true)
      await work
      expect(readdirSync(folder)).toEqual([])
    },
  )
})
