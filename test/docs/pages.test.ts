import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import * as errors from '../../src/index.ts'
import * as oauth from '../../src/oauth/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { languageServiceFor } from '../support/typescript.ts'
import { everything, examples, givenToExamples, publicNames, withImports } from './examples.ts'
import { fromSources, runAll } from './run.ts'
import { given, moduleOf, pages, samplesOf } from './samples.ts'

const root = new URL('../../', import.meta.url)

// `npm run apps` and the suite agents compile these, with packages that are not installed here.
const compiledElsewhere = ['docs/query.md', 'docs/frameworks.md', 'docs/agents.md']

const samples = [...pages.keys()]
  .filter((page) => !compiledElsewhere.includes(page))
  .flatMap((page) =>
    samplesOf(page).map((text, index) => ({ page, number: index + 1, text, file: `${page}.${index}.ts` })),
  )

/** Those that need a server, a page, a test runner, or names that nothing here stands for. */
const notRun = /listen\(|from '(pg|redis|vitest)'|social-search-sdk\/(catalog|events|oauth|watch|tabs)/
const toRun = samples
  .filter(({ text }) => !notRun.test(text))
  .map(({ page, number, text }) => ({ name: `${page}: sample ${number}`, text }))

const { service, errorsOf } = languageServiceFor(
  new Map([
    ['given.ts', given],
    ['everything.ts', everything],
    ['given-to-examples.ts', givenToExamples],
    ...samples.map(({ file, text }) => [file, moduleOf(text)] as const),
    ...examples.map(({ file, text }) => [file, moduleOf(withImports(text))] as const),
  ]),
)

// The first check reads all types, which takes longer than a test may.
beforeAll(() => void errorsOf('given.ts'), 60_000)

describe('the pages of the documentation', () => {
  it('have samples', () => expect(samples.length).toBeGreaterThan(10))

  it.each(samples)('$page: sample $number compiles', ({ file }) => {
    expect(errorsOf(file)).toEqual([])
  })

  describe('run against a sandbox', () => {
    let failures: Record<string, string>
    beforeAll(async () => {
      failures = await runAll(new Map(toRun.map(({ name, text }) => [name, text])))
    }, 60_000)

    it.each(toRun)('$name succeeds', ({ name }) => expect(failures[name]).toBeUndefined())
  })

  const guides = [...pages.keys()].filter((page) => page.startsWith('docs/'))
  it.each(guides)('%s is in the sidebar of the site', (page) => {
    const config = readFileSync(new URL('docs/.vitepress/config.js', root), 'utf8')
    expect(config).toContain(`'${page}'`)
  })

  it('docs/guarantees.md names tests that exist', () => {
    const links = [
      ...(pages.get('docs/guarantees.md') ?? '').matchAll(/\[([^\]]+)\]\(\.\.\/(test\/[^)]+)\)/g),
    ]
    const gone = links.filter(
      ([, title = '', file = '']) => !readFileSync(new URL(file, root), 'utf8').includes(title),
    )
    expect(links.length).toBeGreaterThan(20)
    expect(gone.map(([link]) => link)).toEqual([])
  })

  it('docs/errors.md lists each error class of the entry points that it names', () => {
    const classes = [...Object.entries(errors), ...Object.entries(oauth)]
      .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
      .map(([name]) => name)
    // One is the base of the others, and the other is for limiters: no call rejects with them.
    const raised = classes.filter((name) => !['SocialSearchError', 'SurfaceClosed'].includes(name))
    const rows = (pages.get('docs/errors.md') ?? '').split('\n').filter((line) => line.startsWith('| `'))
    const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+Error)`/g)])
    expect(listed.map(([, name]) => name).sort()).toEqual(raised.sort())
  })

  it('docs/start.md searches the sandbox for a query that many authors write about', async () => {
    const [query = ''] = /(?<=query: ')[^']+/.exec(pages.get('docs/start.md') ?? '') ?? []
    const { microblog } = new errors.SocialSearch(createSandbox().clientOptions())
    const authors = (await microblog.search({ query })).posts.map(({ author }) => author)
    expect(new Set(authors.slice(0, 5)).size).toBe(5)
    expect(new Set(authors).size).toBeGreaterThan(12)
  })

  it('README.md and docs/start.md need the Node of package.json, and README.md tells what npm ci prints on Node 20', () => {
    const needed = packageJson.engines.node.replace('>=', 'Node ')
    const readme = (pages.get('README.md') ?? '').replaceAll('\n', ' ')
    for (const text of [readme, pages.get('docs/start.md') ?? '']) expect(text).toContain(`${needed} `)
    expect(readme.match(/Node 20\b.*?[.:]/g)).toEqual([
      'Node 20, `npm ci` prints `EBADENGINE` warnings that you can ignore:',
    ])
  })

  it('llms.txt has a whole sentence about each guide', () => {
    const guides = readFileSync(new URL('llms.txt', root), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('- ['))
    expect(guides.length).toBeGreaterThan(20)
    expect(guides.filter((line) => !/^- \[[^\]]+\]\([\w./]+\): [A-Z`][^\]]+\.$/.test(line))).toEqual([])
  })

  it('docs/home.md shows what its sample prints', async () => {
    const [, shown] = /^```text\n([^]*?)^```/m.exec(pages.get('docs/home.md') ?? '') ?? []
    expect(await run('toArray({ limit: 3 })')).toEqual({ stdout: shown, stderr: '' })
  })

  it.each([
    ['retry', 'docs/errors.md'],
    ['pricing', 'docs/credits.md'],
    ['sqlite', 'docs/jobs.md'],
    ['dedupe', 'docs/jobs.md'],
    ['cron', 'docs/jobs.md'],
    ['slack', 'docs/jobs.md'],
    ['svelte', 'docs/frameworks.md'],
    ['vue', 'docs/frameworks.md'],
    ['jest', 'docs/testing.md'],
    ['opentelemetry', 'docs/telemetry.md'],
  ])('have %s in a heading of %s, which the search of the site ranks first', (word, page) => {
    const headings = (pages.get(page) ?? '').match(/^#+ .*$/gm) ?? []
    expect(headings.filter((heading) => heading.toLowerCase().includes(word))).not.toEqual([])
  })

  it('docs/jobs.md stores each post once, and continues where a run ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobs-'))
    const sandbox = `import { createSandbox } from 'social-search-sdk/sandbox'
import { SocialSearch } from 'social-search-sdk'
process.chdir(${JSON.stringify(folder)})
const client = new SocialSearch(createSandbox().clientOptions())
`
    const count = `
const rows = new DatabaseSync('posts.db')
console.log(rows.prepare('SELECT count(*) AS n FROM posts').get().n, client.credits.spent)`
    const counts = []
    for (let runs = 0; runs < 2; runs++)
      counts.push((await run('INTO walks', fromSources(sandbox), count)).stdout.split(' ').map(Number))
    rmSync(folder, { recursive: true })
    const [[first = 0, spent = 0] = [], [second = 0] = []] = counts
    expect([first, spent]).toEqual([100, 10])
    expect(second).toBeGreaterThan(first)
  })

  it('docs/credits.md keeps a daily budget in a file when processes end or are killed in the queue', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'budget-'))
    const before = `import { createSandbox } from 'social-search-sdk/sandbox'
import { SocialSearch } from 'social-search-sdk'
process.chdir(${JSON.stringify(folder)})
const sandbox = createSandbox({ limits: { perMinute: false } })
const client = new SocialSearch(sandbox.clientOptions())
const query = 'coffee'
`
    const show = `
const used = () => days.prepare('SELECT sum(used) AS n FROM days').get().n`
    const first = `${show}
sandbox.inject({ status: 400 })
sandbox.inject({ reset: 'after' })
await client.microblog.search({ query }, { budget }).catch(() => {})
await client.microblog.search({ query }, { budget }).catch(() => {})
const lost = used()
for (let n = 0; n < 20; n++) client.microblog.search({ query }, { budget }).then()
while (used() < lost + 40) await new Promise((resolve) => setTimeout(resolve))
process.stdout.write(String(lost), () => process.kill(process.pid, 'SIGKILL'))`
    const second = `${show}
const { code, needed, remaining } = await client.professionalnet.posts
  .comments({ postUrl: 'https://p.example/1', maxComments: 100 }, { budget }).catch((error) => error)
console.log(JSON.stringify([used(), code, needed, remaining]))`
    const killed = (await run('const budget: Budget', fromSources(before), first).catch(
      (error: unknown) => error,
    )) as { stdout: string; signal: string }
    const { stdout } = await run('const budget: Budget', fromSources(before), second)
    rmSync(folder, { recursive: true })
    expect([killed.stdout, killed.signal]).toEqual(['4', 'SIGKILL'])
    expect(JSON.parse(stdout)).toEqual([46, 'credit_budget', 100, 4])
  })

  it('docs/jobs.md posts to Slack, with escaped texts', async () => {
    const { stdout } = await run(
      'SLACK_WEBHOOK_URL',
      fromSources(`import { createSandbox } from 'social-search-sdk/sandbox'
import { SocialSearch } from 'social-search-sdk'
process.env.SLACK_WEBHOOK_URL = 'https://hooks.example/T1'
const post = { body: 'acme <b> & co', name: 'A>B', url: 'https://p.example/1' }
const client = new SocialSearch(createSandbox({ content: { microblog: [post] } }).clientOptions())
globalThis.fetch = async (url, { body }) => (console.log(JSON.stringify([url, JSON.parse(body)])), new Response('ok'))
const save = async () => process.exit()
`),
    )
    expect(JSON.parse(stdout)).toEqual([
      'https://hooks.example/T1',
      { text: '<https://p.example/1|A&gt;B>: acme &lt;b&gt; &amp; co' },
    ])
  })

  it('docs/cookbook.md tells a wrong key from a key without the scope', async () => {
    const sample = "import { createSandbox } from 'social-search-sdk/sandbox'\n"
    const outputOf = async (key: string) => {
      const { stderr } = await run(
        'the key is wrong',
        fromSources(`${sample}import { SocialSearch } from 'social-search-sdk'
const sandbox = createSandbox({ keys: [{ key: 'searches_only', scopes: ['search:read'] }, { key: 'reads_all', scopes: ['org:read'] }] })
const client = new SocialSearch({ ...sandbox.clientOptions(), apiKey: '${key}' })
`),
      )
      return stderr
    }
    expect(await outputOf('unknown_key')).toContain('wrong or revoked')
    expect(await outputOf('searches_only')).toContain("lacks a permission [ 'org:read' ]")
    expect(await outputOf('reads_all')).toBe('')
  })

  it('docs/cookbook.md answers 429 with a wait when a 503 announces one and when the queue is full', async () => {
    const { stdout } = await run(
      'const isBusy',
      fromSources(`import { createSandbox } from 'social-search-sdk/sandbox'
import { SocialSearch } from 'social-search-sdk'
const sandbox = createSandbox()
const client = new SocialSearch({ ...sandbox.clientOptions(), limits: { maxQueued: 1 }, retry: { maxAttempts: 1 } })
`),
      `
sandbox.inject({ status: 503, retryAfter: 120 })
sandbox.inject({ status: 503, retryAfter: 0 })
const answers = [await answer('tea'), await answer('tea'), ...(await Promise.all(['a', 'b', 'c', 'd'].map(answer)))]
console.log(JSON.stringify(answers.map(({ status, headers }) => [status, headers.get('retry-after')])))`,
    )
    expect(JSON.parse(stdout.split('\n')[1] ?? '')).toEqual([
      [429, '120'],
      [429, '1'],
      [200, null],
      [200, null],
      [200, null],
      [429, '5'],
    ])
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

  it('have a sample of a test that passes', async () => {
    expect(await run('sandbox.inject')).toEqual({ stdout: '', stderr: '' })
  })

  it('have a receiver of Standard Webhooks that accepts signed, recent, new events, byte by byte', async () => {
    const { stdout } = await run(
      'webhook-signature',
      `
import { Webhook } from 'standardwebhooks'
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const ids = new Set(), saved = []
const store = { addIfNew: (id) => !ids.has(id) && ids.add(id) !== undefined }
const save = (id) => saved.push(id)
`,
      `
const webhook = new Webhook(secret)
const post = async (id, signed, { ago = 0, body = signed, signatures = (own) => own, without } = {}) => {
  const at = new Date(Date.now() - ago)
  const seconds = String(Math.floor(at / 1000))
  const own = typeof signed === 'string' ? webhook.sign(id, at, signed) : 'v1,' +
    createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(id + '.' + seconds + '.').update(signed).digest('base64')
  const headers = new Headers({
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures(own),
  })
  if (without) headers.delete(without)
  return (await receive(new Request('https://receiver.example', { method: 'POST', headers, body }))).status
}
const BOM = String.fromCharCode(0xfeff)
const bytes = new Uint8Array([0x22, 0xff, 0x22])
const accepted = [
  await post('new', '{"a":"é"}'),
  await post('new', '{"a":"é"}'),
  await post('several', '{}', { signatures: (own) => 'v1,bm9uZQ== ' + own }),
  await post('BOM', BOM + '{}'),
  await post('bytes', bytes),
]
const refused = [
  await post('body', '{}', { body: '[]' }),
  await post('old', '{}', { ago: 400_000 }),
  await post('future', '{}', { ago: -400_000 }),
  await post('BOM before', '{}', { body: BOM + '{}' }),
  await post('BOM gone', BOM + '{}', { body: '{}' }),
  await post('other bytes', '"' + String.fromCharCode(0xfffd) + '"', { body: bytes }),
  await post('garbage', '{}', { signatures: (own) => own + 'garbage' }),
  await post('garbage', '{}', { signatures: (own) => own + ',garbage' }),
  await post('version', '{}', { signatures: (own) => own.replace('v1', 'v2') }),
]
for (const without of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
  refused.push(await post('without', '{}', { without }))
await new Promise((resolve) => setTimeout(resolve, 10))
console.log(JSON.stringify({ accepted, refused, saved }))
`,
    )
    expect(JSON.parse(stdout)).toEqual({
      accepted: new Array(5).fill(202),
      refused: new Array(12).fill(401),
      saved: ['new', 'several', 'BOM', 'bytes'],
    })
  })
})

describe('@example', () => {
  it('is in the docstring of each function and class of the package', () => {
    const without = publicNames(service).filter(({ hasExample }) => !hasExample)
    expect(without.map(({ name, from }) => `${from}: ${name}`)).toEqual([])
  })

  it.each(examples)('in $source compiles', ({ file }) => expect(errorsOf(file)).toEqual([]))
})

/** Runs the sample that holds a text, from the sources, with code before and after it. */
function run(text: string, before = '', after = ''): Promise<{ stdout: string; stderr: string }> {
  const sample = samples.find((sample) => sample.text.includes(text))?.text ?? ''
  const args = ['--input-type=module-typescript', '--eval', before + fromSources(sample) + after]
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
