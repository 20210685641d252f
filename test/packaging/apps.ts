/** Compiles and tests users' programs in a separate project, with the built package: needs the registry, once. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { samplesOf, session } from '../docs/samples.ts'
import { root, run } from './tarball.ts'

const folder = join(root, 'test/apps')
const installed = join(folder, 'node_modules')
if (!existsSync(join(installed, '.package-lock.json'))) {
  console.log('installing into test/apps/node_modules')
  run('npm', ['ci', '--no-audit', '--no-fund', '--silent'], folder)
}
if (!existsSync(join(installed, 'social-search-sdk'))) symlinkSync(root, join(installed, 'social-search-sdk'))

const out = join(folder, '.out')
rmSync(out, { recursive: true, force: true })
mkdirSync(out)
for (const [index, sample] of samplesOf('docs/testing.md').entries()) {
  // The others are tests of Vitest.
  const ending = sample.includes("from 'node:test'") ? 'node.ts' : 'test.ts'
  writeFileSync(join(out, `sample-${index + 1}.${ending}`), sample)
}

// These import each other, so each is a file by the name in its first line.
for (const sample of samplesOf('docs/frameworks.md')) {
  const [, name = 'unnamed'] = /^\/\/ (\S+)$/m.exec(sample) ?? []
  const file = join(out, 'frameworks', name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${sample}\nexport {}`)
}
writeFileSync(join(out, 'frameworks/session.ts'), session)

run('npx', ['tsc', '-p', folder])
console.log('✓ programs of users compile')

const inJest = ['--rootDir', join(folder, 'jest'), '--testMatch', '**/*.mjs']
run(process.execPath, ['--experimental-vm-modules', join(installed, 'jest/bin/jest.js'), ...inJest], folder)
console.log('✓ a test in Jest passes, as docs/testing.md starts it')

run(process.execPath, [join(installed, 'vitest/vitest.mjs'), 'run', '--root', folder])
console.log('✓ their tests pass, and so do the samples of docs/testing.md')
