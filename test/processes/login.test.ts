import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveSandbox } from '../../src/sandbox/node.ts'
import { run } from './command.ts'
import { command, search, server, social, useCommand } from './served-command.ts'

useCommand()

describe('login', () => {
  const config = () => ({ XDG_CONFIG_HOME: join(command.folder, 'config'), HOME: command.folder })
  const stored = () => join(command.folder, 'config/social-search/login.json')

  it('stores a key from stdin in a private file, and sends it only to its base URL', async () => {
    const options = { env: config(), input: `${server.apiKey}\n` }
    const { code, out, err } = await run(command, ['login', '--base-url', server.baseUrl], options)
    expect([code, (out + err).includes(server.apiKey)]).toEqual([0, false])
    expect([out, server.ledger.spent]).toEqual([expect.stringContaining('accepted by the service'), 0])
    expect(statSync(stored()).mode & 0o777).toBe(0o600)
    expect((await run(command, search, { env: config() })).code).toBe(0)
    const other = await run(command, [...search, '--base-url', 'http://127.0.0.1:9/v1'], { env: config() })
    expect([other.code, other.err]).toEqual([3, expect.stringContaining('no key for this address')])
    chmodSync(stored(), 0o644)
    expect((await run(command, search, { env: config() })).err).toContain('can be read by other users')
    expect((await run(command, ['logout'], { env: config() })).code).toBe(0)
    expect((await run(command, search, { env: config() })).code).toBe(3)
  })

  it('keeps the logins of profiles apart, and names them without their keys', async () => {
    const env = { XDG_CONFIG_HOME: join(command.folder, 'profiles'), HOME: command.folder }
    const login = (address: string, ...more: string[]) =>
      run(command, ['login', '--base-url', address, ...more], { env, input: `${server.apiKey}\n` })
    const at = 'http://127.0.0.1:9/v1'
    expect((await login(at, '--no-check')).code).toBe(0)
    expect((await login(server.baseUrl, '--profile', 'work')).code).toBe(0)
    // A profile goes before the variables.
    const variables = { SOCIAL_SEARCH_BASE_URL: at, SOCIAL_SEARCH_API_KEY: 'wrong' }
    for (const [args, more] of [
      [['--profile', 'work'], variables],
      [['--profile=work'], {}],
      [[], { ...variables, SOCIAL_SEARCH_PROFILE: 'work' }],
    ] as const)
      expect((await run(command, [...search, ...args], { env: { ...env, ...more } })).code).toBe(0)
    // One of the requests has checked the key at login.
    expect(server.requests).toHaveLength(4)

    const listed = (await run(command, ['config'], { env: { ...env, SOCIAL_SEARCH_PROFILE: 'work' } })).out
    expect(listed).not.toContain(server.apiKey)
    expect(
      listed
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { profile: null, isUsed: false, baseUrl: at, login: 'key' },
      { profile: 'work', isUsed: true, baseUrl: server.baseUrl, login: 'key' },
    ])
    const none = await run(command, [...search, '--profile', 'home'], { env })
    expect([none.code, none.err]).toEqual([3, expect.stringContaining('login --profile home')])
    for (const name of ['../work', ''])
      expect((await run(command, [...search, '--profile', name], { env })).code).toBe(2)
    expect((await run(command, search, { env: { ...env, SOCIAL_SEARCH_PROFILE: '../work' } })).code).toBe(2)
    await run(command, ['logout', '--profile', 'work'], { env })
    expect((await run(command, ['config'], { env })).out.trimEnd().split('\n')).toHaveLength(1)
  })

  it('stores no key that the service refuses or that cannot be checked, unless --no-check is set', async () => {
    const env = { XDG_CONFIG_HOME: join(command.folder, 'unchecked'), HOME: command.folder }
    const login = (address: string, ...more: string[]) =>
      run(command, ['login', '--base-url', address, ...more], { env, input: 'a_key_of_nobody' })
    const refused = await login(server.baseUrl)
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining('--no-check stores the key unchecked'),
    ])
    expect((await login('http://127.0.0.1:9/v1')).code).toBe(1)
    expect((await run(command, ['config'], { env })).out).toBe('')
    expect((await login(server.baseUrl, '--no-check')).code).toBe(0)
    expect((await run(command, ['config'], { env })).out).toContain(server.baseUrl)
  })

  it('refuses an input that is not a key', async () => {
    const { code } = await run(command, ['login', '--base-url', server.baseUrl], {
      env: config(),
      input: ' \n',
    })
    expect(code).toBe(2)
  })
})

describe('doctor', () => {
  it('reports no problem with the documented service, for free', async () => {
    const { code, out } = await social(['doctor'])
    expect([code, server.ledger.spent]).toEqual([0, 0])
    expect(out).not.toContain('FAIL')
  })

  it('prints each problem and its solution', async () => {
    const { baseUrl, close } = await serveSandbox({ keys: [{ key: 'only_org', scopes: ['org:read'] }] })
    onTestFinished(close)
    const variables = { SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: 'only_org' }
    const { code, out } = await social(['doctor'], { env: variables })
    expect(code).toBe(3)
    expect(out).toContain('FAIL  scope search:read: missing; create a key, or log in, with search:read')
    expect(out).toContain('ok    scope org:read')
    expect((await run(command, ['doctor'])).out).toContain('set SOCIAL_SEARCH_BASE_URL')
  })

  it('says that the address lacks /v1', async () => {
    const { out } = await social(['doctor'], {
      env: { SOCIAL_SEARCH_BASE_URL: server.baseUrl.replace('/v1', '') },
    })
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(/FAIL service: .*404.* baseUrl: it lacks \/v1/)
  })
})
