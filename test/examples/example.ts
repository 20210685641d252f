import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, inject } from 'vitest'
import { Started } from '../support/started.ts'
import { install, linked, packagesOf } from './pack.ts'

const root = join(import.meta.dirname, '../..')
const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

/** Closes something after the test. */
export function closing<T extends { close(): unknown }>(resource: T): T {
  cleanUp.push(() => resource.close())
  return resource
}

/** An example, copied to a folder outside of the repository, with the packed package installed. */
export class Example {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async install(name: string): Promise<Example> {
    const folder = mkdtempSync(join(tmpdir(), `example-${name}-`))
    cleanUp.push(() => rmSync(folder, { recursive: true, maxRetries: 3 }))
    // Without what earlier runs have installed and written.
    const filter = (path: string) =>
      !/node_modules|\.next|\.wrangler|\/((posts|state|tokens)\.|unexpected-|unsent-|report\.html)/.test(
        path.slice(root.length),
      )
    cpSync(join(root, 'examples', name), folder, { recursive: true, filter })
    if (linked.includes(name)) link(name, folder)
    else await promisify(execFile)('npm', [...install, '--no-save', inject('tarball')], { cwd: folder })
    return new Example(folder)
  }

  /** Starts a script of the example's package.json. */
  start(service: Service, script = 'start', ...args: string[]): Run {
    const child = spawn('npm', ['run', script, '--silent', '--', ...args], {
      cwd: this.folder,
      env: {
        ...process.env,
        PORT: '0',
        ...service,
        // Vitest sets it, and Next warns of any but its own.
        NODE_ENV: undefined,
        NEXT_TELEMETRY_DISABLED: '1',
        WRANGLER_SEND_METRICS: 'false',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A new process group, so that the children end with it.
      detached: true,
    })
    const run = new Run(child)
    cleanUp.push(() => run.kill())
    return run
  }

  /** Checks the types of a file, with the packages of the example and the types of a runtime. */
  async checkTypes(file: string, types: string): Promise<void> {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['--target', 'esnext', '--module', 'preserve', '--strict', '--skipLibCheck', '--noEmit']
    const roots = [
      '--types',
      types,
      '--typeRoots',
      `${this.folder}/node_modules/@types,${join(root, 'node_modules/@types')}`,
    ]
    const all = [tsc, '--ignoreConfig', ...options, ...roots, file]
    try {
      await promisify(execFile)(process.execPath, all, { cwd: this.folder })
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout)
    }
  }
}

/** Gives an example the packages that it names, and no others. */
function link(example: string, folder: string): void {
  const [from, to] = [join(inject('packages'), 'node_modules'), join(folder, 'node_modules')]
  for (const name of ['.bin', ...Object.keys(packagesOf(example))]) {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    symlinkSync(join(from, name), join(to, name))
  }
}

/** The environment that an example reads. */
export type Service = Readonly<Record<string, string>>

export function serviceOf({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Service {
  return { SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: apiKey }
}

/** A started script. */
export class Run extends Started {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>

  constructor(child: ChildProcess) {
    super(child)
    this.#child = child
    this.#ended = once(child, 'close')
  }

  /** Waits until it has ended, and returns its exit code. */
  async ended(): Promise<number | null> {
    await this.#ended
    return this.#child.exitCode
  }

  /** Ends it and its children with SIGKILL. */
  async kill(): Promise<void> {
    try {
      process.kill(-(this.#child.pid ?? NaN), 'SIGKILL')
    } catch {
      // It has ended already.
    }
    await this.#ended
  }
}
