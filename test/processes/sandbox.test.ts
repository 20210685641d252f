import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { CatalogClient } from '../../src/extensions/catalog/index.ts'
import { RateLimitError, SocialSearch } from '../../src/index.ts'
import { searchRequest } from '../sandbox/helpers.ts'
import { Started } from '../support/started.ts'

const script = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(flags: string) {
  const child = spawn(process.execPath, [script, 'sandbox', ...flags.split(' ')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

/** Starts a sandbox, and reads what it prints. */
async function started(flags = '') {
  const child = start(`--port 0 ${flags}`.trimEnd())
  const output = await new Started(child).printed(/[^]*Ctrl\+C/)
  const printed = (name: string) => new RegExp(`${name} +(\\S+)`).exec(output)?.[1] ?? ''
  return { child, output, printed, baseUrl: printed('Base URL'), apiKey: printed('API key') }
}

describe('social-search sandbox', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('prints URL and key, serves, and ends on %s', async (signal) => {
    const { child, output, baseUrl, apiKey } = await started()
    expect(output).toContain(`export SOCIAL_SEARCH_BASE_URL=${baseUrl}\n`)
    expect(output).toContain(`export SOCIAL_SEARCH_API_KEY=${apiKey}\n`)
    const response = await fetch(searchRequest({ baseUrl, apiKey }, { query: 'coffee' }))
    expect(response.status).toBe(200)

    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('serves the printed catalog and the key to write, with the limits of its options', async () => {
    const { printed, baseUrl } = await started('--per-minute 1')
    const catalog = { baseUrl: printed('Catalog URL'), token: printed('Catalog token') }
    const planet = await new CatalogClient(catalog).planets.create({ name: 'Aurora' })
    expect(planet).toMatchObject({ name: 'Aurora' })

    const apiKey = printed('Write key')
    const client = new SocialSearch({ baseUrl, apiKey, retry: false, limits: { perMinute: false } })
    const [{ id }] = (await client.mentions.list().toArray({ limit: 1 })) as [{ id: string }]
    expect(await client.mentions.setState(id, { state: 'seen' })).toHaveProperty('requestId')
    await client.technews.search({ query: 'a' })
    await expect(client.technews.search({ query: 'a' })).rejects.toBeInstanceOf(RateLimitError)
  })

  it('says what to do when the port is in use', async () => {
    const { port } = new URL((await started()).baseUrl)
    const child = start(`--port ${port}`)
    const message = `port ${port} is in use; choose another with --port, or any free port with --port 0`
    expect(await Promise.all([text(child.stderr), once(child, 'exit')])).toEqual([
      ...[`social-search: ${message}\n`, [1, null]],
    ])
  })
})
