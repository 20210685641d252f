import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { recordsOf } from '../support/command-line.ts'
import { createSandbox, sandboxFlag } from '../support/sandbox.ts'
import { inTurn, sandbox, social, stateFolder, useCommand } from './command.ts'

useCommand()

const names = ['acme', 'globex'] as const
/** The services of two organizations: each refuses the key of the other. */
const services = new Map<string, ReturnType<typeof createSandbox>>()
const addressOf = (name: string) => `https://${name}.example/v1`
const keyOf = (name: string) => `key_of_${name}_0123456789`
const filesOf = () => readdirSync('config/social-search', { recursive: true }).sort()

beforeEach(async () => {
  for (const name of names) {
    const keys = [{ key: keyOf(name), scopes: ['search:read', 'org:read'] as const }]
    services.set(name, createSandbox({ keys, limits: { perMinute: false, inFlight: false } }))
  }
  vi.stubGlobal('fetch', (...request: ConstructorParameters<typeof Request>) => {
    const sent = new Request(...request)
    return (services.get(new URL(sent.url).hostname.split('.')[0] ?? '') ?? sandbox).fetch(sent)
  })
  for (const name of names)
    await social(`login --account ${name} --base-url ${addressOf(name)}`, { input: keyOf(name) })
})

const spentBy = (name: string) => services.get(name)?.ledger.spent ?? 0
const ofEach = (...lines: readonly string[]) => inTurn(...lines.map((line) => [line, 0] as const))

describe('--account', () => {
  it('uses the login of that account alone, whatever the environment has', async () => {
    await ofEach('search coffee --account acme', 'search coffee --account globex', 'search coffee')
    expect([spentBy('acme'), spentBy('globex'), sandbox.ledger.spent]).toEqual([2, 2, 2])
    await inTurn(
      ['search coffee --account initech', 3, 'there is no account initech; log in: social-search login'],
      ...['../acme', 'Acme', '', '.'].map(
        (name) => [['search', 'coffee', '--account', name], 2, 'lower-case'] as const,
      ),
    )
  })

  it('is SOCIAL_SEARCH_ACCOUNT by default, unless a key makes that ambiguous', async () => {
    vi.stubEnv('SOCIAL_SEARCH_ACCOUNT', 'acme')
    await inTurn(['search coffee', 2, 'are both set'])
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    await ofEach('search coffee', 'search coffee --account globex')
    expect([spentBy('acme'), spentBy('globex')]).toEqual([2, 2])
    await inTurn(['search coffee --account default', 3, 'no key for this address'])
    vi.stubEnv('SOCIAL_SEARCH_ACCOUNT', undefined)
  })

  it('has a budget, limits and spending of its own, also at one address', async () => {
    await social(`login --account twin --base-url ${addressOf('acme')}`, { input: keyOf('acme') })
    await inTurn(
      ['budget 2/day --account acme', 0, 'of the account acme'],
      ['search coffee --account acme', 0],
      ['search coffee --account acme', 5, 'social-search budget 4/day --account acme'],
    )
    await ofEach(
      ...['twin', 'globex'].map((name) => `search coffee --account ${name} --budget 2/day`),
      'search coffee',
    )
    await inTurn(
      ['budget --account globex', 0, /^(?![^]*acme)/],
      ['budget --account twin', 0, '2 spent'],
      ['budget', 0, 'No budget is set for all commands. '],
    )
    const state = join(stateFolder, 'social-search')
    for (const file of readdirSync(state))
      for (const name of names) expect(readFileSync(join(state, file)).includes(keyOf(name))).toBe(false)
  })

  it('has a budget of its own in the sandbox, too', () => {
    const line = `search coffee ${sandboxFlag} --budget 2/day --account`
    return inTurn([`${line} acme`, 0], [`${line} globex`, 0], [`${line} acme`, 5])
  })

  it('logs out of one account, and keeps its key from everybody else', async () => {
    const file = 'config/social-search/accounts/acme.json'
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(filesOf()).toEqual(['accounts', 'accounts/acme.json', 'accounts/globex.json'])
    await inTurn(['logout --account acme', 0], ['search coffee --account acme', 3])
    expect(filesOf()).toEqual(['accounts', 'accounts/globex.json'])
    await ofEach('search coffee --account globex')
  })

  it('is part of the commands that errors suggest', async () => {
    services.get('acme')?.inject({ status: 401 })
    const said = /^(?![^]*SOCIAL_SEARCH_API_KEY)[^]*social-search login --account acme/
    await inTurn(['search coffee --account acme', 3, said])
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
    expect(readFileSync('config/social-search/login.json', 'utf8')).toContain(sandbox.apiKey)
  })
})
