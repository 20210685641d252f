import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type * as StoredLogin from '../../src/cli/stored-login.ts'

const folder = mkdtempSync(join(tmpdir(), 'login-'))
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
  rmSync(folder, { recursive: true })
})

const baseUrl = 'https://api.example/v1'
const oauth = {
  ...{ issuer: 'https://login.example', clientId: 'cli', redirectUri: 'http://127.0.0.1/callback' },
  ...{
    scopes: [],
    endpoints: { authorization: 'https://login.example/a', token: 'https://login.example/t' },
  },
}

describe('storeLogin()', () => {
  it.each([
    ['a key', { baseUrl, apiKey: 'org_live_key' }],
    ['another OAuth client', { baseUrl, oauth }],
  ])('removes the tokens of the previous login when it stores %s', (_, next) => {
    login.storeLogin({ baseUrl, oauth: { ...oauth, clientId: 'previous' } })
    writeFileSync(login.tokensPath, '{"refreshToken":"of the previous login"}')
    login.storeLogin(next)
    expect(login.storedLogin()).toEqual(next)
    expect(existsSync(login.tokensPath)).toBe(false)
  })
})

describe('storedLogin()', () => {
  it.skipIf(process.platform === 'win32').each(['640', '620', '604'])(
    'refuses a key that other users can read or replace, with mode %s',
    (mode) => {
      login.storeLogin({ baseUrl, apiKey: 'org_live_key' })
      chmodSync(login.loginPath, `0${mode}`)
      expect(() => login.storedLogin()).toThrow('can be read by other users')
    },
  )
})
