import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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
const scopes = { name: 'PermissionDeniedError', requiredScopes: ['search:read'] }

describe('createProxy() whose credential the service refuses', () => {
  it.each<[string, Fault, charged: string, uncertain: number, failure: object]>([
    ['is revoked', { status: 401 }, 'no', 0, { name: 'AuthenticationError' }],
    ['lacks a scope', forbidden, 'no', 0, scopes],
    ['is stopped by a firewall', firewall, 'unknown', 2, { name: 'PermissionDeniedError' }],
  ])('sends a 502 that the page does not retry when it %s', async (_, fault, charged, uncertain, failure) => {
    const { browser, proxy, sandbox, failures } = setUp()
    sandbox.inject({ ...fault, times: 2 })
    const { error } = await settle(browser.microblog.search({ query: 'coffee' }))
    expect(error).toMatchObject({ name: 'UpstreamError', code: 'service_refused_proxy', charged })
    expect(browser.credits).toMatchObject({ spent: 0, uncertain, reserved: 0 })
    expect(failures).toMatchObject([[failure, {}]])
    expect(sandbox.requests).toHaveLength(1)
    const { value } = await settle(post(proxy))
    const credits = `spent=0, uncertain=${uncertain}, charged=${charged}`
    expect(value?.headers.get('social-search-credits')).toBe(credits)
    // It does not say which scope the credential lacks.
    const message = `the service refused the proxy with ${fault.status}; tell the operator of the proxy`
    const refused = { code: 'service_refused_proxy', message, charged }
    expect(await value?.json()).toEqual({ requestId: expect.any(String), error: refused })
  })
})
