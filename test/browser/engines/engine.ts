import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** A tab of a browser. */
export interface Tab {
  /** Runs a function in the page; arguments and result travel as JSON. */
  evaluate<Result>(run: () => Result | Promise<Result>): Promise<Result>
  evaluate<Given, Result>(run: (given: Given) => Result | Promise<Result>, given: Given): Promise<Result>
}

/** A browser without a window. */
export interface Engine {
  open(url: string): Promise<Tab>
  close(): Promise<void>
}

/**
 * The source of a function that takes and returns JSON text, as drivers of all browsers can call it. It takes a further turn
 * of the event loop: the one that a driver sets off is exempt from the policy of the page.
 */
export function jsonFunction(run: (given: never) => unknown): string {
  return `async (text) => {
    await new Promise((turn) => setTimeout(turn))
    return JSON.stringify(await (${String(run)})(text && JSON.parse(text))) ?? 'null'
  }`
}

/** The path of a program of this machine, by any of its names. */
export function programOf(names: readonly string[], variable: string, packages: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync)
  const path = process.env[variable] ?? found
  if (path === undefined)
    throw new Error(
      `no ${names[0]} on the PATH; install it: apt-get install ${packages}, or set ${variable} to its path`,
    )
  return path
}

/** A program that runs until it is ended, with a folder of its own. */
export interface Program {
  readonly child: ChildProcess
  readonly folder: string
  end(): Promise<void>
}

export function start(
  path: string,
  args: (folder: string) => readonly string[],
  env: Readonly<Record<string, string>> = {},
): Program {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'))
  // In a group of its own, with the processes that it starts.
  const child = spawn(path, args(folder), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder, ...env },
  })
  const kill = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  process.once('exit', kill)
  return {
    child,
    folder,
    async end() {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      kill()
      await ended
      process.off('exit', kill)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** What a pattern finds in the output of a program. */
export async function said(
  { child }: Program,
  stream: 'stdout' | 'stderr' | 'fd3',
  pattern: RegExp,
): Promise<string> {
  const output: NodeJS.ReadableStream =
    stream === 'fd3' ? (child.stdio[3] as NodeJS.ReadableStream) : child[stream]!
  let text = ''
  return new Promise((resolve, reject) => {
    // Read to the end: a full pipe would stop the program.
    output.on('data', (part: Buffer) => {
      text += part.toString()
      const [, found] = pattern.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the browser has ended: ${text}`)))
  })
}
