import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A folder for the files of a test, with the command in few files: it starts sooner than from its sources. */
export async function buildCommand(): Promise<{ folder: string; file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'command-'))
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
  { folder, file }: { folder: string; file: string },
  args: readonly string[],
  { env = {}, input, program = process.execPath, during }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [file, ...args], {
      cwd: folder,
      // Without it, `logout` would delete the answers of whoever runs the tests.
      env: { PATH: process.env['PATH'], XDG_CACHE_HOME: join(folder, 'cache'), ...env },
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
