import { execFile } from 'node:child_process'
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { type SandboxOptions, createSandbox, serveSandbox } from '../support/sandbox.ts'
import { startRedis } from '../redis/server.ts'
import { listening } from '../support/listening.ts'
import { Example, closing, serviceOf } from './example.ts'

/** The clock stands, so that all walks find the same posts. */
const now = new Date('2026-11-20T18:00:00Z')
const serve = async (options: SandboxOptions = {}) => closing(await serveSandbox({ now, ...options }))
const npmRunExample = (...args: string[]) =>
  promisify(execFile)('npm', ['run', '--silent', 'example', ...args], {
    cwd: join(import.meta.dirname, '../..'),
  })
const linesOf = (folder: string, name: string) =>
  readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1)

const postsAbout = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ id: `${from + i}`, body: `typescript ${from + i}` }))
const numbers = (from: number, to: number) => postsAbout(from, to).map(({ id }) => Number(id))
/** What nightly-job has stored. */
function storedIn(folder: string): number[] {
  const db = new DatabaseSync(join(folder, 'posts.db'))
  const rows = db.prepare('SELECT id FROM posts').all()
  db.close()
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b)
}

it('nightly-job stores the new posts of each night once when it is killed at any moment', async () => {
  const content = { microblog: postsAbout(0, 20) }
  const sandbox = await serve({ content, latency: [5, 30], limits: { perMinute: false } })
  const example = await Example.install('nightly-job')
  const first = example.start(serviceOf(sandbox))
  expect(await first.ended(), first.output).toBe(0)
  let kills = 0
  for (; kills < 6; kills++) {
    sandbox.publish(postsAbout(20 + 30 * kills, 50 + 30 * kills))
    const run = example.start(serviceOf(sandbox))
    const before = sandbox.requests.length
    // Some of its requests later, and some milliseconds.
    const pages = Math.floor(Math.random() * 3)
    for (let tries = 0; tries < 1000 && sandbox.requests.length < before + pages; tries++)
      await new Promise((resolve) => setTimeout(resolve, 5))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30))
    await run.kill()
  }
  // The budget of a run may be too small for all that is missing.
  for (let night = 0; night < 3; night++) {
    const run = example.start(serviceOf(sandbox))
    expect(await run.ended(), run.output).toBe(0)
  }
  expect(storedIn(example.folder)).toEqual(numbers(0, 20 + 30 * kills))

  const requests = sandbox.requests.length
  const quiet = example.start(serviceOf(sandbox))
  expect([await quiet.ended(), sandbox.requests.length - requests]).toEqual([0, 2])
  expect(quiet.output).toBe('0 new posts in posts.db, 2 of 20 credits spent\n')
})

it('export-csv keeps the rows of all pages that it has paid for, and never overwrites them', async () => {
  const sandbox = await serve()
  const example = await Example.install('export-csv')
  const run = example.start(serviceOf(sandbox))
  expect(await run.ended(), run.output).toBe(0)
  const all = linesOf(example.folder, 'posts.csv')
  expect(all[0]).toBe('timestamp,author,body,engagements.favoriteCount,engagements.viewsCount,url')
  expect(run.output).toContain(`for ${sandbox.ledger.spent} credits`)

  const requests = sandbox.requests.length
  const second = example.start(serviceOf(sandbox))
  // It has asked for the description, which is free.
  expect([await second.ended(), sandbox.requests.length]).toEqual([1, requests + 1])
  expect(second.output).toContain('EEXIST')
  expect(linesOf(example.folder, 'posts.csv')).toEqual(all)

  rmSync(join(example.folder, 'posts.csv'))
  sandbox.inject({ operation: 'microblog.search', skip: 2, status: 400 })
  expect(await example.start(serviceOf(sandbox)).ended()).toBe(1)
  const paid = linesOf(example.folder, 'posts.csv')
  expect(paid.length).toBeGreaterThan(40) // a header, and texts with line breaks
  expect(paid).toEqual(all.slice(0, paid.length))
})

it.each([
  ['nightly-job', 1],
  ['archive', 3],
  ['export-csv', 1],
] as const)('%s keeps each paid page that is not as documented', async (name, searches) => {
  const sandbox = await serve()
  const example = await Example.install(name)
  const body = { posts: 'none', meta: {} }
  sandbox.inject({ operation: 'microblog.search', body, times: searches })
  const run = example.start(serviceOf(sandbox))
  expect(await run.ended(), run.output).toBe(1)
  const kept = readdirSync(example.folder).filter((file) => /^unexpected-.+\.json$/.test(file))
  expect(kept.map((file) => JSON.parse(readFileSync(join(example.folder, file), 'utf8')))).toEqual(
    Array.from({ length: searches }, () => body),
  )
})

/** A server that answers every request with the same JSON, the first ones with a status, and keeps what it was sent. */
async function receiver(answer: object, statuses: number[] = []) {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body)
      response.statusCode = statuses.shift() ?? 200
      response.end(JSON.stringify(answer))
    })
  })
  closing(server)
  return { url: `${await listening(server)}/`, bodies }
}
/** The given number of posts about coffee, as old as this in days. */
const coffee = (count: number, days: number) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ id: `${days}/${i}`, body: `coffee <${i}>`, author: 'ada', engagements: { viewsCount: i } },
    timestamp: new Date(
      Date.parse(new Date().toISOString().slice(0, 10)) - days * 86_400_000 + i,
    ).toISOString(),
  }))

it('slack-digest sends one message a morning, with a summary that holds no markup, within its budget', async () => {
  const sandbox = await serve({
    now: () => Date.now(),
    content: { microblog: [...coffee(3, 0), ...coffee(30, 1)] },
  })
  const ai = await receiver({ choices: [{ message: { content: 'All say <!channel> coffee.' } }] })
  const slack = await receiver({}, [500])
  const example = await Example.install('slack-digest')
  const service = { ...serviceOf(sandbox), SLACK_URL: slack.url, AI_URL: ai.url, AI_KEY: 'key' }
  const failed = example.start(service)
  expect(await failed.ended(), failed.output).toBe(1)
  expect(failed.output).toContain('4 of 20 credits spent')
  // What was paid for is sent by the next run.
  const run = example.start(service)
  expect(await run.ended(), run.output).toBe(0)
  expect(slack.bodies[1]).toBe(slack.bodies[0])
  const [headline, summary, ...best] = (JSON.parse(slack.bodies[0]!) as { text: string }).text.split('\n')
  expect(headline).toMatch(/^\*30 posts about coffee on /)
  expect(summary).toBe('All say &lt;!channel&gt; coffee.')
  expect(best).toHaveLength(3)
  expect(best[0]).toMatch(/^• coffee &lt;29&gt; \(@ada, 29 views\) https:/)
  expect(JSON.parse(ai.bodies[0]!)).toMatchObject({ messages: [{ role: 'system' }, { role: 'user' }] })

  const again = example.start(service)
  expect([await again.ended(), slack.bodies.length, sandbox.ledger.spent]).toEqual([0, 2, 4])
})

it('spike-alert buys past days once, and alerts once of a day with far more posts', async () => {
  const usual = Array.from({ length: 28 }, (_, i) => coffee(2 + (i % 3), i + 1)).flat()
  const sandbox = await serve({ now: () => Date.now(), content: { microblog: usual } })
  const slack = await receiver({})
  const example = await Example.install('spike-alert')
  const run = async () => {
    const started = example.start({ ...serviceOf(sandbox), SLACK_URL: slack.url })
    expect(await started.ended(), started.output).toBe(0)
    return started.output
  }
  expect(await run()).toBe(
    `0 posts today, 28 days to compare with, ${sandbox.ledger.spent} of 40 credits spent\n`,
  )
  expect(slack.bodies).toEqual([])

  sandbox.publish(coffee(30, 0))
  const alerted = await run()
  expect(alerted).toContain('30 posts about coffee today, 3.0 on one of the 28 days before\n')
  expect(alerted).toContain('4 of 40 credits spent')
  await run()
  expect(slack.bodies).toHaveLength(1)
})

it('spike-alert saves each day that it has read completely before a failure, and requests only missing days', async () => {
  const usual = Array.from({ length: 28 }, (_, i) => coffee(7, i + 1)).flat()
  const content = { microblog: [...coffee(30, 0), ...usual] }
  const sandbox = await serve({ now: () => Date.now(), content, limits: { perMinute: false } })
  const example = await Example.install('spike-alert')
  const path = join(example.folder, 'state.json')
  const state = () =>
    JSON.parse(readFileSync(path, 'utf8')) as { counts: Record<string, number>; alerted?: string }
  const run = async (env: Record<string, string> = {}) => {
    const before = sandbox.requests.length
    const started = example.start({ ...serviceOf(sandbox), ...env })
    const code = await started.ended()
    const bodies = sandbox.requests.slice(before).map(({ body }) => body)
    return { code, bodies, output: started.output }
  }
  sandbox.inject({ skip: 4, status: 400 })
  expect((await run()).code).toBe(1)
  // Two pages of today, and 40 posts of past days.
  expect(Object.values(state().counts)).toEqual([7, 7, 7, 7, 7])

  const noSlack = { SLACK_URL: `${sandbox.baseUrl}/none` }
  const second = await run(noSlack)
  expect([second.code, second.bodies.length]).toEqual([1, 2 + Math.ceil((23 * 7) / 20) + 1])
  expect(second.output).toContain('Slack answered 401')
  const { counts, alerted } = state()
  expect([Object.values(counts), alerted]).toEqual([Array(28).fill(7), undefined])

  const days = Object.keys(counts).sort()
  const missing = [days[3], days[9], days[10]]
  const left = Object.entries(counts).filter(([day]) => !missing.includes(day))
  writeFileSync(path, JSON.stringify({ counts: Object.fromEntries(left) }))
  const third = await run()
  expect([third.code, third.output]).toEqual([
    0,
    expect.stringContaining('30 posts about coffee today, 7.0 on'),
  ])
  expect(third.bodies.slice(2)).toMatchObject([
    { filters: { since: days[9], until: days[11] } },
    { filters: { since: days[3], until: days[4] } },
  ])
  expect((await run()).output).toBe('30 posts today, 28 days to compare with, 4 of 40 credits spent\n')
})

it('deno compiles, and keeps the posts of all pages that it has paid for', async () => {
  const sandbox = await serve()
  const example = await Example.install('deno')
  const check = example.start({}, 'check')
  expect(await check.ended(), check.output).toBe(0)
  const run = example.start(serviceOf(sandbox))
  expect(await run.ended(), run.output).toBe(0)
  const all = linesOf(example.folder, 'posts.jsonl')
  expect(all.length).toBeGreaterThan(60)
  expect(run.output).toContain(`for ${sandbox.ledger.spent} credits`)

  sandbox.inject({ operation: 'microblog.search', skip: 2, status: 400 })
  expect(await example.start(serviceOf(sandbox)).ended()).toBe(1)
  const paid = linesOf(example.folder, 'posts.jsonl')
  expect(paid).toHaveLength(40)
  expect(paid).toEqual(all.slice(0, 40))
})

it('fleet shares limits and a budget among its workers, and does what killed workers have left', async () => {
  const redis = await startRedis()
  closing({ close: () => redis.kill() })
  const client = await createClient({ url: redis.url }).connect()
  await client.rPush('taken', 'coffee')
  await client.close()
  const sandbox = await serve({ latency: [100, 200] })
  const example = await Example.install('fleet')
  const run = example.start({ ...serviceOf(sandbox), REDIS_URL: redis.url })
  expect(await run.ended(), run.output).toBe(0)
  expect(run.output).toContain('posts about coffee')
  expect(run.output).toContain('10 queries are answered\n20 credits spent, 0 uncertain, 80 left')
  expect(new Set(run.output.match(/worker \d+/g)).size).toBeGreaterThan(1)
  expect(sandbox.ledger.spent).toBe(20)
  expect(sandbox.requests.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(Math.max(...sandbox.requests.map(({ inFlight }) => inFlight))).toBe(2)
})

it('oauth-cli searches as the user who logs in, and needs no login after that', async () => {
  const example = await Example.install('oauth-cli')
  const run = example.start({})
  const [, url = ''] = /Log in at (\S+)/.exec(await run.printed(/Log in at \S+\n/)) ?? []
  expect(await (await fetch(url)).text()).toBe('You can close this page.')
  expect(await run.ended(), run.output).toBe(0)
  expect(run.output.match(/^@\w+: /gm)).toHaveLength(5)
  expect(statSync(join(example.folder, 'tokens.sqlite')).mode & 0o777).toBe(0o600)

  const second = example.start({}, 'start', 'coffee')
  expect(await second.ended(), second.output).toBe(0)
  expect(second.output).toMatch(/^@\w+: /)
})

it('test-your-app has tests that pass', async () => {
  const run = (await Example.install('test-your-app')).start(serviceOf(createSandbox()))
  expect(await run.ended(), run.output).toBe(0)
  expect(run.output).toMatch(/5 passed/)
})

it('npm run example installs examples and starts them with a sandbox, also two at once', async () => {
  // The example refuses the file of an earlier run.
  rmSync(join(import.meta.dirname, '../../examples/export-csv/posts.csv'), { force: true })
  const [csv, found] = await Promise.all([
    npmRunExample('export-csv'),
    npmRunExample('archive', 'find', 'qwertz'),
  ])
  expect(csv.stdout).toMatch(/posts.csv is written, for \d+ credits\n$/)
  expect(found.stdout).toMatch(/No post has all these words\n$/)
})

it('each example names the Node versions it needs, and loads TypeScript in all of them', () => {
  const folder = join(import.meta.dirname, '../../examples')
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )) {
    const { scripts, engines } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
    if (/^(bun|deno) /.test(scripts.start)) continue
    expect(engines?.node, name).toMatch(/^>=2[24]$/)
    // Node 22.0 cannot load TypeScript by itself.
    if (engines.node === '>=22') expect(scripts.start, name).not.toMatch(/^node \S+\.ts/)
  }
})

it('npm run example lists the examples when it gets no name, or an unknown one', async () => {
  const { stdout } = await npmRunExample()
  expect(stdout).toMatch(/^export-csv +Writes the posts of a search to `posts.csv`$/m)
  expect(stdout.match(/^[\w-]+ {2,}\w/gm)).toHaveLength(14)
  const message = expect.stringContaining(
    'unknown example nightly; expected one of archive, bun, ',
  ) as unknown
  await expect(npmRunExample('nightly')).rejects.toMatchObject({ code: 2, stderr: message })
})
