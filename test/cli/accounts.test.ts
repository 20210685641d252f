import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failed, recordsOf } from '../support/command-line.ts'
import { createSandbox, sandboxFlag } from '../support/sandbox.ts'
import { folder, sandbox, social, stateFolder, useCommand } from './command.ts'

useCommand()

const names = ['acme', 'globex'] as const
/** The services of two organizations: each refuses the key of the other. */
const services = new Map<string, ReturnType<typeof createSandbox>>()
const addressOf = (name: string) => `https://${name}.example/v1`
const keyOf = (name: string) => `key_of_${name}_0123456789`
const filesOf = () => readdirSync(join(folder, 'config/social-search'), { recursive: true }).sort()

beforeEach(async () => {
  for (const name of names)
    services.set(
      name,
      createSandbox({
        keys: [{ key: keyOf(name), scopes: ['search:read', 'org:read'] }],
        limits: { perMinute: false, inFlight: false },
      }),
    )
  vi.stubGlobal('fetch', (...request: ConstructorParameters<typeof Request>) => {
    const sent = new Request(...request)
    return (services.get(new URL(sent.url).hostname.split('.')[0] ?? '') ?? sandbox).fetch(sent)
  })
  for (const name of names) {
    const line = `login --account ${name} --base-url ${addressOf(name)}`
    expect(await social(line, { input: keyOf(name) })).toMatchObject({ code: 0 })
  }
})

const spentBy = (name: string) => services.get(name)?.ledger.spent ?? 0
describe('--account', () => {
  it('uses the login of that account alone, whatever the environment has', async () => {
    expect((await social('search coffee --account acme')).code).toBe(0)
    expect((await social('search coffee --account globex')).code).toBe(0)
    expect((await social('search coffee')).code).toBe(0)
    expect([spentBy('acme'), spentBy('globex'), sandbox.ledger.spent]).toEqual([2, 2, 2])
    expect(await social('search coffee --account initech')).toMatchObject(
      failed(3, 'there is no account initech; log in: social-search login --account initech'),
    )
    for (const name of ['../acme', 'Acme', '', '.'])
      expect(await social(['search', 'coffee', '--account', name])).toMatchObject(failed(2, 'lower-case'))
  })

  it('is SOCIAL_SEARCH_ACCOUNT by default, unless a key makes that ambiguous', async () => {
    vi.stubEnv('SOCIAL_SEARCH_ACCOUNT', 'acme')
    expect(await social('search coffee')).toMatchObject(failed(2, 'are both set'))
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    await social('search coffee')
    await social('search coffee --account globex')
    expect([spentBy('acme'), spentBy('globex')]).toEqual([2, 2])
    expect(await social('search coffee --account default')).toMatchObject(
      failed(3, 'no key for this address'),
    )
    vi.stubEnv('SOCIAL_SEARCH_ACCOUNT', undefined)
  })

  it('has a budget, limits and spending of its own, also at one address', async () => {
    const other = `login --account twin --base-url ${addressOf('acme')}`
    await social(other, { input: keyOf('acme') })
    expect((await social('budget 2/day --account acme')).out).toContain('of the account acme')
    expect((await social('search coffee --account acme')).code).toBe(0)
    const { code, err } = await social('search coffee --account acme')
    expect([code, err]).toEqual([5, expect.stringContaining('social-search budget 4/day --account acme')])
    for (const account of ['twin', 'globex'])
      expect((await social(`search coffee --account ${account} --budget 2/day`)).code).toBe(0)
    expect((await social('search coffee')).code).toBe(0)
    expect((await social('budget --account globex')).out).not.toContain('acme')
    expect((await social('budget --account twin')).out).toContain('2 spent')
    expect((await social('budget')).out).toContain('No budget is set for all commands. ')
    const state = join(stateFolder, 'social-search')
    for (const file of readdirSync(state))
      for (const name of names) expect(readFileSync(join(state, file)).includes(keyOf(name))).toBe(false)
  })

  it('has a budget of its own in the sandbox, too', async () => {
    const codeOf = async (account: string) =>
      (await social(`search coffee ${sandboxFlag} --budget 2/day --account ${account}`)).code
    expect([await codeOf('acme'), await codeOf('globex'), await codeOf('acme')]).toEqual([0, 0, 5])
  })

  it('logs out of one account, and keeps its key from everybody else', async () => {
    const file = join(folder, 'config/social-search/accounts/acme.json')
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(filesOf()).toEqual(['accounts', 'accounts/acme.json', 'accounts/globex.json'])
    expect((await social('logout --account acme')).code).toBe(0)
    expect([existsSync(file), filesOf()]).toEqual([false, ['accounts', 'accounts/globex.json']])
    expect((await social('search coffee --account acme')).code).toBe(3)
    expect((await social('search coffee --account globex')).code).toBe(0)
  })

  it('is part of the commands that errors suggest', async () => {
    services.get('acme')?.inject({ status: 401 })
    const { err } = await social('search coffee --account acme')
    expect(err).toContain('social-search login --account acme')
    expect(err).not.toContain('SOCIAL_SEARCH_API_KEY')
  })
})

describe('accounts', () => {
  it('lists addresses, budgets and the one in use, and no key', async () => {
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    await social('login', { input: sandbox.apiKey })
    await social('budget 200/day --account globex')
    const { out, err } = await social('accounts')
    expect(recordsOf(out)).toMatchObject([
      { account: 'default', budget: null, used: 'yes' },
      { account: 'acme', address: addressOf('acme'), budget: null, used: null },
      { account: 'globex', address: addressOf('globex'), budget: '200/day', used: null },
    ])
    const secrets = [...names.map(keyOf), sandbox.apiKey]
    for (const secret of secrets) expect(out + err).not.toContain(secret)
    expect(readFileSync(join(folder, 'config/social-search/login.json'), 'utf8')).toContain(sandbox.apiKey)
  })
})
