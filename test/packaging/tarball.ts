import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** Runs a program and returns its output, which the error has if it fails. */
export function run(command: string, args: readonly string[], cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (error !== undefined || status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed\n${error?.message ?? stdout + stderr}`)
  return stdout
}

/** Packs the built package as it would be published, and returns the tarball's path. */
export function pack(): { folder: string; tarball: string } {
  const folder = mkdtempSync(join(tmpdir(), 'social-search-sdk-'))
  const name = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]).trim()
  return { folder, tarball: join(folder, name) }
}
