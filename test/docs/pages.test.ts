import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import * as errors from '../../src/index.ts'
import * as cache from '../../src/extensions/cache/index.ts'
import * as oauth from '../../src/extensions/oauth/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { guideGroups } from '../../scripts/docs/guides.ts'
import { languageServiceFor } from '../support/typescript.ts'
import { everything, exampleModule, examples, givenToExamples, publicNames } from './examples.ts'
import { runAll } from './run.ts'
import { pages, samples, session } from './samples.ts'

const root = new URL('../../', import.meta.url)

/** Those that need a server or a test runner, log in, or go on for ever; other tests run most of them. */
const notRun = /from '(pg|redis|vitest|node:test)'|social-search-sdk\/oauth|watchSearches\(/
const toRun = samples.filter(({ text }) => !notRun.test(text))

const programs = languageServiceFor(
  new Map([
    ['docs/session.ts', session],
    ...samples.map(({ file, text }) => [file, `${text}\nexport {}`] as const),
  ]),
)
const { service, errorsOf } = languageServiceFor(
  new Map([
    ['everything.ts', everything],
    ['given-to-examples.ts', givenToExamples],
    ...examples.map(({ file, text }) => [file, exampleModule(text)] as const),
  ]),
)

// The first check reads all types, which takes longer than a test may.
beforeAll(() => {
  programs.errorsOf('docs/session.ts')
  errorsOf('everything.ts')
})

describe('the pages of the documentation', () => {
  it('have samples', () => expect(samples.length).toBeGreaterThan(10))

  it.each(samples)('$name compiles, with nothing but its own text', ({ file }) => {
    expect(programs.errorsOf(file)).toEqual([])
  })

  describe('run against a sandbox', () => {
    let failures: Record<string, string>
    beforeAll(async () => {
      failures = await runAll(new Map(toRun.map(({ name, text }) => [name, text])))
    })

    it.each(toRun)('$name succeeds', ({ name }) => expect(failures[name]).toBeUndefined())
  })

  it('are in docs/guides.json, which orders the site, README.md and llms.txt', () => {
    const guides = [...guideGroups.values()].flatMap((group) => [...group.keys()])
    const written = [...pages.keys()].filter((page) => /^docs\//.test(page))
    const others = ['AGENTS.md', 'SECURITY.md', 'docs/reference/README.md']
    expect(guides.toSorted()).toEqual([...written, ...others].toSorted())
  })

  it('have tests for the guarantees, which test/guarantees.md names', () => {
    const tests = new URL('test/guarantees.md', root)
    const links = [...readFileSync(tests, 'utf8').matchAll(/\[([^\]]+)\]\(([\w/.-]+\.ts)\)/g)]
    const gone = links.filter(
      ([, title = '', file = '']) => !readFileSync(new URL(file, tests), 'utf8').includes(title),
    )
    expect(links.length).toBeGreaterThan(20)
    expect(gone.map(([link]) => link)).toEqual([])
  })

  it('docs/reference/errors.md lists each error class of the entry points that docs/errors.md names', () => {
    const classes = [...Object.entries(errors), ...Object.entries(oauth), ...Object.entries(cache)]
      .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
      .map(([name]) => name)
    // It is the base of the others: no call rejects with it.
    const raised = classes.filter((name) => name !== 'SocialSearchError')
    const page = readFileSync(new URL('docs/reference/errors.md', root), 'utf8')
    // The table of their own fields names some again.
    const [tables = ''] = page.split('Fields of their own')
    const listed = [...tables.matchAll(/^\| [^|]+ \| `(\w+Error)` \|/gm)].map(([, name]) => name)
    expect(listed.sort()).toEqual(raised.sort())
  })

  it('docs/start.md searches the sandbox for a query that many authors write about', async () => {
    const [query = ''] = /(?<=query: ')[^']+/.exec(pages.get('docs/start.md') ?? '') ?? []
    const { microblog } = new errors.SocialSearch(
      createSandbox({ now: new Date('2026-11-20') }).clientOptions(),
    )
    const authors = (await microblog.search({ query })).posts.map(({ author }) => author)
    expect(new Set(authors.slice(0, 5)).size).toBe(5)
    expect(new Set(authors).size).toBeGreaterThan(12)
  })

  it('README.md, docs/start.md and docs/support.md need the Node of package.json', () => {
    const needed = packageJson.engines.node.replace('>=', '')
    for (const page of ['README.md', 'docs/start.md']) expect(pages.get(page)).toContain(`Node ${needed} `)
    expect(pages.get('docs/support.md')).toContain(`- **Node** ${needed} `)
  })

  it('llms.txt has a whole sentence about each guide', () => {
    const guides = readFileSync(new URL('llms.txt', root), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('- ['))
    expect(guides.length).toBeGreaterThan(20)
    expect(guides.filter((line) => !/^- \[[^\]]+\]\([\w./]+\): [A-Z`][^\]]+\.$/.test(line))).toEqual([])
  })

  it.each([...pages.keys()])('%s names files that exist, and headings that exist', (page) => {
    const text = pages.get(page) ?? ''
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link)
    const paths = [...text.matchAll(/`((?:src|test|docs|simulate|examples)\/[\w./-]+)`/g)].map(
      ([, path = '']) => `/${path}`,
    )
    const missing = [...links, ...paths].filter((link) => {
      const { pathname, hash } = new URL(link, `file:///${page}`)
      const target = new URL(pathname.slice(1), root)
      if (!existsSync(target)) return true
      return hash !== '' && !headingsOf(readFileSync(target, 'utf8')).includes(hash.slice(1))
    })
    expect(missing).toEqual([])
  })
})

describe('@example', () => {
  it('is in the docstring of each function and class of the package', () => {
    const without = publicNames(service).filter(({ hasExample }) => !hasExample)
    expect(without.map(({ name, from }) => `${from}: ${name}`)).toEqual([])
  })

  it.each(examples)('in $source compiles', ({ file }) => expect(errorsOf(file)).toEqual([]))
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
