/**
 * A first check of uncommitted changes: types, lint of the changed files, and related tests. Related tests import a
 * changed file and are in the test folder of its room. With a ref, it checks the changes since then:
 * `npm run check:quick -- main`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

const since = process.argv[2] ?? 'HEAD'
const changed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')]
const files = changed.filter((file) => existsSync(file))
const code = files.filter((file) => /\.[cm]?[jt]s$/.test(file))
const folders = new Set(changed.flatMap((file) => testsOf(file) ?? []))

const cache = 'node_modules/.cache'
const checks = [
  run('tsc', ['--noEmit', '--incremental', '--tsBuildInfoFile', `${cache}/check-quick.tsbuildinfo`]),
  run('eslint', ['--max-warnings', '0', '--no-warn-ignored', ...code], code),
  run('prettier', ['--check', '--ignore-unknown', '--log-level', 'warn', ...files], files),
  run(
    'vitest',
    [...['run', '--project', 'main', '--reporter', 'dot'], `--changed=${since}`, ...folders],
    [...folders],
  ),
]
if ((await Promise.all(checks)).includes(false)) process.exitCode = 1

function git(...args: string[]): string[] {
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
}

/** The test file itself, or the test folder for a file of src. */
function testsOf(file: string): string | undefined {
  if (/^test\/.*\.test\.ts$/.test(file)) return existsSync(file) ? file : undefined
  const room = /^src\/(core\/\w+|\w+)/.exec(file)?.[1]
  if (room === undefined) return undefined
  return existsSync(`test/${room}`) ? `test/${room}/` : 'test/core/'
}

/** Resolves to false if the program fails, and prints its output then. */
function run(name: string, args: readonly string[], about?: readonly string[]): Promise<boolean> {
  if (about?.length === 0) return Promise.resolve(true)
  return new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (output += text.toString()))
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
      if (code !== 0) console.error(output)
      resolve(code === 0)
    })
  })
}
