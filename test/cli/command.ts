import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, beforeEach, expect, vi } from 'vitest'
import { main } from '../../src/cli/program.ts'
import { type Sandbox, type SandboxOptions, createSandbox } from '../support/sandbox.ts'
import { startClock } from '../support/clock.ts'
import { type Line, wordsOf } from '../support/command-line.ts'
import { newFolder } from '../support/folder.ts'

/** Has the files and the logins of a test, and is the current folder. */
let folder: string
/** Has what commands share. */
export let stateFolder: string
/** The service; each test has its own. */
export let sandbox: Sandbox

let isTerminal = false
/** Of Vitest. */
let foreign: ReadonlySet<NodeJS.SignalsListener>
let services = 0
const written = { stdout: '', stderr: '' }

/**
 * Prepares `social()` for the tests of a file, or of a `describe()`.
 *
 * @param terminals What the command takes for a terminal.
 */
export function useCommand(
  options: SandboxOptions = {},
  terminals: readonly ('stdin' | 'stdout' | 'stderr')[] = [],
): void {
  beforeAll(() => {
    const home = process.cwd()
    const restore = (['stdout', 'stderr'] as const).map((name) => {
      const { write, isTTY, columns } = process[name]
      Object.assign(process[name], {
        ...{ isTTY: terminals.includes(name), columns: 200 },
        write(text: unknown, done: unknown) {
          written[name] += String(text)
          if (typeof done === 'function') done()
          return true
        },
      })
      return () => Object.assign(process[name], { write, isTTY, columns })
    })
    foreign = new Set([...process.listeners('SIGINT'), ...process.listeners('SIGTERM')])
    ;[folder, stateFolder] = [newFolder(), newFolder()]
    process.chdir(folder)
    for (const name of ['XDG_CONFIG_HOME', 'APPDATA']) vi.stubEnv(name, resolve('config'))
    for (const name of ['XDG_STATE_HOME', 'LOCALAPPDATA']) vi.stubEnv(name, stateFolder)
    return () => {
      process.chdir(home)
      for (const step of restore) step()
      vi.unstubAllEnvs()
      vi.unstubAllGlobals()
    }
  })
  startClock()
  beforeEach(() => {
    startAnew(options)
    isTerminal = terminals.includes('stdin')
    // Retries follow at once.
    vi.spyOn(Math, 'random').mockReturnValue(0)
  })
}

/** Removes the files of earlier commands, and makes a service. */
export function startAnew(options: SandboxOptions = {}): void {
  for (const parent of [folder, stateFolder])
    for (const name of readdirSync(parent)) rmSync(join(parent, name), { recursive: true })
  sandbox = createSandbox({ limits: { perMinute: false, inFlight: false }, ...options })
  between((send) => send())
  // Clients of one address share the limits of a minute.
  vi.stubEnv('SOCIAL_SEARCH_BASE_URL', `https://service-${++services}.example/v1`)
  vi.stubEnv('SOCIAL_SEARCH_API_KEY', sandbox.apiKey)
}

/** Puts something between commands and the service, which answers when `send()` is called. */
export function between(pass: (send: () => Promise<Response>) => Response | Promise<Response>): void {
  vi.stubGlobal('fetch', (...request: ConstructorParameters<typeof Request>) =>
    pass(() => sandbox.fetch(new Request(...request))),
  )
}

/** What handles a signal, as long as a command runs. */
export const handlersOf = (signal: 'SIGINT' | 'SIGTERM'): NodeJS.SignalsListener[] =>
  process.listeners(signal).filter((listener) => !foreign.has(listener))

/** Sends a signal, such as that of Ctrl-C, to commands alone. */
export function press(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): void {
  for (const handle of handlersOf(signal)) handle(signal)
}

/** Runs the command in this process, with the address and key of the service. */
export async function social(
  line: Line,
  { input = '' } = {},
): Promise<{ code: number; out: string; err: string }> {
  Object.assign(written, { stdout: '', stderr: '' })
  const stdin: unknown = Object.assign(Readable.from([input]), { isTTY: isTerminal })
  const mock = vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as typeof process.stdin)
  process.exitCode = 0
  try {
    await main(wordsOf(line))
    return { code: process.exitCode, out: written.stdout, err: written.stderr }
  } finally {
    process.exitCode = undefined
    mock.mockRestore()
  }
}

/** Runs commands one after another: each ends with its code, and says its text. */
export async function inTurn(
  ...rows: readonly (readonly [line: Line, code: number, said?: string | RegExp])[]
): Promise<void> {
  for (const [line, code, said = ''] of rows) {
    const { out, err, ...end } = await social(line)
    const text = typeof said === 'string' ? expect.stringContaining(said) : expect.stringMatching(said)
    expect([line, end.code, out + err]).toEqual([line, code, text])
  }
}

/** The URL of a new post. What the sandbox makes up has other numbers on another date. */
export function publishPost(numComments: number, numLikes = 0, number = 1): string {
  const share_url = `https://professionalnet.example/posts/activity-${numComments}${number}`
  const reactionTypeCounts = [{ type: 'LIKE', count: numLikes }]
  const social_details = { numComments, numLikes, reactionTypeCounts }
  sandbox.publish({ professionalnet: [{ commentary: '', share_url, social_details }] })
  return share_url
}

/** What the command has written to stderr, while it runs. */
export const saidSoFar = (): string => written.stderr

export const bodies = (): unknown[] => sandbox.requests.map(({ body }) => body)
