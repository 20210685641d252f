import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../support/folder.ts'
import { fromSources } from './run.ts'
import { pages, samples } from './samples.ts'

describe('the pages of the documentation', () => {
  it('docs/home.md shows what its sample prints', async () => {
    const [, shown] = /^```text\n([^]*?)^```/m.exec(pages.get('docs/home.md') ?? '') ?? []
    expect(await run('toArray({ limit: 3 })')).toEqual({ stdout: shown, stderr: '' })
  })

  it('docs/credits.md keeps a daily budget in a file when processes end or are killed in the queue', async () => {
    const before = `process.chdir(${JSON.stringify(newFolder())})
const query = 'coffee'
${clientOf('{ limits: { perMinute: false } }')}`
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
    const killed = (await run('const budget: Budget', before, first).catch((error: unknown) => error)) as {
      stdout: string
      signal: string
    }
    const { stdout } = await run('const budget: Budget', before, second)
    expect([killed.stdout, killed.signal]).toEqual(['4', 'SIGKILL'])
    expect(JSON.parse(stdout)).toEqual([46, 'credit_budget', 100, 4])
  })

  it('docs/cookbook.md tells a wrong key from a key without the scope', async () => {
    const keys = `[{ key: 'searches_only', scopes: ['search:read'] }, { key: 'reads_all', scopes: ['org:read'] }]`
    const outputOf = async (key: string) =>
      (await run('the key is wrong', clientOf(`{ keys: ${keys} }`, `apiKey: '${key}'`))).stderr
    expect(await outputOf('unknown_key')).toContain('wrong or revoked')
    expect(await outputOf('searches_only')).toContain("lacks a permission [ 'org:read' ]")
    expect(await outputOf('reads_all')).toBe('')
  })

  it('docs/cookbook.md answers 429 with a wait when a 503 announces one, and when the minute is used up', async () => {
    const { stdout } = await run(
      'const isBusy',
      clientOf('{}', 'limits: { perMinute: 3 }, retry: { maxAttempts: 1 }'),
      `
sandbox.inject({ status: 503, retryAfter: 120 })
const answers = [await answer('tea'), await answer('tea'), await answer('tea')]
console.log(JSON.stringify(answers.map(({ status, headers }) => [status, headers.get('retry-after')])))`,
    )
    const wait = expect.stringMatching(/^6\d$/)
    expect(JSON.parse(stdout.split('\n')[1] ?? '')).toEqual([
      [429, '120'],
      [200, null],
      [429, wait],
    ])
  })

  it('have a sample of a test that passes', async () => {
    expect(await run('sandbox.inject')).toEqual({ stdout: '', stderr: '' })
  })
})

/** Code that makes a sandbox, and a client of it with further options. */
function clientOf(options: string, more = ''): string {
  return `import { createSandbox } from 'social-search-sdk/sandbox'
import { SocialSearch } from 'social-search-sdk'
const sandbox = createSandbox(${options})
const client = new SocialSearch({ ...sandbox.clientOptions(), ${more} })
`
}

/** Runs the sample that holds a text, from the sources, with code before and after it. */
function run(text: string, before = '', after = ''): Promise<{ stdout: string; stderr: string }> {
  const sample = samples.find((sample) => sample.text.includes(text))?.text ?? ''
  const args = ['--input-type=module-typescript', '--eval', fromSources(before + sample) + after]
  return promisify(execFile)(process.execPath, args)
}
