import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as classic from 'zod'
import * as z from 'zod/mini'
import * as schemas from '../../src/extensions/schemas/index.ts'
import { setUp } from '../sandbox/helpers.ts'
import { newFolder } from '../support/folder.ts'

const { client } = setUp()
const query = 'typescript'
const { microblogPost, microblogSearchBody, microblogSearchParams, openBody, planet } = schemas

/** A second copy of zod, as npm installs it if two packages need different versions. */
const folder = newFolder()
cpSync('node_modules/zod', folder, { recursive: true, dereference: true })
const second = {
  mini: (await import(join(folder, 'mini/index.js'))) as typeof z,
  classic: (await import(join(folder, 'index.js'))) as typeof classic,
}

describe.each([
  ['the same copy of zod', { mini: z, classic }],
  ['a second copy of zod', second],
])('social-search-sdk/schemas with %s', (_, { mini, classic }) => {
  it('parses a page and drops unknown fields', async () => {
    const { data } = await client.microblog.search({ query }).withResponse()
    const posts = data.posts.map((post) => ({ ...post, unknown: 1 }))
    const parsed = mini.parse(microblogSearchBody, { ...data, posts, unknown: 1 })
    expect(parsed.posts).toEqual(data.posts)
    expect(parsed).not.toHaveProperty('unknown')
  })

  it('extends and picks', async () => {
    const [post] = (await client.microblog.search({ query })).posts
    const tagged = mini.extend(microblogPost, { tag: mini.string() })
    expect(mini.parse(tagged, { ...post, tag: 'x' })).toEqual({ ...post, tag: 'x' })
    expect(mini.safeParse(tagged, post).error?.issues).toMatchObject([{ path: ['tag'] }])
    expect(mini.parse(mini.pick(microblogPost, { id: true }), post)).toEqual({ id: post?.id })
  })

  it('nests in objects of classic zod and of zod/mini', async () => {
    const [post] = (await client.microblog.search({ query })).posts
    for (const saved of [
      classic.object({ post: microblogPost, at: classic.date() }),
      mini.object({ post: microblogPost, at: mini.date() }),
    ]) {
      const at = new Date()
      expect(classic.parse(saved, { post, at })).toEqual({ post, at })
      expect(classic.safeParse(saved, { post: { ...post, id: 1 }, at }).error?.issues).toMatchObject([
        { code: 'invalid_type', path: ['post', 'id'] },
      ])
    }
    expect(classic.object(microblogPost.shape).pick({ id: true }).parse(post)).toEqual({ id: post?.id })
  })

  it('checks records as the schema of a call', async () => {
    const short = mini.pick(microblogPost, { id: true, body: true })
    for (const post of (await client.microblog.search({ query }, { schema: short })).posts)
      expect(Object.keys(post)).toEqual(['id', 'body'])
    const context = mini.extend(openBody, { noSuchField: mini.string() })
    await expect(client.organization.context({}, { schema: context, retry: false })).rejects.toMatchObject({
      code: 'invalid_response',
      issues: [{ path: 'noSuchField' }],
    })
  })

  it('converts to JSON Schema with the bounds and defaults of the service', () => {
    expect(mini.toJSONSchema(microblogSearchParams, { io: 'input' })).toMatchObject({
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 200 },
        count: { type: 'integer', minimum: 1, maximum: 20, default: 20 },
        filters: { properties: { hashtags: { maxItems: 30, items: { maxLength: 200 } } } },
      },
      required: ['query'],
      additionalProperties: false,
    })
  })

  it('parses planets within each other', () => {
    const value = { satellites: [{ orbit: { planet: { id: 2n ** 63n } } }] }
    expect(mini.safeParse(planet, value).error?.issues).toMatchObject([
      { path: ['satellites', 0, 'orbit', 'planet', 'id'], message: expect.stringContaining('64 bits') },
    ])
  })

  it('leaves the configuration of zod as it was', () => {
    expect(mini.config()).not.toHaveProperty('jitless')
    expect(mini.config()).not.toHaveProperty('customError')
    expect(mini.globalRegistry.has(microblogSearchParams.shape.query)).toBe(false)
  })
})

describe('social-search-sdk/schemas', () => {
  it('has a schema for each documented request and response', async () => {
    const { operations } = await import('../../src/api/operations.ts')
    const documented = operations.filter(({ documented }) => documented)
    expect(documented).not.toEqual([])
    const exported: unknown[] = Object.values(schemas)
    for (const { request, response } of documented) {
      expect(exported).toContain(request)
      expect(exported).toContain(response)
    }
  })
})
