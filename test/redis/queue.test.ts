import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { serveSandbox } from '../support/sandbox.ts'
import { fromSources } from '../docs/run.ts'
import { samplesOf } from '../docs/samples.ts'
import { admin, server } from './workers.ts'

const execute = promisify(execFile)

/** Workers of docs/fleet.md, as processes, and the service that they share: each search has two pages. */
async function workers(limit = 1000) {
  const posts = Array.from({ length: 60 }, (_, id) => ({
    id: String(id),
    body: id % 2 === 0 ? 'coffee' : 'tea',
  }))
  const sandbox = await serveSandbox({ content: { microblog: posts } })
  onTestFinished(() => sandbox.close())
  const { baseUrl, apiKey } = sandbox
  const [sample = ''] = samplesOf('docs/fleet.md')
  const code = fromSources(sample.replace('limit: 1000', `limit: ${limit}`))
  const args = ['--input-type=module-typescript', '--eval', code]
  const account = { SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: apiKey }
  const env = { ...process.env, REDIS_URL: server.url, ...account }
  await admin.flushall()
  await admin.rpush('queries', 'coffee', 'tea')
  return { sandbox, work: () => execute(process.execPath, args, { env }) }
}

it('docs/fleet.md has a worker that keeps its page and puts its query back when a deploy ends it', async () => {
  const { sandbox, work } = await workers()
  sandbox.inject({ delay: 1000 })
  const worker = work()
  await expect.poll(() => sandbox.requests.length).toBeGreaterThan(0)
  worker.child.kill()
  await worker
  expect(await admin.lrange('queries', 0, -1)).toEqual(['coffee', 'tea'])
  expect(await admin.exists('taken')).toBe(0)
  expect(await admin.hlen('posts')).toBe(20)
  expect(sandbox.ledger.spent).toBe(2)
})

it('docs/fleet.md has workers that put their queries back when the budget is used up', async () => {
  const { sandbox, work } = await workers(3)
  const ends = await Promise.all([work(), work()])
  for (const { stderr } of ends) expect(stderr).toContain('may cost 2 credits')
  expect((await admin.lrange('queries', 0, -1)).toSorted()).toEqual(['coffee', 'tea'])
  expect(await admin.exists('taken')).toBe(0)
  expect(sandbox.ledger.spent).toBe(2)
})

it('docs/fleet.md has a worker that stores all searches of a queue, and pays for no page again after a crash', async () => {
  const { sandbox, work } = await workers()
  sandbox.inject({ status: 500, skip: 1 })
  await expect(work()).rejects.toThrow('ApiError')
  await admin.lmove('taken', 'queries', 'LEFT', 'RIGHT')
  await work()

  const bodies = sandbox.requests
    .filter(({ status }) => status === 200)
    .map(({ body }) => JSON.stringify(body))
  expect(new Set(bodies).size).toBe(bodies.length)
  expect(await admin.hlen('posts')).toBe(60)
  expect(await admin.exists('queries', 'taken', 'progress')).toBe(0)
  expect(sandbox.ledger.spent).toBe(2 * bodies.length)
})
