import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { fromSources } from './run.ts'
import { samplesOf } from './samples.ts'
import { newFolder } from '../support/folder.ts'

/** Each network gets a new post. Slack fails once, and accepts two messages before the program ends. */
const given = `import { createSandbox } from 'social-search-sdk/sandbox'
process.env.SLACK_WEBHOOK_URL = 'https://hooks.example/T1'
const post = (body: string) => ({ body, name: 'A>B', url: 'https://p.example/1' })
const content = { microblog: [post('acme is old')], professionalnet: [{ commentary: 'acme was old' }] }
const sandbox = createSandbox({ content, limits: { perMinute: false } })
process.env.SOCIAL_SEARCH_BASE_URL = sandbox.baseUrl
process.env.SOCIAL_SEARCH_API_KEY = sandbox.apiKey
let tries = 0
globalThis.fetch = async (url, init) => {
  if (!String(url).startsWith('https://hooks.example/')) return sandbox.fetch(new Request(url, init))
  if (++tries === 1) return new Response('', { status: 500 })
  console.log(JSON.stringify([url, JSON.parse(init.body).text]))
  if (tries === 3) setTimeout(() => process.exit())
  return new Response('ok')
}
setTimeout(() => {
  sandbox.publish([post('acme <b> & co')])
  sandbox.publish({ professionalnet: [{ commentary: 'acme hires', share_url: 'https://n.example/2' }] })
}, 500)
`

it('docs/jobs.md posts new posts of both networks to Slack once, with escaped texts, after an outage too', async () => {
  const sample = samplesOf('docs/jobs.md').find((each) => each.includes('SLACK_WEBHOOK_URL')) ?? ''
  // Nobody waits fifteen minutes for the next check, on a budget of a day.
  const own = sample
    .replace("limit: 200, every: 'day'", 'limit: 200')
    .replace("from: 'now'", "from: 'now', freshness: 100")
  const args = ['--input-type=module-typescript', '--eval', fromSources(given) + fromSources(own)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: newFolder() })
  const sent = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, string])
  expect(sent.map(([url]) => url)).toEqual(Array(2).fill('https://hooks.example/T1'))
  expect(sent.map(([, text]) => text).toSorted()).toEqual([
    expect.stringMatching(/^<https:\/\/n\.example\/2\|.+>: acme hires$/),
    '<https://p.example/1|A&gt;B>: acme &lt;b&gt; &amp; co',
  ])
})
