import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { startPostgres } from '../postgres/server.ts'
import { startRedis } from '../redis/server.ts'
import { root, run } from './tarball.ts'

const peers = Object.entries(packageJson.peerDependencies)
const oldest = peers.map(([name, range]) => `${name}@${/\d[\d.]*/.exec(range)?.[0] ?? ''}`)
const newest = peers.map(([name, range]) => `${name}@${range.split(' || ').at(-1) ?? ''}`)

/** What programs may have beside the package: the oldest, what lies between, and the newest. */
const neighbors = [
  ['redis@4.0.0', 'ioredis@5.0.0', 'pg@8.0', 'zod@3', ...oldest],
  ['redis@5', 'ioredis@5', 'pg@8', 'zod@4', ...newest],
  ['redis@6', 'ioredis@6', 'pg@8', 'zod@4', ...newest],
]

const compilerOptions =
  '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --target es2022 --module preserve --types node'.split(
    ' ',
  )

const tools = ['typescript@7', '@types/node@24', '@types/pg@8']

/** Installs a tarball beside other packages, before and after them, then compiles and runs a program that uses them. */
export async function checkNeighbors(tarball: string): Promise<void> {
  const [redis, postgres] = [await startRedis(), await startPostgres()]
  const folder = mkdtempSync(join(tmpdir(), 'social-search-sdk-peers-'))
  try {
    for (const packages of neighbors) {
      for (const [first, second] of [
        [[tarball], [...packages, ...tools]],
        [[...packages, ...tools], [tarball]],
      ] as const) {
        rmSync(folder, { recursive: true })
        mkdirSync(folder)
        writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
        run('npm', ['install', '--loglevel', 'error', '--no-audit', '--no-fund', ...first], folder)
        run('npm', ['install', '--loglevel', 'error', '--no-audit', '--no-fund', ...second], folder)
      }
      cpSync(join(root, 'test/packaging/consumer/peers.ts'), join(folder, 'peers.ts'))
      run('npx', ['tsc', ...compilerOptions, 'peers.ts'], folder)
      run(process.execPath, ['peers.ts', redis.url, postgres.url], folder)
      console.log(`✓ the package installs before and after, and works with, ${packages.join(', ')}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await Promise.all([redis.kill(), postgres.remove()])
  }
}
