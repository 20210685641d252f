import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/index.ts'
import { type SandboxServer, serveSandbox } from '../../src/sandbox/node.ts'
import { type Ran, type RunOptions, buildCommand, run } from './command.ts'

/** The built command, and a folder for files. */
export let command: { folder: string; file: string }
/** The service; each test has its own. */
export let server: SandboxServer

/** Builds the command for the tests of a file, and serves a sandbox for each of them. */
export function useCommand(options: SandboxOptions = {}): void {
  beforeAll(async () => (command = await buildCommand()))
  afterAll(() => rmSync(command.folder, { recursive: true }))
  beforeEach(async () => {
    server = await serveSandbox({ limits: { perMinute: false, inFlight: false }, ...options })
  })
  afterEach(() => server.close())
}

export const env = (): Record<string, string> => ({
  SOCIAL_SEARCH_BASE_URL: server.baseUrl,
  SOCIAL_SEARCH_API_KEY: server.apiKey,
})

/** Runs the command with the address and key of the service. */
export function social(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return run(command, args, { ...options, env: { ...env(), ...options.env } })
}

/** A search that does not wait for the limit of a minute. */
export const search = ['microblog', 'search', 'coffee', '--per-minute', 'off']

export const bodies = (): unknown[] => server.requests.map(({ body }) => body)
