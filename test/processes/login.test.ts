import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failed } from '../support/command-line.ts'
import { command, search, server, social, useCommand, withoutKey } from './command.ts'

useCommand()

const nowhere = 'http://127.0.0.1:9/v1'
/** Stores a key for an address. */
const login = (address: string, key = server.apiKey) =>
  withoutKey(`login --base-url ${address}`, { input: `${key}\n` })

describe('login', () => {
  it('stores a key from stdin in a private file, and sends it only to its base URL', async () => {
    const stored = join(command.folder, 'config/social-search/login.json')
    const { code, out, err } = await login(server.baseUrl)
    expect([code, (out + err).includes(server.apiKey)]).toEqual([0, false])
    expect([out, server.ledger.spent]).toEqual([expect.stringContaining('accepted by the service'), 0])
    expect(statSync(stored).mode & 0o777).toBe(0o600)
    expect((await withoutKey(search)).code).toBe(0)
    expect(await withoutKey(search, { env: { SOCIAL_SEARCH_BASE_URL: nowhere } })).toMatchObject(
      failed(3, 'no key for this address'),
    )
    expect((await withoutKey('logout')).code).toBe(0)
    expect((await withoutKey(search)).code).toBe(3)
  })

  it('stores no key that the service refuses or that cannot be checked', async () => {
    const key = 'a_key_of_nobody'
    expect(await login(server.baseUrl, key)).toMatchObject(failed(3, 'nothing is stored'))
    expect((await login(nowhere, key)).code).toBe(1)
    expect((await withoutKey(search)).code).toBe(3)
    expect(server.requests).toHaveLength(1)
  })

  it('stores a key that SOCIAL_SEARCH_API_KEY goes before', async () => {
    await login(server.baseUrl)
    const env = { SOCIAL_SEARCH_API_KEY: 'a_key_of_nobody' }
    expect((await social(search, { env })).code).toBe(3)
  })
})
