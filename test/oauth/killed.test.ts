import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { sqliteStore } from '../../src/extensions/shared/index.ts'
import { closed, listening } from '../support/listening.ts'
import { makeOAuth, tokenSet } from './helpers.ts'
import { newFolder } from '../support/folder.ts'

const path = join(newFolder(), 'tokens.sqlite')
const requests: IncomingMessage[] = []
// It makes new tokens and takes its time to answer.
const server = createServer((request) => void requests.push(request))
afterEach(() => {
  vi.useRealTimers()
  return closed(server)
})

it('OAuthSession.token() does not send a refresh token again after a killed process sent it', async () => {
  const url = await listening(server)
  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  const oauth = await makeOAuth({ endpoints: { authorization: url, token: url }, baseUrl: url, store })
  const session = oauth.session()
  await session.replace(tokenSet({ expiresAt: Date.now() }))
  const asked = once(server, 'request')
  const child = fork(join(import.meta.dirname, 'refresher.ts'), [path, url])
  await asked
  child.kill('SIGKILL')
  await once(child, 'exit')
  // Until then, the process may still be alive.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  const message = expect.stringContaining('or its process ended first') as string
  await expect(session.token()).rejects.toMatchObject({ reason: 'lost', message })
  expect(requests).toHaveLength(1)
  expect(await session.signOut()).not.toHaveProperty('refreshToken')
})
