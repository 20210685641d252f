import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { pack, root, run } from '../packaging/tarball.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the packed package. */
    readonly tarball: string
    /** A folder with the packages of the examples in {@link linked}. */
    readonly packages: string
  }
}

/** Examples that get links to packages that are installed once for all of them. The others have tools that take no links. */
export const linked = [
  ...['archive', 'export-csv', 'express', 'fleet', 'hono', 'nightly-job', 'oauth-cli', 'slack-digest'],
  ...['spike-alert', 'test-your-app'],
]

/** The packages that an example names, with their versions. */
export function packagesOf(example: string): Readonly<Record<string, string>> {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'examples', example, 'package.json'), 'utf8'),
  )
  return { ...dependencies, ...devDependencies }
}

/** As a user would, but with the packed package. */
export const install = ['install', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel', 'error']

/** Packs the package, and installs packages, once for all tests of the examples. */
export default function setup({ provide }: TestProject): () => void {
  const { folder, tarball } = pack()
  const packages = mkdtempSync(join(folder, 'packages-'))
  const dependencies = Object.assign({}, ...linked.map(packagesOf), {
    'social-search-sdk': `file:${tarball}`,
  })
  writeFileSync(join(packages, 'package.json'), JSON.stringify({ dependencies }))
  run('npm', install, packages)
  provide('tarball', tarball)
  provide('packages', packages)
  return () => rmSync(folder, { recursive: true })
}
