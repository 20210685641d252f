import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PermissionDeniedError } from '../../src/index.ts'
import type { Fault } from '../../src/extensions/sandbox/index.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { post, setUp } from './setup.ts'

const log = vi.spyOn(console, 'error')
beforeEach(() => {
  useVirtualTime()
  log.mockReset().mockReturnValue()
})
afterEach(() => vi.useRealTimers())

const forbidden: Fault = { status: 403, body: { requestId: 'req_7', error: { code: 'forbidden' } } }
const firewall: Fault = { status: 403, body: '<h1>Forbidden</h1>' }

describe('createProxy() whose credential the service refuses', () => {
  it.each<[string, Fault, status: number]>([
    ['is revoked', { status: 401 }, 401],
    ['lacks a scope', forbidden, 403],
  ])('sends a free 502 without the reason when it %s', async (_, fault, status) => {
    const { proxy, sandbox } = setUp()
    sandbox.inject(fault)
    const { value } = await settle(post(proxy))
    const { requestId, error } = (await value!.json()) as { requestId: string; error: object }
    expect(value?.status).toBe(502)
    expect(requestId).toMatch(/^req_/)
    expect(error).toEqual({
      code: 'service_refused_proxy',
      message: `the service refused the proxy with ${status}; tell the operator of the proxy`,
      charged: 'no',
    })
    expect(value?.headers.get('social-search-credits')).toBe('spent=0, uncertain=0, charged=no')
  })

  it('is an UpstreamError that the page does not retry, and costs nothing', async () => {
    const { browser, sandbox } = setUp()
    sandbox.inject({ status: 401 })
    const { error } = await settle(browser.microblog.search({ query: 'coffee' }))
    expect(error).toMatchObject({ name: 'UpstreamError', code: 'service_refused_proxy', charged: 'no' })
    expect(browser.credits).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
    expect(sandbox.requests).toHaveLength(1)
  })

  it('gives onError the missing scopes', async () => {
    const { proxy, sandbox, failures } = setUp()
    sandbox.inject(forbidden)
    await settle(post(proxy))
    expect(failures).toMatchObject([
      [{ name: 'PermissionDeniedError', requiredScopes: ['search:read'] }, { requestId: 'req_7' }],
    ])
  })

  it('says that credits are uncertain when a firewall refused a paid call', async () => {
    const { browser, sandbox } = setUp()
    sandbox.inject(firewall)
    const { error } = await settle(browser.microblog.search({ query: 'coffee' }))
    expect(error).toMatchObject({ code: 'service_refused_proxy', charged: 'unknown' })
    expect((error as PermissionDeniedError).message).not.toContain('search:read')
    expect(browser.credits).toMatchObject({ spent: 0, uncertain: 2 })
  })

  it('has not applied a write', async () => {
    const { browser } = setUp()
    const { error } = await settle(browser.mentions.setState('men_1', { state: 'done' }))
    expect(error).toMatchObject({ code: 'service_refused_proxy', applied: 'no', attempts: { length: 1 } })
  })

  it('logs each cause once without onError', async () => {
    const { proxy } = setUp({ onError: undefined }, { backend: { apiKey: 'revoked_key_1' } })
    for (let i = 0; i < 2; i++) expect((await settle(post(proxy))).value?.status).toBe(502)
    expect(log.mock.calls).toEqual([
      [
        'the proxy responded to microblog.search with 502; AuthenticationError: microblog.search: ' +
          'the service refused the key (401): Missing or unknown credential. Sign in again, or replace `apiKey`. (pass onError to see each error)',
      ],
    ])
  })
})
