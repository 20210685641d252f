import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { languageServiceFor } from '../support/typescript.ts'
import { given, moduleOf, pages, samplesOf } from './samples.ts'

const root = new URL('../../', import.meta.url)

// `npm run apps` compiles the samples of docs/query.md, with packages that are not installed here.
const samples = [...pages.keys()]
  .filter((page) => page !== 'docs/query.md')
  .flatMap((page) =>
    samplesOf(page).map((text, index) => ({ page, number: index + 1, text, file: `${page}.${index}.ts` })),
  )

describe('the pages of the documentation', () => {
  const { errorsOf } = languageServiceFor(
    new Map([['given.ts', given], ...samples.map(({ file, text }) => [file, moduleOf(text)] as const)]),
  )

  it('have samples', () => expect(samples.length).toBeGreaterThan(10))

  it.each(samples)('$page: sample $number compiles', ({ file }) => {
    expect(errorsOf(file)).toEqual([])
  })

  it.each([...pages.keys()])('%s names files that exist, and headings that exist', (page) => {
    const text = pages.get(page) ?? ''
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link)
    const paths = [...text.matchAll(/`((?:src|test|docs|simulate|examples)\/[\w./-]+)`/g)].map(
      ([, path = '']) => `/${path}`,
    )
    const missing = [...links, ...paths].filter((link) => {
      const [path = '', heading] = link.split('#')
      const target =
        path === ''
          ? page
          : path.startsWith('/')
            ? path.slice(1)
            : new URL(path, `file:///${page}`).pathname.slice(1)
      if (!existsSync(new URL(target, root))) return true
      return heading !== undefined && !headingsOf(pages.get(target) ?? '').includes(heading)
    })
    expect(missing).toEqual([])
  })

  it('have a sample of a test that passes as it stands', async () => {
    const source = (name: string) => JSON.stringify(fileURLToPath(new URL(`src${name}/index.ts`, root)))
    const sample = samples.find(({ text }) => text.includes('sandbox.inject'))?.text ?? ''
    const code = sample.replaceAll(/'social-search-sdk((?:\/\w+)*)'/g, (_, name: string) => source(name))
    const args = ['--input-type=module-typescript', '--eval', code]
    expect(await promisify(execFile)(process.execPath, args)).toEqual({ stdout: '', stderr: '' })
  })
})

/** The anchors of a page. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
