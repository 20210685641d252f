import { describe, expect, it } from 'vitest'
import {
  type ProfessionalnetPost,
  type ProfessionalnetPostsSearchBody,
  type ProfessionalnetPostsSearchParams,
  professionalnetPostsSearch,
} from '../../src/api/professionalnet/posts.ts'
import { check } from '../../src/api/schema/check.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { call, unpaced } from './helpers.ts'

const path = `POST ${professionalnetPostsSearch.path}`
const components = [
  'imageComponent',
  'articleComponent',
  'professionalnetVideoComponent',
  'documentComponent',
  'pollComponent',
] as const

const search = (sandbox: Sandbox, params: ProfessionalnetPostsSearchParams) =>
  call<ProfessionalnetPostsSearchBody>(sandbox, path, params)

async function walk(sandbox: Sandbox, params: ProfessionalnetPostsSearchParams) {
  const posts: ProfessionalnetPost[] = []
  for (let page = 1; ; page++) {
    const { body } = await search(sandbox, { ...params, page })
    if (body.posts.length === 0) return posts
    posts.push(...body.posts)
  }
}

describe('createSandbox() professional-network search', () => {
  it.each([1, 2, 77, -5])('answers as the contract says when the seed is %i', async (seed) => {
    const sandbox = unpaced({ seed })
    for (const query of ['typescript', 'coffee', 'nothing-matches-this']) {
      for (const page of [1, 2, 500]) {
        const { status, body } = await search(sandbox, { query, page })
        expect(status).toBe(200)
        expect(check(professionalnetPostsSearch.response, body)).toEqual([])
        expect(body.meta).toEqual({ returnedCount: body.posts.length, page })
      }
    }
  })

  it('gives every post once, newest first, and then an empty page', async () => {
    const sandbox = unpaced()
    const posts = await walk(sandbox, { query: 'typescript' })
    expect(posts.length).toBeGreaterThan(30)
    expect(new Set(posts.map(({ urn }) => urn)).size).toBe(posts.length)
    const times = posts.map(({ postedAt }) => postedAt)
    expect(times).toEqual([...times].sort().reverse())
    for (const { commentary } of posts) expect(commentary).not.toMatch(/[{}]|undefined/)
  })

  it('is the same for the same seed, and another for another', async () => {
    const posts = (seed: number) => walk(unpaced({ seed }), { query: 'ai' })
    const first = await posts(3)
    expect(first.length).toBeGreaterThan(5)
    expect(await posts(3)).toEqual(first)
    expect(await posts(4)).not.toEqual(first)
  })

  it('shows each optional component on some posts, and none on others', async () => {
    const posts = await walk(unpaced(), { query: 'typescript' })
    for (const query of ['coffee', 'ai', 'climate']) posts.push(...(await walk(unpaced(), { query })))
    for (const component of components)
      expect(
        posts.some((post) => post[component] !== undefined),
        component,
      ).toBe(true)
    expect(posts.some((post) => components.every((component) => post[component] === undefined))).toBe(true)
  })

  it.each([
    ['photos', 'imageComponent'],
    ['videos', 'professionalnetVideoComponent'],
    ['documents', 'documentComponent'],
    ['collaborativeArticles', 'articleComponent'],
  ] as const)('keeps the posts with %s when asked for them', async (content_type, component) => {
    const sandbox = unpaced()
    const all = await walk(sandbox, { query: 'typescript' })
    const expected = all.filter((post) => post[component] !== undefined)
    expect(expected.length).toBeGreaterThan(0)
    expect(await walk(sandbox, { query: 'typescript', content_type })).toEqual(expected)
  })

  it('ranks by engagement when sorted by relevance', async () => {
    const { status, body } = await call<ProfessionalnetPostsSearchBody>(unpaced(), path, {
      query: 'ai',
      sort_by: 'relevant',
    })
    expect(status).toBe(200)
    const scores = body.posts.map(
      ({ social_details: { numLikes, numComments, numShares } }) =>
        numLikes + 3 * numComments + 2 * numShares,
    )
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  it('narrows by job title, employer, industry and member', async () => {
    const sandbox = unpaced()
    const query = 'typescript'
    const all = await walk(sandbox, { query })
    const engineers = await walk(sandbox, { query, author_job_title: 'engineer' })
    expect(engineers).toEqual(all.filter(({ actor }) => /Engineer at/.test(actor.actor_description)))

    const [, name = ''] = /at (.+)/.exec(engineers[0]?.actor.actor_description ?? '') ?? []
    const url = `https://x.example/company/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
    const { body } = await call(sandbox, 'POST /data/professionalnet/company/get', { url })
    const colleagues = await walk(sandbox, { query, author_company: `1, ${body['company'].id}` })
    expect(colleagues).toEqual(all.filter(({ actor }) => actor.actor_description.endsWith(` at ${name}`)))

    const page = await call(sandbox, 'GET /data/professionalnet/industries?q=technology%20and%20media')
    const { id } = page.body['industries'][0]
    const inTech = await walk(sandbox, { query, author_industry: [id] })
    expect(inTech.length).toBeGreaterThan(0)
    expect(inTech.length).toBeLessThan(all.length)

    const profileUrl = engineers[0]?.actor.actor_navigationContext
    const own = await call(sandbox, 'POST /data/professionalnet/person/posts', { profileUrl })
    const from_member = own.body['posts'][0].authorUrn
    const byMember = await walk(sandbox, { query, from_member })
    expect(byMember).toEqual(all.filter(({ actor }) => actor.actor_navigationContext === profileUrl))
    expect(await walk(sandbox, { query, from_member: 'urn:nobody' })).toEqual([])
  })

  it('answers 400 naming the field when one breaks its bound', async () => {
    const { status, body } = await call(unpaced(), path, { query: '', page: 0, colour: 'red' })
    expect(status).toBe(400)
    expect((body['error'].issues as { path: string }[]).map((issue) => issue.path).sort()).toEqual([
      'colour',
      'page',
      'query',
    ])
  })
})
