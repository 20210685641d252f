import { execFileSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { partOfCommit } from './clock/commit.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly seed?: number
  }
}

const install = ['--no-audit', '--no-fund', '--loglevel', 'error']
const ci = (folder: string) => ['npm', 'ci', '--prefix', folder, ...install]

/** What each separate suite needs before its tests: the built package, and packages and types of its own. */
const commands: Readonly<Record<string, readonly string[][]>> = {
  browser: [['node', 'scripts/build.ts', '--no-dts']],
  dashboard: [
    ['node', 'scripts/build.ts'],
    ['npm', 'install', '--prefix', 'examples/dashboard', '--no-save', ...install],
    ['tsc', '-p', 'examples/dashboard'],
    ['vite', 'build', 'examples/dashboard', '--logLevel', 'error'],
  ],
  examples: [['node', 'scripts/build.ts']],
  agents: [['node', 'scripts/build.ts', '--no-dts'], ci('test/agents'), ['tsc', '-p', 'test/agents']],
  stores: [ci('test/stores'), ['tsc', '-p', 'test/stores']],
  opentelemetry: [ci('test/opentelemetry'), ['tsc', '-p', 'test/opentelemetry']],
}

/** Prepares a separate suite. */
export default function setUp(project: TestProject): void {
  // Kills, pauses and changes come at other moments with each commit.
  project.provide('seed', Number(process.env['TEST_SEED'] ?? partOfCommit(0)))
  // `npx npm` would ask the registry for another npm.
  for (const [tool, ...args] of commands[project.name] ?? [])
    if (tool === 'npm') execFileSync(tool, args, { stdio: 'inherit' })
    else execFileSync('npx', [tool!, ...args], { stdio: 'inherit' })
}
