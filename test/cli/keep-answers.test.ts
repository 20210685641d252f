import { renameSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeDatabase } from '../../src/cli/database/describe.ts'
import { findRecords } from '../../src/cli/database/find.ts'
import { keepAnswers } from '../../src/cli/mcp.ts'
import { SocialSearch } from '../../src/index.ts'
import { createTools } from '../../src/extensions/tools/index.ts'
import { allOf, change } from '../support/posts-database.ts'
import { saidSoFar, sandbox, useCommand } from './command.ts'

useCommand()

/** @param onSend Called when a request is on its way. */
async function setUp(flags: Parameters<typeof keepAnswers>[1] = {}, onSend = () => {}) {
  const path = 'agent.db'
  const { baseUrl, apiKey } = sandbox
  const observers = [await keepAnswers(path, flags)]
  const fetch = (request: Request) => {
    onSend()
    return sandbox.fetch(request)
  }
  const client = new SocialSearch({ baseUrl, fetch, apiKey, observers, logger: false })
  const archive = { find: (query: string, options: { limit: number }) => findRecords(path, query, options) }
  return { path, client, tools: createTools({ client, budget: 100, archive }) }
}

it('keepAnswers() lets archive_search and describe find all pages that an agent buys, as one search', async () => {
  const { path, tools } = await setUp()
  expect(await tools.archive_search?.execute({ query: 'kettle' })).toMatchObject({ ok: true, items: [] })
  const result = await tools.microblog_search.execute({ query: 'kettle', pages: 2, summary: 'day' })
  expect(result.credits.spent).toBe(4)
  expect((await tools.archive_search?.execute({ query: 'kettle' }))?.notice).toContain('has 40 records')
  await tools.organization_usage.execute({})
  const { searches } = await describeDatabase(path)
  const checks = [{ command: 'mcp' }]
  expect(searches).toMatchObject([{ search: 'kettle', records: 40, credits: 4, checks }])
})

it('keepAnswers() keeps a paid answer that is not as documented', async () => {
  const { path, client } = await setUp()
  sandbox.inject({ status: 200, body: { requestId: 'r', posts: [{ id: '1', body: 'a kettle' }], meta: {} } })
  await expect(client.microblog.search({ query: 'kettle' })).rejects.toMatchObject({ charged: 'yes' })
  expect(await findRecords(path, 'kettle', { limit: 1 })).toMatchObject({ total: 1 })
})

it('keepAnswers() keeps each purchase, also of what is no list: call, params, cost, time and label', async () => {
  const { path, client } = await setUp({ costLabel: 'acme' })
  const url = 'https://professional.example/company/acme'
  sandbox.inject({ reset: 'after' })
  await expect(client.professionalnet.company.get({ url })).rejects.toThrow()
  await client.microblog.search({ query: 'kettle', count: 5 })
  await client.organization.usage()
  const purchases = allOf(
    path,
    `SELECT json_extract(job, '$.mcp') AS call, params, at, label, credits, uncertain
     FROM social_search_purchases AS purchases
     JOIN social_search_searches AS searches ON searches.number = purchases.search`,
  )
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:/) as string
  expect(purchases.map((row) => Object.values(row))).toEqual([
    ['professionalnet.company.get', JSON.stringify({ url }), at, 'acme', 0, 4],
    ['microblog.search', '{"count":5,"query":"kettle"}', at, 'acme', 2, 0],
  ])
  const company = { search: url, records: 0, credits: 0, uncertain: 4 }
  const search = { search: 'kettle', records: 5, credits: 2 }
  expect(await describeDatabase(path)).toMatchObject({ labels: { acme: 6 }, searches: [company, search] })
})

it('keepAnswers() refuses a call before it is sent when the file cannot keep the answer', async () => {
  const { path, tools } = await setUp()
  change(path, 'CREATE TABLE professionalnet_posts (number INTEGER PRIMARY KEY, text)')
  const error = { charged: 'no', message: expect.stringContaining('agent.db') as unknown }
  const refusal = { ok: false, credits: { spent: 0, uncertain: 0 }, error }
  expect(await tools.professionalnet_posts_search.execute({ query: 'kettle' })).toMatchObject(refusal)
  expect(sandbox.requests).toHaveLength(0)
})

it('the caller has an answer that keepAnswers() cannot keep', async () => {
  const { path, client } = await setUp({}, () => renameSync(path, `${path}.old`))
  expect((await client.microblog.search({ query: 'kettle' })).posts).toHaveLength(20)
  expect(saidSoFar()).toContain('agent.db was moved')
})
