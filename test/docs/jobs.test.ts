import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { fromSources } from './run.ts'
import { samplesOf } from './samples.ts'

const given = `import { createSandbox } from 'social-search-sdk/sandbox'
import { SocialSearch } from 'social-search-sdk'
process.env.SLACK_WEBHOOK_URL = 'https://hooks.example/T1'
const post = (body: string) => ({ body, name: 'A>B', url: 'https://p.example/1' })
const sandbox = createSandbox({ content: { microblog: [post('acme is old')] } })
const client = new SocialSearch(sandbox.clientOptions())
globalThis.fetch = async (url, { body }) => (console.log(JSON.stringify([url, JSON.parse(body)])), new Response('ok'))
let saved = 0
const save = async () => {
  if (++saved === 2) process.exit()
  sandbox.publish([post('acme <b> & co')])
}
`

it('docs/jobs.md posts to Slack, with escaped texts, and no old or empty message', async () => {
  const sample = samplesOf('docs/jobs.md').find((each) => each.includes('SLACK_WEBHOOK_URL')) ?? ''
  // Nobody waits five minutes for the second poll.
  const own = sample.replace('5 * 60_000', '5').replace('{ CreditBudget, SocialSearch }', '{ CreditBudget }')
  const args = ['--input-type=module-typescript', '--eval', fromSources(given) + fromSources(own)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(JSON.parse(stdout)).toEqual([
    'https://hooks.example/T1',
    { text: '<https://p.example/1|A&gt;B>: acme &lt;b&gt; &amp; co' },
  ])
})
