import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from './folders.ts'

/** Installs the peers that the package itself does not need, on the first run. */
export function installPeers(): void {
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return
  console.log('installing the peers into bench/node_modules')
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: folder, stdio: 'inherit' })
}
