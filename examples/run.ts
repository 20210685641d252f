/**
 * Runs an example with the package as it would be published: `npm run example nightly-job`. A word after its name may be one of
 * its scripts: `npm run example archive report`. The example talks to a sandbox, unless SOCIAL_SEARCH_BASE_URL and
 * SOCIAL_SEARCH_API_KEY are set.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serveSandbox } from '../src/extensions/sandbox/node.ts'
import { pack, root, run } from '../test/packaging/tarball.ts'

const [, , name, ...args] = process.argv
const examples = readdirSync(import.meta.dirname).filter(
  (name) => !name.includes('.') && name !== 'dashboard',
)
if (name === undefined) {
  console.log('npm run example NAME\n')
  for (const name of examples) {
    const [, about] = readFileSync(join(import.meta.dirname, name, 'README.md'), 'utf8').split('\n\n')
    console.log(`${name.padEnd(16)}${about?.replaceAll('\n', ' ').replace(/\. .*/, '')}`)
  }
  process.exit()
}
if (!examples.includes(name)) {
  console.error(`unknown example ${name}; expected one of ${examples.join(', ')}`)
  process.exit(2)
}

console.log(`Building the package and installing it into examples/${name}\n`)
const cwd = join(import.meta.dirname, name)
// Another example may be building dist. The operating system drops this lock when its process ends, however that happens.
const cache = join(root, 'node_modules/.cache')
mkdirSync(cache, { recursive: true })
const lock = new DatabaseSync(join(cache, 'example.lock'), { timeout: 300_000 })
lock.exec('BEGIN EXCLUSIVE')
run('npx', ['node', 'scripts/build.ts', '--no-dts'])
const { folder, tarball } = pack()
run('npm', ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', tarball], cwd)
rmSync(folder, { recursive: true })
lock.close()

const { SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: apiKey } = process.env
const sandbox = baseUrl && apiKey ? null : await serveSandbox({ latency: [80, 250] })
const service = sandbox && {
  SOCIAL_SEARCH_BASE_URL: sandbox.baseUrl,
  SOCIAL_SEARCH_API_KEY: sandbox.apiKey,
}
const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const [first = '', ...others] = args
const [script, rest] = scripts[first] ? [first, others] : [scripts['dev'] ? 'dev' : 'start', args]
const child = spawn('npm', ['run', script, '--silent', '--', ...rest], {
  cwd,
  env: { ...process.env, ...service },
  stdio: 'inherit',
})
// Ctrl+C reaches the example, too: it ends by itself.
process.on('SIGINT', () => {})
const [code] = (await once(child, 'exit')) as [number | null]
await sandbox?.close()
process.exitCode = code ?? 1
