import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { type RequestListener, createServer } from 'node:http'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest'
import type { SandboxOptions } from '../../src/extensions/sandbox/index.ts'
import { type SandboxServer, serveSandbox } from '../support/sandbox.ts'
import { type Line, wordsOf } from '../support/command-line.ts'
import { closed, listening } from '../support/listening.ts'
import { newFolder } from '../support/folder.ts'

/** A built command, and a folder for files and its logins. */
export interface Command {
  folder: string
  file: string
}

/** Builds the command in few files: it starts sooner than from its sources. */
export async function buildCommand(): Promise<Command> {
  const folder = newFolder()
  const file = join(folder, 'social-search.mjs')
  const entry = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outdir: folder,
    entryNames: parse(file).name,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    logLevel: 'error',
  })
  return { folder, file }
}

export interface Ran {
  code: number | null
  out: string
  err: string
}

export interface RunOptions {
  env?: Record<string, string>
  /** Default empty; null keeps it open. */
  input?: string | null
  /** What runs the file; default Node. */
  program?: string
  /** Gets the process when it has started. */
  during?: (child: ChildProcess) => void
}

export function run(
  { folder, file }: Command,
  line: Line,
  { env = {}, input, program = process.execPath, during }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const { PATH, NODE_OPTIONS } = process.env
    const child = spawn(program, [file, ...wordsOf(line)], {
      cwd: folder,
      // Without these, `logout` would delete the login of the user who runs the tests.
      env: { PATH, NODE_OPTIONS, HOME: folder, ...storesOf(folder), ...env },
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (data: Buffer) => (out += String(data)))
    child.stderr.on('data', (data: Buffer) => (err += String(data)))
    child.stdin.on('error', () => {})
    if (input !== null) child.stdin.end(input ?? '')
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
    during?.(child)
  })
}

const storesOf = (folder: string) => ({
  XDG_CONFIG_HOME: join(folder, 'config'),
  XDG_STATE_HOME: join(folder, 'state'),
})

/** For `during`: acts on the process when something is due, unless it has ended by then. */
export function when(isDue: () => boolean, act: (child: ChildProcess) => unknown) {
  return (child: ChildProcess): void => {
    const timer = setInterval(() => {
      if (!isDue()) return
      clearInterval(timer)
      act(child)
    }, 1)
    child.on('close', () => clearInterval(timer))
  }
}

/** For `during`: acts on the process when the service has so many more requests. */
export function afterRequests(count: number, act: (child: ChildProcess) => unknown) {
  const before = server.requests.length
  return when(() => server.requests.length >= before + count, act)
}

/** Serves until the test has ended, and returns the origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => closed(server))
  return listening(server)
}

/** The command that the tests of a file use. */
export let command: Command
/** The service; each test has its own. */
export let server: SandboxServer

/** Builds the command for the tests of a file. Each of them begins without logins, and has a sandbox. */
export function useCommand(options: SandboxOptions = {}): void {
  beforeAll(async () => (command = await buildCommand()))
  beforeEach(async () => {
    // Its clock is that of the commands.
    const now = () => Date.now()
    server = await serveSandbox({ now, limits: { perMinute: false, inFlight: false }, ...options })
  })
  afterEach(async () => {
    await server.close()
    for (const path of Object.values(storesOf(command.folder))) rmSync(path, { recursive: true, force: true })
  })
}

export const env = (): Record<string, string> => ({
  SOCIAL_SEARCH_BASE_URL: server.baseUrl,
  SOCIAL_SEARCH_API_KEY: server.apiKey,
})

/** Runs the command with the address and key of the service. */
export function social(line: Line, options: RunOptions = {}): Promise<Ran> {
  return run(command, line, { ...options, env: { ...env(), ...options.env } })
}

/** A search that does not wait for the limit of a minute. */
export const search = 'search coffee --per-minute off'
