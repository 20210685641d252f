import { describe, expect, it } from 'vitest'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Issue } from '../../../src/index.ts'
import { page, post } from '../../support/pages.ts'
import { realTime } from '../../support/real-time.ts'
import { apiKey, failure, makeClient, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
const query = 'typescript'
const many = 60_000
const long = 'x'.repeat(100_000)
const unknown = Object.fromEntries(Array.from({ length: many }, (_, index) => [`field${index}`, 1]))
const hundred = Array.from({ length: 100 }, (_, index) => String(index))
const longNames = Object.fromEntries(hundred.map((name) => [name + 'x'.repeat(6000), 1]))
const issues = new Array<Issue>(many).fill({ path: 'query', message: 'is wrong' })
const found = issues.map(({ path, message }) => ({ path: [path], message }))
const brokenPage = { ...page([]), posts: [{ ...post('1'), images: new Array<number>(many).fill(1) }] }
const manyPosts = page([...hundred, ...hundred])
const listing = (all: object[]) => failure(400, 'validation_error', { error: { issues: all } })

/** A schema that is never met. */
const finding = (issues: readonly StandardSchemaV1.Issue[]) => ({
  schema: { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) } },
})

const errorOf = async (call: PromiseLike<unknown>) =>
  (await realTime.settle(call)).error as Error & { issues: readonly Issue[] }

describe('issues of an error', () => {
  const client = makeClient({ retry: false, limits: { perMinute: false } })
  const search = (params: object = {}, options = {}) => client.microblog.search({ query, ...params }, options)

  it.each<[string, Response, () => PromiseLike<unknown>]>([
    ['params have 60,000 unknown fields', ok(), () => search(unknown)],
    ['params have names of 6,000 characters', ok(), () => search(longNames)],
    ['a query has 60,000 objects', ok(), () => client.mentions.list({ ids: new Array(many).fill({}) })],
    ['the service lists 60,000', listing(issues), () => search()],
    ['the service lists a long one', listing([{ path: long, message: long }]), () => search()],
    ['a response has 60,000 invalid values', ok(brokenPage), () => search()],
    ['a schema finds 60,000', ok(), () => search({}, finding(found))],
    ['a schema refuses 200 items', ok(manyPosts), () => search({}, finding([{ message: 'is wrong' }]))],
    ['a schema finds a long one', ok(), () => search({}, finding([{ message: long }]))],
  ])('are limited in number and size when %s', async (_, answer, call) => {
    service.script(answer)
    const error = await errorOf(call())
    expect(error.issues.length).toBeGreaterThan(0)
    expect(error.issues.length).toBeLessThanOrEqual(101)
    expect(JSON.stringify(error.issues).length).toBeLessThan(30_000)
    expect(error.message.length).toBeLessThan(3000)
  })

  it('contain no part of a key at the end of a shortened path', async () => {
    const error = await errorOf(search({ [`${'x'.repeat(190)}${apiKey}`]: 1 }))
    expect(JSON.stringify(error.issues)).not.toContain(apiKey.slice(0, 6))
  })
})
