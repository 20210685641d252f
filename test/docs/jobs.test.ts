import { execFile } from 'node:child_process'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { compileFunction } from 'node:vm'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { CreditBudget, SocialSearch } from '../../src/index.ts'
import { serveSandbox } from '../../src/extensions/sandbox/node.ts'
import { watchSearch } from '../../src/extensions/watch/index.ts'
import { newFolder } from '../support/folder.ts'
import { fromSources } from './run.ts'
import { samplesOf } from './samples.ts'

/** Runs the sample with this text in a process of its own; returns what it printed, also if it was killed. */
async function run(text: string, before: string): Promise<string> {
  const sample = samplesOf('docs/jobs.md').find((each) => each.includes(text)) ?? ''
  // Nobody waits five minutes for the second poll.
  const own = sample
    .replace('5 * 60_000', '5')
    .replace('{ CreditBudget, SocialSearch }', '{ CreditBudget }')
    .replace('const client = SocialSearch.fromEnv()\n', '')
  const code = fromSources(before) + fromSources(own)
  const args = ['--input-type=module-typescript', '--eval', code]
  const ended = promisify(execFile)(process.execPath, args)
  return ended.then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      const { signal, stdout, stderr } = error as { signal: string | null; stdout: string; stderr: string }
      if (signal !== 'SIGKILL') throw new Error(stderr)
      return stdout
    },
  )
}

const limits = { perMinute: false } as const
const posts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ id: `${from + index}`, body: 'coffee' }))

/** When the process of a night is killed. */
const kills = new Map([
  [3, 'the first page is bought'],
  [5, 'the second page is bought'],
  [8, 'the first page is stored'],
])

/** What a night that is killed has before the sample. It prints its credits. */
const killed = (folder: string, options: object, when: string) => `
import { writeSync } from 'node:fs'
import { DatabaseSync as Database } from 'node:sqlite'
import { SocialSearch } from 'social-search-sdk'
process.chdir(${JSON.stringify(folder)})
const { exec } = Database.prototype
const dieIf = (event?: string) => {
  if (event !== '${when}') return
  writeSync(1, String(client.credits.spent))
  process.kill(process.pid, 'SIGKILL')
}
let pages = 0
let commits = 0
Database.prototype.exec = function (sql) {
  exec.call(this, sql)
  if (sql === 'COMMIT' && ++commits === 1) dieIf('the first page is stored')
}
const events = ['the key is checked', 'the first page is bought', 'the second page is bought']
const observer = { onAttempt: () => dieIf(events[pages++]) }
const client = new SocialSearch({ ...${JSON.stringify(options)}, observers: [observer] })
`

/** The sample as a function of this process, in which a night takes milliseconds. */
function jobIn(folder: string) {
  class Database extends DatabaseSync {
    constructor(name: string) {
      super(join(folder, name))
    }
  }
  const sample = samplesOf('docs/jobs.md').find((each) => each.includes('INTO watches')) ?? ''
  const body = stripTypeScriptTypes(sample).replaceAll(/^import .*$/gm, '')
  const names = ['SocialSearch', 'DatabaseSync', 'CreditBudget', 'watchSearch']
  const job = compileFunction(`return (async () => {${body}})()`, names) as (
    ...given: unknown[]
  ) => Promise<void>
  return (client: SocialSearch) => job({ fromEnv: () => client }, Database, CreditBudget, watchSearch)
}

it('docs/jobs.md stores each post once in ten nights with new posts, three of which end with SIGKILL', async () => {
  const folder = newFolder()
  const sandbox = await serveSandbox({ content: { microblog: posts(0, 20) }, limits })
  const { baseUrl, apiKey } = sandbox
  const job = jobIn(folder)
  let [published, spent] = [20, 0]
  for (let night = 1; night <= 10; night++) {
    if (night > 1) {
      // One post, or so many that the budget leaves a gap.
      const count = night === 6 ? 130 : night % 2 === 0 ? 1 : 30
      sandbox.publish(posts(published, published + count))
      published += count
    }
    const kill = kills.get(night)
    if (kill === undefined) {
      const client = new SocialSearch({ baseUrl, apiKey, limits })
      await job(client)
      spent += client.credits.spent
    } else {
      const printed = await run('INTO watches', killed(folder, { baseUrl, apiKey, limits }, kill))
      expect(Number(printed)).toBeGreaterThan(0)
      spent += Number(printed)
    }
  }
  await sandbox.close()
  const database = new DatabaseSync(join(folder, 'posts.db'))
  const ids = database.prepare('SELECT id FROM posts').all()
  database.close()
  expect(ids.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(
    posts(0, published).map(({ id }) => Number(id)),
  )
  expect(spent).toBe(sandbox.ledger.spent)
  // The first night buys a page, others two for 30 posts and one for one, the gap of night 6 ten, and a kill one again.
  expect(spent).toBeLessThanOrEqual(2 * (1 + 4 * 3 + 4 * 2 + 10 + 3))
}, 60_000)

it('docs/jobs.md posts to Slack, with escaped texts, and no old or empty message', async () => {
  const stdout = await run(
    'SLACK_WEBHOOK_URL',
    `import { createSandbox } from 'social-search-sdk/sandbox'
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
`,
  )
  expect(JSON.parse(stdout)).toEqual([
    'https://hooks.example/T1',
    { text: '<https://p.example/1|A&gt;B>: acme &lt;b&gt; &amp; co' },
  ])
})
