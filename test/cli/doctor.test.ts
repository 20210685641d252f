import { describe, expect, it, vi } from 'vitest'
import { sandbox, social, useCommand } from './command.ts'

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
    const { code, out } = await social('doctor')
    expect([code, out]).toEqual([3, expect.stringContaining('✓ scope org:read')])
    expect(out).toContain(
      '✗ scope search:read: missing; create a key with search:read under Integrations > API keys',
    )
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', '')
    expect((await social('doctor')).out).toContain('search coffee --sandbox')
  })

  it.each([
    ['search coffee', 1],
    ['doctor', 1],
  ])('%s says that Node ignores HTTPS_PROXY when the host does not resolve', async (line, failed) => {
    const cause = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })))
    const run = async (): Promise<string> => {
      const { code, out, err } = await social(line)
      expect(code).toBe(failed)
      return out + err
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '')
    vi.stubEnv('HTTPS_PROXY', '')
    expect(await run()).not.toContain('NODE_USE_ENV_PROXY')
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:8080')
    expect((await run()).replaceAll(/\s+/g, ' ')).toContain('Set NODE_USE_ENV_PROXY=1 as well')
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    expect(await run()).not.toContain('NODE_USE_ENV_PROXY')
  })

  it('says that fetch refuses the port, and sends nobody to itself', async () => {
    const cause = new Error('bad port')
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })))
    for (const line of ['doctor', 'search coffee']) {
      const { out, err } = await social(line)
      const text = (out + err).replaceAll(/\s+/g, ' ')
      expect(text).toContain('This port is on the list that fetch blocks')
      expect(text).not.toContain('social-search doctor')
    }
    vi.stubGlobal('fetch', () =>
      Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
    )
    expect((await social('doctor')).out).not.toContain('social-search doctor')
  })

  it('says that the address lacks /v1', async () => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', 'https://service.example')
    expect((await social('doctor')).out.replaceAll(/\s+/g, ' ')).toMatch(
      /✗ service: .*404.* baseUrl lacks \/v1/,
    )
  })
})
