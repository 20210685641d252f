import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../src/extensions/sandbox/index.ts'
import { failed } from '../support/command-line.ts'
import { sandbox, social, useCommand } from './command.ts'

useCommand()

const search = 'search coffee'
const change = `mentions set-state men_764dbb8c410af7ff --params '{"state":"seen"}'`
const paid = { body: { requestId: 'r', posts: [{ id: 'paid' }], meta: {} }, status: 200 }

describe('exit codes', () => {
  it.each<[number, string, string, string, Fault?]>([
    [3, 'a scope is missing', change, 'a key with mentions:write and mentions:read', { status: 403 }],
    [4, 'the service refuses', search, 'the service refused the request (400)', { status: 400 }],
    [4, 'a paid response is invalid', search, '"id":"paid"', paid],
    [5, 'a budget is spent', `${search} --all --budget 3`, 'budget'],
    [6, 'a call may have been charged', search, 'may have been charged', { reset: 'after' }],
    [6, 'a change may have been applied', change, 'The change may have been applied', { reset: 'after' }],
  ])('are %i when %s', async (code, _, line, message, fault) => {
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', sandbox.writeKey)
    if (fault !== undefined) sandbox.inject(fault)
    expect(await social(line)).toMatchObject(failed(code, message))
  })

  it('are 3 without a key or with a wrong one, and no message contains it', async () => {
    for (const key of ['', 'sandbox_wrong_key_0123456789']) {
      vi.stubEnv('SOCIAL_SEARCH_API_KEY', key)
      const { code, err } = await social(search)
      expect([code, key !== '' && err.includes(key)]).toEqual([3, false])
    }
  })
})

describe('an error', () => {
  const blocked = 'Use a key with search:read, or ask whoever runs the proxy to allow the request.\n'
  const page = 'charged 2 credits. Check the base URL.\nThe response:\n"<title>Log in</title>"\n'
  const error = { code: 'internal_error', message: 'Try again.' }

  it.each<[why: string, said: string, fault: Fault]>([
    [
      'a firewall refused',
      `Blocked). You may have been charged 2 credits. ${blocked}`,
      { status: 403, body: '<h1>Blocked</h1>' },
    ],
    ['a page came instead of an answer', page, { status: 200, body: '<title>Log in</title>' }],
    [
      'the service ended its own sentence',
      'the service answered 500: Try again. Nothing was charged. Retry later.\n',
      { status: 500, body: { requestId: 'r', error } },
    ],
  ])('says what to do when %s', async (_, said, fault) => {
    sandbox.inject(fault)
    expect((await social(search)).err).toContain(said)
  })
})
