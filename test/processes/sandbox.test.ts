import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { CatalogClient } from '../../src/catalog/index.ts'
import { RateLimitError, SocialSearch } from '../../src/index.ts'
import { watchSearch } from '../../src/watch/index.ts'
import { searchRequest } from '../sandbox/helpers.ts'

const script = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const children: ChildProcess[] = []

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [script, 'sandbox', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

async function greeting(child: ReturnType<typeof start>): Promise<string> {
  let output = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += chunk as string
    if (output.includes('Ctrl+C')) break
  }
  return output
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

describe('social-search sandbox', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints URL, key and command, serves, and ends cleanly on %s',
    async (signal) => {
      const child = start(['--port', '0'])
      const output = await greeting(child)
      const baseUrl = /Base URL +(\S+)/.exec(output)?.[1] ?? ''
      const apiKey = /API key +(\S+)/.exec(output)?.[1] ?? ''
      expect(output).toContain(`export SOCIAL_SEARCH_BASE_URL=${baseUrl}\n`)
      expect(output).toContain(`export SOCIAL_SEARCH_API_KEY=${apiKey}\n`)
      expect(output).toContain(`curl ${baseUrl}/data/microblog/tweets/search \\\n`)
      const response = await fetch(searchRequest({ baseUrl, apiKey }, { query: 'coffee' }))
      expect(response.status).toBe(200)

      child.kill(signal)
      expect(await once(child, 'exit')).toEqual([0, null])
    },
  )

  it('shows its options with --help', async () => {
    const child = start(['--help'])
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    expect(code).toBe(0)
    for (const option of ['--port', 'PORT', '--per-minute', '--in-flight', '--growth'])
      expect(output).toContain(option)
  })

  it('serves the printed catalog and the key to write, with the limits of its options', async () => {
    const output = await greeting(start(['--port', '0', '--per-minute', '1', '--in-flight', 'off']))
    const printed = (name: string) => new RegExp(`${name} +(\\S+)`).exec(output)?.[1] ?? ''
    const [baseUrl, apiKey] = [printed('Base URL'), printed('Key to write')]
    const catalog = { baseUrl: printed('Catalog URL'), token: printed('Catalog token') }
    expect(await new CatalogClient(catalog).planets.create({ name: 'Aurora' })).toMatchObject({
      name: 'Aurora',
    })

    const client = new SocialSearch({ baseUrl, apiKey, retry: false, limits: { perMinute: false } })
    const [{ id }] = (await client.mentions.list().toArray({ limit: 1 })) as [{ id: string }]
    expect(await client.mentions.setState(id, { state: 'seen' })).toHaveProperty('requestId')
    await client.technews.search({ query: 'a' })
    await expect(client.technews.search({ query: 'a' })).rejects.toBeInstanceOf(RateLimitError)
  })

  it('has new posts, those of --growth and those that are published', async () => {
    const output = await greeting(start(['--port', '0', '--growth', '3600']))
    const printed = (name: string) => new RegExp(`${name} +(\\S+)`).exec(output)?.[1] ?? ''
    const client = new SocialSearch({ baseUrl: printed('Base URL'), apiKey: printed('API key') })
    const batches = watchSearch(client.microblog, { query: 'acme' }, { every: 1000 })
    await batches.next()
    expect((await batches.next()).value?.posts.length).toBeGreaterThan(0)

    const headers = { authorization: `Bearer ${printed('Key to write')}` }
    const body = JSON.stringify([{ body: 'Acme recalls its kettle' }])
    await fetch(printed('Publish URL'), { method: 'POST', headers, body })
    const { value } = await batches.next()
    expect(value?.posts.map(({ body: text }) => text)).toContain('Acme recalls its kettle')
    await batches.return(undefined)
  })

  it('says what to do when the port is in use', async () => {
    const output = await greeting(start(['--port', '0']))
    const port = /:(\d+)\//.exec(output)?.[1] ?? ''
    const second = start(['--port', port])
    const [errors, [code]] = await Promise.all([text(second.stderr), once(second, 'exit')])
    expect(errors).toBe(
      `social-search: port ${port} is in use; choose another with --port, or any free port with --port 0\n`,
    )
    expect(code).toBe(1)
  })

  it.each([
    [['--port', '70000'], {}, '--port must be a whole number from 0 to 65535, got 70000\n'],
    [[], { PORT: 'http' }, 'PORT must be a number, got "http"\n'],
    [['--per-minute', '0'], {}, '--per-minute must be a whole number from 1 to 99999, got 0\n'],
    [['--prot', '1'], {}, "unknown option '--prot'"],
  ])('prints the problem and exits with 2 when started with %j %j', async (args, env, message) => {
    const child = start(args, env)
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect(code).toBe(2)
    expect(errors).toContain(message)
    expect(errors.trim().split('\n').length).toBeLessThanOrEqual(2)
  })
})
