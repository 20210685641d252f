import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { failed } from '../support/command-line.ts'
import { sandboxFlag } from '../support/sandbox.ts'
import { inTurn, sandbox, social, useCommand } from './command.ts'

const stored = 'config/social-search/login.json'
const logIn = (key = sandbox.apiKey) => social('login', { input: `${key}\n` })
const onPosix = it.skipIf(process.platform === 'win32')

describe('login', () => {
  useCommand()

  it('stores a key from stdin in a private file, and sends it only to its base URL', async () => {
    const { code, out, err } = await logIn()
    expect([code, out + err]).toEqual([0, expect.stringContaining('accepted by the service')])
    expect([(out + err).includes(sandbox.apiKey), sandbox.ledger.spent]).toEqual([false, 0])
    if (process.platform !== 'win32') expect(statSync(stored).mode & 0o777).toBe(0o600)
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    await inTurn(['search coffee', 0])
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', 'https://other.example/v1')
    await inTurn(['search coffee', 3, 'no key for this address'])
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', undefined)
    await inTurn(['search coffee', 0], ['logout', 0], ['search coffee', 3])
  })

  it('stores no key that the service refuses or that cannot be checked, and SOCIAL_SEARCH_API_KEY goes before it', async () => {
    expect(await logIn('a_key_of_nobody')).toMatchObject(failed(3, 'nothing is stored'))
    expect(existsSync(stored)).toBe(false)
    await logIn()
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', 'a_key_of_nobody')
    await inTurn(['search coffee', 3])
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
    expect((await logIn('another')).code).toBe(1)
    expect(readFileSync(stored, 'utf8')).toContain(sandbox.apiKey)
  })
})

describe('login in a terminal', () => {
  useCommand({}, ['stdin'])

  it('asks for the key, and does not show it', async () => {
    const { code, out, err } = await logIn()
    expect([code, err, out.includes(sandbox.apiKey)]).toEqual([0, 'API key: \n', false])
  })
})

describe('a stored login', () => {
  useCommand()

  it('replaces the one before, and logout removes it with what a killed process has left', async () => {
    await logIn()
    const before = readFileSync(stored, 'utf8')
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', 'https://other.example/v1')
    expect((await logIn()).code).toBe(0)
    expect(readFileSync(stored, 'utf8')).not.toBe(before)
    writeFileSync(`${stored}.new`, sandbox.apiKey)
    await inTurn(['logout', 0, 'the key itself is still valid'])
    expect(readdirSync('config/social-search')).toEqual([])
    await inTurn(['logout', 0, /^You are not logged in\n$/])
  })

  onPosix('has mode 600 when a killed process has left a file of another mode', async () => {
    mkdirSync(dirname(stored), { recursive: true })
    writeFileSync(`${stored}.new`, '', { mode: 0o644 })
    expect((await logIn()).code).toBe(0)
    expect(statSync(stored).mode & 0o777).toBe(0o600)
  })

  onPosix.each(['640', '620', '604'])('is refused when others can read or replace it: %s', async (mode) => {
    await logIn()
    chmodSync(stored, `0${mode}`)
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    await inTurn(['search coffee', 3, 'can be read by other users'])
    expect(existsSync(stored)).toBe(true)
  })
})

describe.skipIf(process.platform === 'win32')('without a folder of the user', () => {
  useCommand()

  const unset = { XDG_CONFIG_HOME: undefined, XDG_STATE_HOME: '' }
  const relative = { XDG_CONFIG_HOME: 'config', XDG_STATE_HOME: 'state' }
  it.each([
    ['an empty HOME', { HOME: '', ...unset }, 1, 'no home folder'],
    ['a relative HOME', { HOME: '.', ...unset }, 1, 'no home folder'],
    ['a relative path', relative, 2, 'must be an absolute path'],
  ])('nothing is written into the current one: %s', async (_, env, code, message) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    expect(await logIn()).toMatchObject(failed(code, message))
    await inTurn(['budget 4/day', code, message], ['logout --account acme', code, message])
    expect(readdirSync('.')).toEqual([])
  })

  it('a command works that finds its key elsewhere, and one that keeps a budget says what it needs', async () => {
    for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME']) vi.stubEnv(name, '')
    await inTurn(['search coffee', 0], ['search coffee --budget 4/day', 1, 'set HOME, or XDG_STATE_HOME'])
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    await inTurn(['search coffee', 3, 'no key for this address'])
    expect([sandbox.requests.length, readdirSync('.')]).toEqual([1, []])
  })
})

const onlyOrg = { key: 'only_org', scopes: ['org:read'] as const }

describe('doctor', () => {
  useCommand({ keys: [onlyOrg] })

  it('reports no problem with the documented service, for free, and does not check mentions:write', async () => {
    const { code, out } = await social('doctor')
    expect([code, sandbox.ledger.spent]).toEqual([0, 0])
    const origin = `${process.env['SOCIAL_SEARCH_BASE_URL']}, with the key of SOCIAL_SEARCH_API_KEY`
    expect(out).toContain(`✓ address and key: ${origin}`)
    expect(out).toContain('✓ scope mentions:read')
    expect(out).not.toMatch(/✗|mentions:write/)
  })

  it('prints each problem and its solution', async () => {
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', onlyOrg.key)
    const missing = 'scope search:read: missing; create a key with search:read under Integrations > API keys'
    await inTurn(['doctor', 3, `✗ ${missing}`], ['doctor', 3, '✓ scope org:read'])
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', '')
    await inTurn(['doctor', 3, `search coffee ${sandboxFlag}`])
  })

  const unresolved = { code: 'ENOTFOUND', syscall: 'getaddrinfo' }
  const [proxy, advice] = ['http://proxy.example:8080', 'Set NODE_USE_ENV_PROXY=1 as well']
  it.each<[object, env: object, said: string, unsaid?: string]>([
    [unresolved, { HTTPS_PROXY: '', NODE_USE_ENV_PROXY: '' }, 'ENOTFOUND', advice],
    [unresolved, { HTTPS_PROXY: proxy, NODE_USE_ENV_PROXY: '' }, advice],
    [unresolved, { HTTPS_PROXY: proxy, NODE_USE_ENV_PROXY: '1' }, 'ENOTFOUND', advice],
    [{ code: 'ECONNREFUSED' }, {}, 'ECONNREFUSED'],
  ])(
    'says what to do when no connection opens, as a search does, and sends nobody to itself: %j %j',
    async (cause, env, said, unsaid = '\0') => {
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, String(value))
      vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })))
      for (const line of ['doctor', 'search coffee']) {
        const { code, out, err } = await social(line)
        const text = (out + err).replaceAll(/\s+/g, ' ')
        expect([code, text]).toEqual([1, expect.stringContaining(said)])
        expect(text).not.toContain(unsaid)
        if (line === 'doctor') expect(text).not.toContain('social-search doctor')
      }
    },
  )

  it('says that the address lacks /v1', async () => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', 'https://service.example')
    await inTurn(['doctor', 4, /✗ service: .*404.*\s+baseUrl\s+lacks\s+\/v1/])
  })
})
