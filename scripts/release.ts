/**
 * Run by `npm version`: dates the section Unreleased of the CHANGELOG and copies the version to the source. With `--check TAG`, it only
 * checks that the tag, package.json, the source and the CHANGELOG agree.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const path = (name: string) => new URL(`../${name}`, import.meta.url)
const read = (name: string) => readFileSync(path(name), 'utf8')

const { values } = parseArgs({ options: { check: { type: 'string' } } })
const { version } = JSON.parse(read('package.json')) as { version: string }
const changelog = read('CHANGELOG.md')
if (values.check === undefined) {
  const [head, body] = changelog.split('## [Unreleased]\n')
  if (!body?.split('\n## ')[0]?.trim()) fail('CHANGELOG.md has nothing under Unreleased')
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(path('CHANGELOG.md'), `${head}## [Unreleased]\n\n## [${version}] - ${date}\n${body}`)
  writeFileSync(path('src/lib/version.ts'), read('src/lib/version.ts').replace(/'.*'/, `'${version}'`))
} else {
  if (values.check !== `v${version}`)
    fail(`the tag is ${values.check}, expected v${version} as in package.json`)
  if (!read('src/lib/version.ts').includes(`'${version}'`))
    fail(`src/lib/version.ts has another version, expected ${version} as in package.json`)
  if (!changelog.includes(`\n## [${version}] - `)) fail(`CHANGELOG.md has no section for ${version}`)
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
