import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { searchRequest } from './helpers.ts'

const script = fileURLToPath(new URL('../../src/cli/sandbox.ts', import.meta.url))
const children: ChildProcess[] = []

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [script, ...args], {
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

describe('npm run sandbox', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints URL, key and command, serves, and ends cleanly on %s',
    async (signal) => {
      const child = start(['--port', '0'])
      const output = await greeting(child)
      const baseUrl = /Base URL +(\S+)/.exec(output)?.[1] ?? ''
      const apiKey = /API key +(\S+)/.exec(output)?.[1] ?? ''
      expect(output).toContain(`curl ${baseUrl}/data/microblog/tweets/search \\\n`)
      const response = await fetch(searchRequest({ baseUrl, apiKey }, { query: 'coffee' }))
      expect(response.status).toBe(200)

      child.kill(signal)
      expect(await once(child, 'exit')).toEqual([0, null])
    },
  )

  it.each([
    [['--port', '70000'], {}, 'sandbox: the port must be an integer from 0 to 65535, got "70000"\n'],
    [[], { PORT: 'http' }, 'sandbox: the port must be an integer from 0 to 65535, got "http"\n'],
    [['--prot', '1'], {}, "sandbox: Unknown option '--prot'"],
  ])(
    'says in one line what is wrong, with exit code 2, when started with %j %j',
    async (args, env, message) => {
      const child = start(args, env)
      const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
      expect(code).toBe(2)
      expect(errors).toContain(message)
      expect(errors.trim().split('\n')).toHaveLength(1)
    },
  )
})
