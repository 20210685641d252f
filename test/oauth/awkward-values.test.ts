import { describe, expect, it } from 'vitest'
import { isSocialSearchError } from '../../src/index.ts'
import { isInstance } from '../../src/lib/thrown.ts'
import { type TokenStore, createOAuthClient } from '../../src/extensions/oauth/index.ts'
import { awkwardFunctions } from '../support/awkward-functions.ts'
import { access, makeOAuth, minutes, setUp, storeOf, tokenSet } from './helpers.ts'

const expired = () => tokenSet({ expiresAt: Date.now() - 1 })
/** Tokens that are renewed, and still work if that fails. */
const aging = () => tokenSet({ obtainedAt: Date.now() - minutes(60), expiresAt: Date.now() + 30_000 })

/** The access token, or how its absence is explained. */
async function endOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    if (isSocialSearchError(error)) return 'an error of this package'
    const isRaw = isInstance(error, TypeError) && !isOfAwait(error)
    return isRaw ? `a raw TypeError: ${error.message}` : 'the error of the store'
  }
}

/** JavaScript cannot await a revoked Proxy. */
const isOfAwait = ({ message }: Error) => message === "Cannot perform 'get' on a proxy that has been revoked"

async function tokenWith(store: TokenStore): Promise<unknown> {
  const { session } = await setUp(null, { store })
  return endOf(() => session.token())
}

const readable = /^(an error of this package|the error of the store)$/

describe.each<[string, (fail: () => never) => TokenStore, expected: RegExp]>([
  ['fails with an error that can be read when get()', (get) => ({ ...storeOf(null), get }), readable],
  ['fails or renews when set()', (set) => ({ ...storeOf(expired()), set }), /^(?!.*TypeError)/],
  ['uses the token that it has when set()', (set) => ({ ...storeOf(aging()), set }), /^access_secret_[01]$/],
  ['fails with an error that can be read when lock()', (lock) => ({ ...storeOf(expired()), lock }), readable],
])('OAuthSession.token() %s', (_, storeWith, expected) => {
  it.each(awkwardFunctions)('%s', async (_, fail) => {
    expect(await tokenWith(storeWith(fail))).toMatch(expected)
  })
})

describe('OAuthSession.token()', () => {
  it.each(awkwardFunctions)('fails with an error of this package when fetch %s', async (_, fetch) => {
    const oauth = await makeOAuth({ fetch, store: storeOf(expired()) })
    expect(await endOf(() => oauth.session().token())).toBe('an error of this package')
  })

  it('renews when lock() does not pass on the result of the work', async () => {
    const lock = async (work: () => Promise<unknown>) => {
      await work()
    }
    expect(await tokenWith({ ...storeOf(expired()), lock: lock as never })).toBe(access(1))
  })
})

describe('createOAuthClient()', () => {
  it.each(awkwardFunctions)('fails with an error of this package when fetch %s', async (_, fetch) => {
    const options = {
      issuer: 'https://as.example',
      clientId: 'me',
      redirectUri: 'https://app.example/',
      fetch,
    }
    const more = { baseUrl: 'https://api.example/v1', scopes: ['search:read'] as const }
    expect(await endOf(() => createOAuthClient({ ...options, ...more }))).toBe('an error of this package')
  })
})
