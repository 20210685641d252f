import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')

/** The first sample below a heading, on the sources in place of the package. */
function sampleUnder(heading: string): string {
  const [, sample = ''] = /```ts\n(.*?)```/s.exec(readme.slice(readme.indexOf(`\n## ${heading}\n`))) ?? []
  const source = (name: string) => JSON.stringify(fileURLToPath(new URL(`src${name}/index.ts`, root)))
  return sample.replaceAll(/'social-search-sdk((?:\/\w+)*)'/g, (_, name: string) => source(name))
}

describe('the README', () => {
  it('has a sample of a test that passes as it stands', async () => {
    const args = ['--input-type=module-typescript', '--eval', sampleUnder('Test your own app')]
    expect(await promisify(execFile)(process.execPath, args)).toEqual({ stdout: '', stderr: '' })
  })
})

describe('SECURITY.md', () => {
  it('names tests that there are', () => {
    const security = readFileSync(new URL('SECURITY.md', root), 'utf8')
    const named = security.match(/test\/[\w./-]+/g) ?? []
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })
})
