import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { serveSandbox } from '../../src/extensions/sandbox/node.ts'
import { fromSources } from '../docs/run.ts'
import { samplesOf } from '../docs/samples.ts'
import { admin, server } from './workers.ts'

const execute = promisify(execFile)

it('docs/fleet.md has a worker that stores all searches of a queue, and pays for no page again after a crash', async () => {
  const posts = Array.from({ length: 50 }, (_, id) => ({ id: String(id), body: id < 40 ? 'coffee' : 'tea' }))
  const sandbox = await serveSandbox({ content: { microblog: posts } })
  onTestFinished(() => sandbox.close())
  const { baseUrl, apiKey } = sandbox
  const [sample = ''] = samplesOf('docs/fleet.md')
  const given = `const [url, baseUrl, apiKey] = ${JSON.stringify([server.url, baseUrl, apiKey])}\n`
  const args = ['--input-type=module-typescript', '--eval', fromSources(given + sample)]
  const work = () => execute(process.execPath, args)

  await admin.rpush('queries', 'coffee', 'tea')
  sandbox.inject({ status: 500, skip: 1 })
  await expect(work()).rejects.toThrow('ApiError')
  await admin.lmove('taken', 'queries', 'LEFT', 'RIGHT')
  await work()

  const bodies = sandbox.requests
    .filter(({ status }) => status === 200)
    .map(({ body }) => JSON.stringify(body))
  expect(new Set(bodies).size).toBe(bodies.length)
  expect(await admin.hlen('posts')).toBe(50)
  expect(await admin.exists('queries', 'taken', 'progress')).toBe(0)
  expect(sandbox.ledger.spent).toBe(2 * bodies.length)
})
