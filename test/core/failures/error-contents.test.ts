import { describe, expect, it } from 'vitest'
import { settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('the error of a call', () => {
  it.each([
    [400, 'validation_error'],
    [401, 'unauthorized'],
    [429, 'rate_limited'],
    [502, 'upstream_error'],
    [503, 'professionalnet_unavailable'],
  ])('has the same class and code for a %i of a gateway as for one of the service', async (status, code) => {
    service.script(new Response('<h1>Busy</h1>', { status }))
    const { error } = await service.search({ retry: false })
    service.script(failure(status, code))
    const { error: own } = await service.search({ retry: false })
    expect(error).toMatchObject({ name: (own as Error).name, code, gateway: true, charged: 'unknown' })
    expect(own).toMatchObject({ code, charged: 'no' })
    expect(own).not.toHaveProperty('gateway')
  })

  it('has the body of the last attempt alone', async () => {
    service.script(new Response('<h1>Hello</h1>'), failure(404, 'not_found'))
    const { error } = await settle(makeClient().organization.usage())
    expect(error).toMatchObject({ code: 'not_found', attempts: [{ outcome: 'invalid_response' }, {}] })
    expect(error).not.toHaveProperty('body')
  })
})
