import { describe, expect, it, vi } from 'vitest'
import { sandboxFlag } from '../support/sandbox.ts'
import { inTurn, sandbox, social, useCommand } from './command.ts'

const onlyOrg = { key: 'only_org', scopes: ['org:read'] as const }
useCommand({ keys: [onlyOrg] })

describe('doctor', () => {
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
