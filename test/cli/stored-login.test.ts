import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FileTokenStore } from '../../src/extensions/oauth/node.ts'
import type * as StoredLogin from '../../src/cli/stored-login.ts'
import { newFolder } from '../support/folder.ts'

const folder = newFolder()
let login: typeof StoredLogin
beforeAll(async () => {
  // The module reads the folder of the configuration when it is imported.
  vi.stubEnv('XDG_CONFIG_HOME', folder)
  vi.stubEnv('APPDATA', folder)
  vi.resetModules()
  login = await import('../../src/cli/stored-login.ts')
})
afterAll(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

const baseUrl = 'https://api.example/v1'
const oauth = {
  ...{ issuer: 'https://login.example', clientId: 'cli', redirectUri: 'http://127.0.0.1/callback' },
  ...{
    scopes: [],
    endpoints: { authorization: 'https://login.example/a', token: 'https://login.example/t' },
  },
}

const tokensOf = (name: string) => ({
  ...{ accessToken: `access_${name}`, refreshToken: `refresh_${name}`, obtainedAt: 1 },
})
const stored = () => (existsSync(login.tokensPath) ? readFileSync(login.tokensPath, 'utf8') : null)

/** Holds the lock as a refresh does that stores its tokens late. */
async function refreshDuring(work: () => Promise<unknown>): Promise<void> {
  const store = new FileTokenStore(login.tokensPath)
  let working: Promise<unknown> | undefined
  await store.lock(async () => {
    working = work()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await store.set(tokensOf('of the refresh'))
  })
  await working
}

describe('storeLogin()', () => {
  it.each([
    ['a key', { baseUrl, apiKey: 'org_live_key' }],
    ['another OAuth client', { baseUrl, oauth }],
  ])('removes the tokens of the previous login when it stores %s', async (_, next) => {
    await login.storeLogin({ baseUrl, oauth: { ...oauth, clientId: 'previous' } }, tokensOf('previous'))
    await login.storeLogin(next)
    expect(login.storedLogin()).toEqual(next)
    expect(stored()).toBe(null)
  })

  it('stores its tokens after those of a refresh under way', async () => {
    await login.storeLogin({ baseUrl, oauth }, tokensOf('a'))
    await refreshDuring(() => login.storeLogin({ baseUrl, oauth }, tokensOf('b')))
    expect(stored()).toContain('refresh_b')
  })
})

describe('removeLogin()', () => {
  it('removes tokens without a login', async () => {
    await login.storeLogin({ baseUrl, oauth }, tokensOf('a'))
    rmSync(login.loginPath)
    expect(await login.removeLogin()).toBe(null)
    expect(stored()).toBe(null)
  })

  it('removes the tokens of a refresh under way', async () => {
    await login.storeLogin({ baseUrl, oauth }, tokensOf('a'))
    await refreshDuring(login.removeLogin)
    expect(readdirSync(dirname(login.tokensPath))).toEqual([])
  })

  it('removes what killed processes have left, and no other file', async () => {
    await login.storeLogin({ baseUrl, oauth }, tokensOf('a'))
    const left = ['tokens.json.lock', 'tokens.json.lock.tmp', 'login.json.lock.tmp', 'notes.txt']
    for (const name of left) writeFileSync(join(dirname(login.tokensPath), name), '')
    expect(await login.removeLogin()).toEqual({ baseUrl, oauth })
    expect(readdirSync(dirname(login.tokensPath))).toEqual(['notes.txt'])
  })
})

describe('storedLogin()', () => {
  it.skipIf(process.platform === 'win32').each(['640', '620', '604'])(
    'refuses a key that other users can read or replace, with mode %s',
    async (mode) => {
      await login.storeLogin({ baseUrl, apiKey: 'org_live_key' })
      chmodSync(login.loginPath, `0${mode}`)
      expect(() => login.storedLogin()).toThrow('can be read by other users')
    },
  )
})
