import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** Runs a program, shows its output only if it fails, and returns it. */
export function run(command: string, args: readonly string[], cwd = root): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    console.error(`${command} ${args.join(' ')} failed\n${stdout}${stderr}`)
    process.exit(1)
  }
}

/** Packs the built package as it would be published, and returns the tarball's path. */
export function pack(): { folder: string; tarball: string } {
  const folder = mkdtempSync(join(tmpdir(), 'social-search-sdk-'))
  const name = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]).trim()
  return { folder, tarball: join(folder, name) }
}
