import { expect, it, onTestFinished } from 'vitest'
import { http, rawServer } from '../support/raw-server.ts'
import { makeOAuth, storeOf, tokenSet } from './helpers.ts'

it('OAuthSession.refresh() is not lost when the server closes reused connections', async () => {
  const used = new WeakSet()
  const server = await rawServer((socket, _, count) => {
    if (used.has(socket)) return void socket.destroy()
    used.add(socket)
    const token = { access_token: `access_${count}`, refresh_token: `refresh_${count}`, token_type: 'Bearer' }
    socket.write(http('200 OK', JSON.stringify(token)))
  })
  onTestFinished(() => server.close())
  const endpoints = { authorization: `${server.baseUrl}/authorize`, token: `${server.baseUrl}/token` }
  const session = (await makeOAuth({ endpoints, store: storeOf(tokenSet()) })).session()
  for (let turn = 0; turn < 3; turn++) await session.refresh(await session.token())
  expect(await session.token()).toBe('access_3')
})
