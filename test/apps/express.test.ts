import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { SocialSearch } from 'social-search-sdk'
import { toNodeListener } from 'social-search-sdk/node'
import { createProxy } from 'social-search-sdk/proxy'
import { createSandbox } from 'social-search-sdk/sandbox'
import { serveSandbox } from 'social-search-sdk/sandbox/node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Started } from '../support/started.ts'

const closing: (() => unknown)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

function proxyListener() {
  const client = new SocialSearch(createSandbox().clientOptions())
  return toNodeListener(
    createProxy({ client, allow: ['microblog.search'], authorize: () => ({ id: 'ada' }) }),
  )
}

async function clientOf(app: Express): Promise<SocialSearch> {
  const server = app.listen(0, '127.0.0.1')
  closing.push(() => new Promise((closed) => server.close(closed)))
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  return new SocialSearch({ baseUrl: `http://127.0.0.1:${port}/api/social`, auth: false, retry: false })
}

describe('createProxy() in Express', () => {
  it('answers 500 and logs how to mount it when express.json() comes first', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const app = express().use(express.json()).use('/api/social', proxyListener())
    const client = await clientOf(app)
    await expect(client.microblog.search({ query: 'coffee' })).rejects.toMatchObject({ status: 500 })
    expect(log.mock.calls).toEqual([[expect.stringContaining('mount the proxy before any body parser')]])
  })
})

describe('docs/frameworks.md', () => {
  it('has an Express app that Node starts as it is', async () => {
    const sandbox = await serveSandbox()
    closing.push(() => sandbox.close())
    const folder = join(import.meta.dirname, '.out/frameworks')
    const app = readFileSync(join(folder, 'express.ts'), 'utf8')
    const anyPort = 'const server = app.listen(0, () => console.log(server.address()))'
    writeFileSync(join(folder, 'started.ts'), app.replace('app.listen(3000)', anyPort))
    const env = { SOCIAL_SEARCH_BASE_URL: sandbox.baseUrl, SOCIAL_SEARCH_API_KEY: sandbox.apiKey }
    const child = spawn(process.execPath, ['started.ts'], { cwd: folder, env: { ...process.env, ...env } })
    closing.push(() => child.kill())

    const port = (await new Started(child).printed(/port: \d+/)).slice('port: '.length)
    const response = await fetch(`http://127.0.0.1:${port}/posts?q=coffee`)
    expect(await response.json()).toHaveLength(20)
  })
})
