import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { type ServerResponse, createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FileTokenStore } from '../../src/extensions/oauth/node.ts'
import { closed, listening } from '../support/listening.ts'
import { refreshToken, tokenSet } from './helpers.ts'
import { folder, path } from './token-file.ts'

let store: FileTokenStore
let child: ChildProcess
/** The refresh tokens that the server has received. */
let received: (string | null)[]
let responses: ServerResponse[]
const server = createServer((request, response) => {
  void text(request).then((body) => {
    received.push(new URLSearchParams(body).get('refresh_token'))
    responses.push(response)
  })
})
beforeEach(async () => {
  received = []
  responses = []
  store = new FileTokenStore(path)
  await store.set(tokenSet({ expiresAt: Date.now() }))
  child = fork(join(import.meta.dirname, 'refresher.ts'), [path, await listening(server)])
})
afterEach(async () => {
  child.kill('SIGKILL')
  await closed(server)
})

const answer = (status: number, body: unknown) =>
  responses.shift()?.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Stores other tokens once the child's lock counts as silent, on a clock that runs fast. */
async function takeOver(): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  const state = { isOver: false }
  const write = store
    .set(tokenSet({ accessToken: 'later', refreshToken: 'later', expiresAt: Date.now() + 3_600_000 }))
    .finally(() => (state.isOver = true))
  for (let step = 0; step < 2000 && !state.isOver; step++) {
    await vi.advanceTimersByTimeAsync(50)
    await readdir(folder)
  }
  vi.useRealTimers()
  await write
}

async function continueChild(): Promise<void> {
  const end = once(child, 'exit')
  child.kill('SIGCONT')
  expect(await end).toEqual([0, null])
  expect(await store.get()).toMatchObject({ accessToken: 'later', refreshToken: 'later' })
  expect(received).toEqual([refreshToken(0)])
  expect(readdirSync(folder)).toEqual(['tokens.json'])
}

describe.skipIf(process.platform === 'win32')(
  'a process that was stopped until another took its lock',
  () => {
    it('does not send its refresh token when it waited for a retry', async () => {
      await expect.poll(() => responses.length, { timeout: 10_000 }).toBe(1)
      answer(503, { error: 'temporarily_unavailable' })
      await expect.poll(async () => (await store.get())?.refreshSentAt, { interval: 5 }).toBeUndefined()
      child.kill('SIGSTOP')
      await takeOver()
      await continueChild()
    })

    it('does not overwrite later tokens when the response arrives', async () => {
      await expect.poll(() => responses.length, { timeout: 10_000 }).toBe(1)
      child.kill('SIGSTOP')
      await takeOver()
      answer(200, { access_token: 'old', refresh_token: 'old', token_type: 'Bearer', expires_in: 3600 })
      await continueChild()
    })
  },
)
