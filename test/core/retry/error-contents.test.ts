import { describe, expect, it } from 'vitest'
import { virtualTime } from '../../support/clock.ts'
import { failure, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('the error of search()', () => {
  it('names both causes and the scopes when the status is 403', async () => {
    service.script(new Response('', { status: 403 }))
    const { error } = await service.search()
    expect((error as Error).message).toMatch(/lacks search:read, or the member/)
  })

  it('has a requestId of one short line', async () => {
    service.script(failure(502, 'upstream_error', { top: { requestId: `a\r\nb${'x'.repeat(9999)}` } }))
    const { error } = await service.search({ retry: false })
    expect(error).toMatchObject({ requestId: expect.stringMatching(/^abx{126}$/) })
  })
})
