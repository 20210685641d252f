/** Builds the package, unless `dist` is newer than what it is made of. With `--no-dts`, declarations may be missing. */
import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'

const options = process.argv.slice(2)
const made = options.includes('--no-dts') ? 'dist/index.js' : 'dist/index.d.ts'
// Folders, too: they tell which files are gone.
const sources = globSync([
  'src',
  'src/**',
  'scripts/{declarations,entry-points}.ts',
  'tsup.config.ts',
  'package*.json',
])
const builtAt = statSync(made, { throwIfNoEntry: false })?.mtimeMs ?? 0
if (sources.some((source) => statSync(source).mtimeMs >= builtAt))
  execFileSync('npx', ['tsup', '--silent', ...options], { stdio: 'inherit' })
