// What docs/oauth.md promises, and no other test shows.
import { describe, expect, it, vi } from 'vitest'
import { ReauthorizationRequiredError } from '../../src/extensions/oauth/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { query } from '../support/search.ts'
import { makeOAuth, passQuickly, setUp, tokenSet } from './helpers.ts'

virtualTime()

describe('createOAuthClient()', () => {
  it('requests no metadata when it gets endpoints beside the issuer', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>()
    const oauth = await makeOAuth({ issuer: 'https://as.example', fetch })
    expect((await oauth.authorizationUrl()).url).toMatch('https://as.example/authorize?')
    expect(fetch).not.toHaveBeenCalled()
  })
})

describe('a session whose store was emptied', () => {
  it('uses the token in memory until it expires, and then requires a new authorization', async () => {
    const { client, store, server, bearers } = await setUp(tokenSet())
    await settle(client.microblog.search(query))
    store.held = null
    expect((await settle(client.microblog.search(query))).value?.posts).toHaveLength(1)
    passQuickly(3_600_000)
    const { error } = await settle(client.microblog.search(query))
    expect(error).toBeInstanceOf(ReauthorizationRequiredError)
    expect([error, bearers.length, server.forms.length]).toEqual([
      expect.objectContaining({ reason: 'no_tokens' }),
      2,
      0,
    ])
  })

  it('uses the token in memory until the service refuses it', async () => {
    const { client, store, server, accepts } = await setUp(tokenSet())
    await settle(client.microblog.search(query))
    store.held = null
    accepts.token = () => false
    const { error } = await settle(client.microblog.search(query))
    expect(error).toMatchObject({ code: 'reauthorization_required', reason: 'no_tokens' })
    expect(server.forms).toHaveLength(0)
  })
})
