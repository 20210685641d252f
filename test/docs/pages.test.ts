import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { languageServiceFor } from '../support/typescript.ts'
import { given, moduleOf, pages, samplesOf } from './samples.ts'

const root = new URL('../../', import.meta.url)

// `npm run apps` and `npm run test:agents` compile the samples of these, with packages that are not installed here.
const elsewhere = ['docs/query.md', 'docs/agents.md']
const samples = [...pages.keys()]
  .filter((page) => !elsewhere.includes(page))
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
    expect(await run('sandbox.inject')).toEqual({ stdout: '', stderr: '' })
  })

  it('have a receiver of Standard Webhooks that takes what is signed, now and once', async () => {
    const { stdout } = await run(
      'standardwebhooks',
      `
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const ids = new Set(), saved = []
const store = { addIfNew: (id) => !ids.has(id) && ids.add(id) !== undefined }
const save = (id) => saved.push(id)
`,
      `
const post = async (id, ago, signed, body = signed, other = '') => {
  const at = new Date(Date.now() - ago)
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': other + webhook.sign(id, at, signed),
  }
  return (await receive(new Request('https://receiver.example', { method: 'POST', headers, body }))).status
}
const statuses = [
  await post('a', 0, '{"a":"é"}'),
  await post('a', 0, '{"a":"é"}'),
  await post('b', 0, '{}', '{}', 'v1,bm9uZQ== '),
  await post('c', 0, '{}', '[]'),
  await post('d', 400_000, '{}'),
]
await new Promise((resolve) => setTimeout(resolve, 10))
console.log(JSON.stringify({ statuses, saved }))
`,
    )
    expect(JSON.parse(stdout)).toEqual({ statuses: [202, 202, 202, 401, 401], saved: ['a', 'b'] })
  })
})

/** Runs the sample that holds a text, from the sources, with code before and after it. */
function run(text: string, before = '', after = ''): Promise<{ stdout: string; stderr: string }> {
  const source = (name: string) => JSON.stringify(fileURLToPath(new URL(`src${name}/index.ts`, root)))
  const sample = samples.find((sample) => sample.text.includes(text))?.text ?? ''
  const code = sample.replaceAll(/'social-search-sdk((?:\/\w+)*)'/g, (_, name: string) => source(name))
  const args = ['--input-type=module-typescript', '--eval', before + code + after]
  return promisify(execFile)(process.execPath, args)
}

/** The anchors of a page. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
