import { describe, expect, it } from 'vitest'
import { failed } from '../support/command-line.ts'
import { search, server, social, useCommand, withoutKey } from './command.ts'

useCommand()

describe('exit codes', () => {
  it('are 1 when nothing listens at the address', async () => {
    const line = `${search} --base-url http://127.0.0.1:9/v1`
    expect(await social(line)).toMatchObject(failed(1, 'nothing was sent'))
  })

  it('are 3 without a key or with a wrong one, and no message contains it', async () => {
    const key = 'sandbox_wrong_key_0123456789'
    const wrong = await social(search, { env: { SOCIAL_SEARCH_API_KEY: key } })
    const none = await withoutKey(`${search} --base-url ${server.baseUrl}`)
    expect([wrong.code, none.code]).toEqual([3, 3])
    expect(wrong.err + none.err).not.toContain(key)
  })

  it('are 4 when the service refuses, 5 for a budget and 6 if a call may have been charged', async () => {
    server.inject({ status: 400 })
    expect((await social(search)).code).toBe(4)
    const budget = await social(`${search} --all --budget 3`)
    expect([budget.code, budget.out.split('\n').length]).toEqual([5, 21])
    server.inject({ reset: 'after' })
    expect((await social(`${search} --json`)).code).toBe(6)
  })

  it('are 6 if a change may have been applied, and the error says so', async () => {
    const change = `mentions set-state men_764dbb8c410af7ff --body '{"state":"seen"}'`
    const options = { env: { SOCIAL_SEARCH_API_KEY: server.writeKey } }
    server.inject({ reset: 'after', times: 2 })
    expect(await social(change, options)).toMatchObject(failed(6, 'it may have been applied'))
    const { code, err } = await social(`${change} --json`, options)
    expect([code, JSON.parse(err)]).toMatchObject([6, { applied: 'unknown', charged: 'no' }])
  })

  it('come with one JSON object of the error on stderr if --json is set', async () => {
    server.inject({ reset: 'after' })
    expect(JSON.parse((await social(`${search} --json`)).err)).toMatchObject({
      ...{ name: 'ConnectionError', charged: 'unknown', operation: 'microblog.search' },
    })
    expect(JSON.parse((await social('--json nothing')).err)).toMatchObject({ code: 'usage' })
  })

  it('come with a paid but invalid response on stderr', async () => {
    server.inject({ body: { requestId: 'r', posts: [{ id: 'paid' }], meta: {} }, status: 200 })
    expect(await social(search)).toMatchObject(failed(4, '"id":"paid"'))
  })
})
