import { expect, it } from 'vitest'
import { linesOf } from '../support/command-line.ts'
import { runProgram } from './run.ts'
import { sampleOf } from './samples.ts'

const sample = sampleOf('docs/jobs.md', 'SLACK_WEBHOOK_URL')
const start = `import { createSandbox } from 'social-search-sdk/sandbox'
process.env.SLACK_WEBHOOK_URL = 'https://hooks.example/T1'`

/** Each query gets a new post once both have been searched. Slack fails once, and accepts two messages before the program ends. */
const given = `${start}
const post = (body: string, id = '1') => ({ body, name: 'A>B', url: 'https://p.example/' + id })
const content = { microblog: [post('acme is old'), post('globex is old')] }
const sandbox = createSandbox({ content, limits: { perMinute: false } })
process.env.SOCIAL_SEARCH_BASE_URL = sandbox.baseUrl
process.env.SOCIAL_SEARCH_API_KEY = sandbox.apiKey
let tries = 0
const searched = new Set()
globalThis.fetch = async (url, init) => {
  const request = new Request(url, init)
  if (!request.url.startsWith('https://hooks.example/')) {
    const { query } = await request.clone().json()
    const response = await sandbox.fetch(request)
    if (searched.size < 2 && searched.add(query).size === 2)
      sandbox.publish([post('acme <b> & co'), post('globex hires', '2')])
    return response
  }
  if (++tries === 1) return new Response('', { status: 500 })
  console.log(url + ' ' + JSON.parse(init.body).text)
  if (tries === 3) setTimeout(() => process.exit())
  return new Response('ok')
}
`

it('docs/jobs.md posts new posts of all searches to Slack once, with escaped texts, after an outage too', async () => {
  // Nobody waits fifteen minutes for the next check, on a budget of a day.
  const own = sample
    .replace("limit: 200, every: 'day'", 'limit: 200')
    .replace('60_000', '100')
    .replace("from: 'now'", "from: 'now', minInterval: 100")
  const { stdout } = await runProgram(given + own)
  expect(linesOf(stdout).sort()).toEqual([
    'https://hooks.example/T1 <https://p.example/1|A&gt;B>: acme &lt;b&gt; &amp; co',
    'https://hooks.example/T1 <https://p.example/2|A&gt;B>: globex hires',
  ])
})

/** An outbox of earlier messages. Slack is down until all searches have been checked, then refuses one, and accepts the others. */
const outage = (outbox: string) => `${start}
const sandbox = createSandbox()
process.env.SOCIAL_SEARCH_BASE_URL = sandbox.baseUrl
process.env.SOCIAL_SEARCH_API_KEY = sandbox.apiKey
const file = new (process.getBuiltinModule('node:sqlite').DatabaseSync)('slack.db')
file.exec(${JSON.stringify(outbox)})
for (const text of ['one', 'two', 'three']) file.prepare('INSERT INTO outbox (message) VALUES (?)').run(text)
let tries = 0
globalThis.fetch = async (url, init) => {
  if (!String(url).startsWith('https://hooks.example/')) return sandbox.fetch(new Request(url, init))
  const { text } = JSON.parse(init.body)
  if (++tries <= 4) return new Response('', { status: tries === 2 ? 429 : 500 })
  if (text === 'two') return new Response('', { status: 400 })
  console.log(text)
  if (text === 'three')
    setTimeout(() => {
      console.log(file.prepare('SELECT count(*) AS left FROM outbox').get().left)
      process.exit()
    })
  return new Response('ok')
}
`

it('docs/jobs.md tries messages again before the next check, and sends the others when Slack refuses one', async () => {
  const [outbox = ''] = /CREATE TABLE IF NOT EXISTS outbox [^']*/.exec(sample) ?? []
  const own = sample.replace('60_000', '100')
  const { stdout, stderr } = await runProgram(outage(outbox) + own, { timeout: 30_000 })
  expect(linesOf(stdout)).toEqual(['one', 'three', '0'])
  expect(stderr).toContain('Slack answered 400: two')
})
