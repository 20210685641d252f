import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { FileTokenStore } from '../../src/extensions/oauth/node.ts'
import { secrets, tokenSet } from './helpers.ts'
import { folder, path } from './token-file.ts'

const mode = () => statSync(path).mode & 0o777

describe('FileTokenStore', () => {
  it('keeps tokens in a file that only its owner can read, with any umask', async () => {
    const umask = process.umask(0)
    const store = new FileTokenStore(path)
    expect(await store.get()).toBeNull()
    store.set(tokenSet())
    process.umask(umask)
    expect(await new FileTokenStore(path).get()).toEqual(tokenSet({ ...(await store.get()) }))
    expect(mode()).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['tokens.json'])
  })

  it('replaces the file atomically', async () => {
    const store = new FileTokenStore(path)
    store.set(tokenSet())
    const { ino } = statSync(path)
    store.set(tokenSet({ accessToken: 'next' }))
    expect(statSync(path).ino).not.toBe(ino)
    expect((await store.get())?.accessToken).toBe('next')
  })

  it('shares a file through links', async () => {
    const store = new FileTokenStore(path)
    store.set(tokenSet())
    const link = join(folder, 'link.json')
    symlinkSync(path, link)
    const other = new FileTokenStore(link)
    other.set(tokenSet({ accessToken: 'next' }))
    expect((await store.get())?.accessToken).toBe('next')
    expect(await other.lock(() => readdir(folder))).toContain('tokens.json.lock')
    expect(readdirSync(folder).toSorted()).toEqual(['link.json', 'tokens.json'])
  })

  it('keeps the old tokens and no temporary file when writing fails', async () => {
    const store = new FileTokenStore(path)
    store.set(tokenSet())
    const circular: Record<string, unknown> = { ...tokenSet() }
    circular['self'] = circular
    expect(() => store.set(circular as never)).toThrow(expect.objectContaining({ code: 'token_store' }))
    expect((await store.get())?.accessToken).toBe(tokenSet().accessToken)
    expect(readdirSync(folder)).toEqual(['tokens.json'])
    const nowhere = new FileTokenStore(join(folder, 'missing', 'tokens.json'))
    expect(() => nowhere.set(tokenSet())).toThrow(/token file .* cannot be written \(ENOENT\)/)
    await expect(nowhere.lock(() => Promise.resolve())).rejects.toMatchObject({ code: 'token_store' })
  })

  it.each([0o640, 0o604, 0o644, 0o660])('refuses a file of mode %o', async (wide) => {
    const store = new FileTokenStore(path)
    store.set(tokenSet())
    chmodSync(path, wide)
    const error: unknown = await store.get().catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'token_store' })
    expect((error as Error).message).toContain(`mode ${wide.toString(8)}`)
    store.set(tokenSet())
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
