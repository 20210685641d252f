import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closed, listening } from '../support/listening.ts'
import { failed } from '../support/command-line.ts'
import { command, search, server, social, useCommand, withoutKey } from './command.ts'

useCommand()

const nowhere = 'http://127.0.0.1:9/v1'
/** Stores a key for an address. */
const login = (address: string, flags = '', key = server.apiKey) =>
  withoutKey(`login --base-url ${address} ${flags}`, { input: `${key}\n` })

describe('login', () => {
  it('stores a key from stdin in a private file, and sends it only to its base URL', async () => {
    const stored = join(command.folder, 'config/social-search/login.json')
    const { code, out, err } = await login(server.baseUrl)
    expect([code, (out + err).includes(server.apiKey)]).toEqual([0, false])
    expect([out, server.ledger.spent]).toEqual([expect.stringContaining('accepted by the service'), 0])
    expect(statSync(stored).mode & 0o777).toBe(0o600)
    expect((await withoutKey(search)).code).toBe(0)
    expect(await withoutKey(`${search} --base-url ${nowhere}`)).toMatchObject(
      failed(3, 'no key for this address'),
    )
    expect((await withoutKey('logout')).code).toBe(0)
    expect((await withoutKey(search)).code).toBe(3)
  })

  it('keeps the logins of profiles apart', async () => {
    expect((await login(nowhere, '--no-check')).code).toBe(0)
    expect((await login(server.baseUrl, '--profile work')).code).toBe(0)
    // A profile goes before the variables.
    const variables = { SOCIAL_SEARCH_BASE_URL: nowhere, SOCIAL_SEARCH_API_KEY: 'wrong' }
    const work = { SOCIAL_SEARCH_PROFILE: 'work' }
    for (const [flag, env] of [
      ['--profile work', variables],
      ['--profile=work', {}],
      ['', { ...variables, ...work }],
    ] as const)
      expect((await withoutKey(`${search} ${flag}`, { env })).code).toBe(0)
    // One of the requests has checked the key at login.
    expect(server.requests).toHaveLength(4)

    expect(await withoutKey(`${search} --profile home`)).toMatchObject(failed(3, 'login --profile home'))
    expect((await withoutKey(search, { env: { SOCIAL_SEARCH_PROFILE: '../work' } })).code).toBe(2)
    await withoutKey('logout --profile work')
    expect((await withoutKey(`${search} --profile work`)).code).toBe(3)
    expect(await withoutKey(search)).toMatchObject(failed(1, ''))
  })

  it('stores no key that the service refuses or that cannot be checked, unless --no-check is set', async () => {
    const key = 'a_key_of_nobody'
    expect(await login(server.baseUrl, '', key)).toMatchObject(
      failed(3, '--no-check stores the key unchecked'),
    )
    expect((await login(nowhere, '', key)).code).toBe(1)
    expect((await withoutKey(search)).code).toBe(3)
    expect(server.requests).toHaveLength(1)
    expect((await login(server.baseUrl, '--no-check', key)).code).toBe(0)
    expect((await withoutKey(search)).code).toBe(3)
    expect(server.requests).toHaveLength(2)
  })

  it('stores a key that SOCIAL_SEARCH_API_KEY goes before', async () => {
    await login(server.baseUrl, '--no-check', 'a_key_of_nobody')
    expect((await social(search)).code).toBe(0)
  })

  it('requests every scope that reads and offline_access, and any free port, unless flags name others', async () => {
    const issuer = createServer((_, response) => response.end(JSON.stringify(metadata)))
    const origin = await listening(issuer)
    const metadata = {
      ...{ issuer: origin, authorization_endpoint: `${origin}/a`, token_endpoint: `${origin}/t` },
    }
    const addressOf = async (flags: string) => {
      const line = `login --issuer ${origin} --client-id x --timeout 0.1 ${flags}`
      const { code, err } = await social(line, { input: null })
      const { searchParams } = new URL(/^http.*$/m.exec(err)?.[0] ?? '')
      return [code, searchParams.get('scope'), searchParams.get('redirect_uri')]
    }
    const scopes = 'search:read mentions:read listeners:read feeds:read org:read offline_access'
    const anyPort = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) as unknown
    expect(await addressOf('')).toEqual([3, scopes, anyPort])
    const free = createServer()
    const { port } = new URL(await listening(free))
    await closed(free)
    expect(await addressOf(`--port ${port} --scopes org:read,search:read`)).toEqual([
      ...[3, 'org:read search:read', `http://127.0.0.1:${port}/callback`],
    ])
    await closed(issuer)
  })
})

describe('logout', () => {
  it('deletes the stored answers of its login, and no others', async () => {
    const cached = 'search coffee --cache 1h --sandbox'
    const stored = () =>
      readdirSync(join(command.folder, 'cache/social-search'), { recursive: true }).map(String).toSorted()
    for (const flags of ['', '--profile work']) {
      expect((await login(nowhere, `--no-check ${flags}`)).code).toBe(0)
      for (const said of ['', '0 credits, 2 saved'])
        expect((await social(`${cached} ${flags}`)).err).toContain(said)
    }
    expect(stored()).toEqual(['answers.sqlite', 'profiles', 'profiles/work', 'profiles/work/answers.sqlite'])
    expect((await social('logout --profile work')).code).toBe(0)
    expect(stored()).toEqual(['answers.sqlite', 'profiles', 'profiles/work'])
    await social('logout --profile work')
    expect(stored()).toContain('answers.sqlite')
    await social('logout')
    expect(stored()).toEqual(['profiles', 'profiles/work'])
  })
})
