import { describe, expect, it } from 'vitest'
import { runProgram } from './run.ts'
import { pages, samples } from './samples.ts'

describe('the pages of the documentation', () => {
  it('README.md shows what its first sample prints', async () => {
    const [, shown] = /^```text\n([^]*?)^```/m.exec(pages.get('README.md') ?? '') ?? []
    expect(await run('toArray({ limit: 2 })')).toEqual({ stdout: shown, stderr: '' })
  })

  it('docs/cookbook.md tells a wrong key from a key without the scope', async () => {
    const keys = `[{ key: 'searches_only', scopes: ['search:read'] }, { key: 'reads_all', scopes: ['org:read'] }]`
    const outputOf = async (key: string) =>
      (await run('the key is wrong', `{ keys: ${keys} }`, `apiKey: '${key}'`)).stderr
    expect(await outputOf('unknown_key')).toContain('wrong or revoked')
    expect(await outputOf('searches_only')).toContain("lacks a permission [ 'org:read' ]")
    expect(await outputOf('reads_all')).toBe('')
  })

  it('docs/cookbook.md answers 429 with a wait when a 503 announces one, and when the minute is used up', async () => {
    const options = 'limits: { perMinute: 3 }, retry: { maxAttempts: 1 }'
    const searches = `
sandbox.inject({ status: 503, retryAfter: 120 })
const answers = [await answer('tea'), await answer('tea'), await answer('tea')]
console.log(answers.map(({ status, headers }) => status + ' ' + headers.get('retry-after')).join())`
    const { stdout } = await run('const isBusy', '', options, searches)
    expect(stdout.split('\n')[1]).toMatch(/^429 120,200 null,429 [56]\d$/)
  })

  it('have a sample of a test that passes', async () => {
    expect(await run('sandbox.inject')).toEqual({ stdout: '', stderr: '' })
  })
})

/** Runs the sample that holds a text, from the sources, with options of its sandbox and its client, and code that follows. */
function run(text: string, sandbox = '', client = '', after = '') {
  const sample = samples.find((sample) => sample.text.includes(text))?.text ?? ''
  const program = sample
    .replace('createSandbox()', `createSandbox(${sandbox})`)
    .replace('new SocialSearch(options)', `new SocialSearch({ ...options, ${client} })`)
  return runProgram(program + after)
}
