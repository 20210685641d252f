import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ConfigurationError } from '../../src/index.ts'
import { FileTokenStore } from '../../src/extensions/oauth/node.ts'
import { tokenSet } from './helpers.ts'
import { folder, lock, path } from './token-file.ts'

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

  it('is taken over by one process at a time when its owner was killed, also while it wrote', async () => {
    const holder = fork(join(import.meta.dirname, 'lock-holder.ts'), [path])
    await once(holder, 'message')
    holder.kill('SIGKILL')
    writeFileSync(`${path}.lock.tmp`, '{')
    writeFileSync(join(folder, 'other.json.lock.tmp'), '')
    expect(await together(10)).toBe(1)
    new FileTokenStore(path).set(tokenSet())
    expect(readdirSync(folder).sort()).toEqual(['other.json.lock.tmp', 'tokens.json'])
  })

  it.each(['file', 'folder'])("reports a user's own %s with the name of the lock", async (kind) => {
    if (kind === 'folder') mkdirSync(lock)
    else writeFileSync(lock, 'own notes '.repeat(100))
    const work = new FileTokenStore(path).lock(() => Promise.resolve())
    await expect(work).rejects.toMatchObject({
      code: 'token_store',
      message: `${lock} exists and is not a lock; remove it`,
    })
    expect(readdirSync(folder)).toEqual(['tokens.json.lock'])
  })

  it('rejects with a ConfigurationError when the runtime has no node:sqlite', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    onTestFinished(() => void vi.restoreAllMocks())
    await expect(new FileTokenStore(path).lock(() => Promise.resolve())).rejects.toBeInstanceOf(
      ConfigurationError,
    )
  })
})
