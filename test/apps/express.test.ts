import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serveSandbox } from 'social-search-sdk/sandbox/node'
import { afterEach, describe, expect, it } from 'vitest'
import { Started } from '../support/started.ts'

const closing: (() => unknown)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

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
