import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { CatalogClient } from '../../src/extensions/catalog/index.ts'
import { RateLimitError, SocialSearch } from '../../src/index.ts'
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
async function started(flags: string) {
  const child = start(`--port 0 ${flags}`)
  const output = await new Started(child).printed(/[^]*Ctrl\+C/)
  const printed = (name: string) => new RegExp(`${name} +(\\S+)`).exec(output)?.[1] ?? ''
  return { child, output, printed, baseUrl: printed('Base URL'), apiKey: printed('API key') }
}

describe('social-search sandbox', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints addresses and keys, serves them with the limits of its options, and ends on %s',
    async (signal) => {
      const { child, output, printed, baseUrl, apiKey } = await started('--per-minute 1')
      expect(output).toContain(`export SOCIAL_SEARCH_BASE_URL=${baseUrl}\n`)
      expect(output).toContain(`export SOCIAL_SEARCH_API_KEY=${apiKey}\n`)
      const catalog = { baseUrl: printed('Catalog URL'), token: printed('Catalog token') }
      expect(await new CatalogClient(catalog).planets.create({ name: 'Aurora' })).toMatchObject({
        name: 'Aurora',
      })

      const options = { baseUrl, retry: false, limits: { perMinute: false } } as const
      const { technews, mentions } = new SocialSearch({ ...options, apiKey })
      await technews.search({ query: 'a' })
      await expect(technews.search({ query: 'a' })).rejects.toBeInstanceOf(RateLimitError)
      const [{ id }] = (await mentions.list().toArray({ limit: 1 })) as [{ id: string }]
      const writer = new SocialSearch({ ...options, apiKey: printed('Write key') })
      expect(await writer.mentions.setState(id, { state: 'seen' })).toHaveProperty('requestId')

      child.kill(signal)
      expect(await once(child, 'exit')).toEqual([0, null])
    },
  )

  it('says what to do when the port is in use', async () => {
    const { port } = new URL((await started('--per-minute off')).baseUrl)
    const child = start(`--port ${port}`)
    const message = `port ${port} is in use; choose another with --port, or any free port with --port 0`
    expect(await Promise.all([text(child.stderr), once(child, 'exit')])).toEqual([
      ...[`social-search: ${message}\n`, [1, null]],
    ])
  })
})
