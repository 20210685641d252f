import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type ServerResponse, createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { FileTokenStore } from '../../src/extensions/oauth/node.ts'
import { closed, listening } from '../support/listening.ts'
import { realTime } from '../support/real-time.ts'
import { redirectUri } from './authorization-server.ts'
import { makeOAuth, tokenSet } from './helpers.ts'
import { folder, path } from './token-file.ts'

it.skipIf(process.platform === 'win32')(
  'a process that is stopped during a refresh keeps the lock, and others use its tokens when it continues',
  async () => {
    const responses: ServerResponse[] = []
    const server = createServer((request, response) => {
      void text(request).then(() => responses.push(response))
    })
    const url = await listening(server)
    onTestFinished(() => closed(server))
    const store = new FileTokenStore(path)
    store.set(tokenSet({ expiresAt: Date.now() }))
    const child = fork(join(import.meta.dirname, 'refresher.ts'), [path, url])
    onTestFinished(() => void child.kill('SIGKILL'))
    await expect.poll(() => responses.length, { timeout: 10_000 }).toBe(1)
    child.kill('SIGSTOP')

    const oauth = await makeOAuth({
      endpoints: { authorization: url, token: url },
      ...{ redirectUri, baseUrl: url, scopes: ['offline_access'], store },
    })
    let token: string | undefined
    const other = oauth
      .session()
      .token()
      .then((found) => (token = found))
    await realTime.pass(500)
    expect([responses.length, token]).toEqual([1, undefined])
    const body = { access_token: 'new', refresh_token: 'new', token_type: 'Bearer', expires_in: 3600 }
    responses[0]?.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const end = once(child, 'exit')
    child.kill('SIGCONT')
    expect([await other, await end, responses.length]).toEqual(['new', [0, null], 1])
    expect(readdirSync(folder)).toEqual(['tokens.json'])
  },
)
