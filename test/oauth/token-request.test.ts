import { afterEach, expect, it } from 'vitest'
import { type RawServer, http, rawServer } from '../support/raw-server.ts'
import { makeOAuth, oauthError, refusal, secrets, storeOf, tokenSet } from './helpers.ts'

let server: RawServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

it('OAuthSession.refresh() is not lost when the server closes reused connections', async () => {
  const used = new WeakSet()
  server = await rawServer((socket, _, count) => {
    if (used.has(socket)) return void socket.destroy()
    used.add(socket)
    const token = { access_token: `access_${count}`, refresh_token: `refresh_${count}`, token_type: 'Bearer' }
    socket.write(http('200 OK', JSON.stringify(token)))
  })
  const endpoints = { authorization: `${server.baseUrl}/authorize`, token: `${server.baseUrl}/token` }
  const session = (await makeOAuth({ endpoints, store: storeOf(tokenSet()) })).session()
  for (let turn = 0; turn < 3; turn++) await session.refresh(await session.token())
  expect(await session.token()).toBe('access_3')
})

it('OAuthClient.exchange() suggests client_secret_post when the server refuses the header', async () => {
  const pending = { state: 'state_4c1d', codeVerifier: secrets.verifier }
  const callback = `https://app.example/callback?code=${secrets.code}&state=${pending.state}`
  const refused = { fetch: () => Promise.resolve(oauthError('invalid_client', 401)) }
  const ways = ['client_secret_basic', 'client_secret_post'] as const
  const [basic, post] = await Promise.all(
    ways.map(async (clientAuthentication) => {
      const oauth = await makeOAuth({ ...refused, clientAuthentication })
      return (await refusal(oauth.exchange(callback, pending))).message
    }),
  )
  expect(basic).toBe(
    "exchange: the authorization server responded with invalid_client (in words); if the secret is right, set clientAuthentication: 'client_secret_post'",
  )
  expect(post).toBe('exchange: the authorization server responded with invalid_client (in words)')
})
