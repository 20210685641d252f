import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { sqliteStore } from '../../src/extensions/shared/index.ts'
import { newFolder } from '../support/folder.ts'
import { realTime } from '../support/real-time.ts'
import { redirectUri } from '../oauth/authorization-server.ts'
import { makeOAuth, tokenSet } from '../oauth/helpers.ts'
import { serve } from './command.ts'

it.skipIf(process.platform === 'win32')(
  'a process that is stopped during a refresh lets others wait, who use its tokens when it continues',
  async () => {
    const responses: ServerResponse[] = []
    const url = await serve((request, response) => {
      void text(request).then(() => responses.push(response))
    })
    const path = join(newFolder(), 'tokens.sqlite')
    const store = sqliteStore(path)
    onTestFinished(() => store.close())
    const oauth = await makeOAuth({
      endpoints: { authorization: url, token: url },
      ...{ redirectUri, baseUrl: url, scopes: ['offline_access'], store },
    })
    const session = oauth.session()
    await session.replace(tokenSet({ expiresAt: Date.now() }))
    const child = fork(join(import.meta.dirname, 'refresher.ts'), [path, url])
    onTestFinished(() => void child.kill('SIGKILL'))
    await expect.poll(() => responses.length).toBe(1)
    child.kill('SIGSTOP')

    let token: string | undefined
    const other = session.token().then((found) => (token = found))
    await realTime.pass(500)
    expect([responses.length, token]).toEqual([1, undefined])
    const body = { access_token: 'new', refresh_token: 'new', token_type: 'Bearer', expires_in: 3600 }
    responses[0]?.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const end = once(child, 'exit')
    child.kill('SIGCONT')
    expect([await other, await end, responses.length]).toEqual(['new', [0, null], 1])
  },
  60_000,
)
