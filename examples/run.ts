/**
 * Runs an example with the package as it would be published: `npm run example nightly-job`. The example talks to a sandbox,
 * unless SOCIAL_SEARCH_BASE_URL and SOCIAL_SEARCH_API_KEY are set.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { serveSandbox } from '../src/sandbox/node.ts'
import { pack, run } from '../test/packaging/tarball.ts'

const [, , name = '', ...args] = process.argv
const examples = readdirSync(import.meta.dirname).filter(
  (name) => !name.includes('.') && name !== 'dashboard',
)
if (!examples.includes(name)) {
  console.error(`unknown example ${name}; expected one of ${examples.join(', ')}`)
  process.exit(2)
}

console.log(`Building the package and installing it into examples/${name}\n`)
const cwd = join(import.meta.dirname, name)
run('npx', ['tsup', '--silent', '--no-dts'])
const { folder, tarball } = pack()
run('npm', ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', tarball], cwd)
rmSync(folder, { recursive: true })

const { SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: apiKey } = process.env
const sandbox = baseUrl && apiKey ? null : await serveSandbox({ latency: [80, 250] })
const service = sandbox && {
  SOCIAL_SEARCH_BASE_URL: sandbox.baseUrl,
  SOCIAL_SEARCH_API_KEY: sandbox.apiKey,
}
const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as {
  scripts: { dev?: string }
}
const child = spawn('npm', ['run', scripts.dev ? 'dev' : 'start', '--silent', '--', ...args], {
  cwd,
  env: { ...process.env, ...service },
  stdio: 'inherit',
})
// Ctrl+C reaches the example, too: it ends by itself.
process.on('SIGINT', () => {})
const [code] = (await once(child, 'exit')) as [number | null]
await sandbox?.close()
process.exitCode = code ?? 1
