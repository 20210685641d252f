import { describe, expect, it } from 'vitest'
import {
  type ProfessionalnetPostsCommentsBody,
  postComments,
} from '../../src/api/professionalnet/comments.ts'
import { type ProfessionalnetCompany, companyGet } from '../../src/api/professionalnet/company.ts'
import { check } from '../../src/api/schema/check.ts'
import { call, networkOf, unpaced } from './helpers.ts'

const companyPath = `POST ${companyGet.path}`
const commentsPath = `POST ${postComments.path}`

describe('createSandbox() company lookup', () => {
  it.each([1, 9])('responds as the contract says for every company when the seed is %i', async (seed) => {
    const sandbox = unpaced({ seed })
    const found: ProfessionalnetCompany[] = []
    for (const { url } of networkOf(seed).companies) {
      const { status, body } = await call(sandbox, companyPath, { url })
      expect(status).toBe(200)
      expect(check(companyGet.response, body)).toEqual([])
      found.push(body['company'] as ProfessionalnetCompany)
    }
    expect(found.length).toBeGreaterThan(36)
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
    expect(sandbox.ledger.spent).toBe(4 * found.length)
    for (const field of [
      'tagline',
      'websiteUrl',
      'foundedYear',
      'headquarter',
      'employeeCountRange',
    ] as const) {
      expect(
        found.some((company) => company[field] === null),
        field,
      ).toBe(true)
      expect(
        found.some((company) => company[field] !== null),
        field,
      ).toBe(true)
    }
    for (const { headquarter, locations, employeeCount, employeeCountRange } of found) {
      expect(locations.filter((location) => location.headquarter)).toEqual(
        headquarter === null ? [] : [headquarter],
      )
      expect(employeeCount).toBeGreaterThanOrEqual(employeeCountRange?.start ?? 0)
    }
  })

  it('finds a company by any URL that contains its name, or by its id', async () => {
    const sandbox = unpaced()
    const { body } = await call(sandbox, companyPath, { url: 'https://any.example/company/harbour-bean' })
    for (const url of [
      'http://www.professionalnet.example/company/Harbour-Bean/',
      'professionalnet.example/company/harbour-bean/about?tab=1',
      `https://any.example/company/${body['company'].id}`,
    ])
      expect((await call(sandbox, companyPath, { url })).body['company']).toEqual(body['company'])
  })

  it('responds with 404, uncharged, when the URL has no company', async () => {
    const sandbox = unpaced()
    for (const url of ['https://any.example/company/nobody', 'harbour-bean'])
      expect((await call(sandbox, companyPath, { url })).status).toBe(404)
    expect(sandbox.ledger.spent).toBe(0)
  })
})

describe('createSandbox() post comments', () => {
  it('responds as the contract says, and charges for each comment', async () => {
    const sandbox = unpaced()
    const totals: (number | undefined)[] = []
    let spent = 0
    for (const { post } of networkOf(1).posts.slice(0, 150)) {
      const { numComments } = post.social_details
      const { status, body } = await call<ProfessionalnetPostsCommentsBody>(sandbox, commentsPath, {
        postUrl: post.share_url,
      })
      expect(status).toBe(200)
      expect(check(postComments.response, body)).toEqual([])
      const returned = Math.min(100, numComments)
      expect(body.comments).toHaveLength(returned)
      expect(body.meta).toMatchObject({ returnedCount: returned, creditsCharged: returned })
      expect([numComments, undefined]).toContain(body.meta.total)
      totals.push(body.meta.total)
      spent += returned
      expect([sandbox.requests.at(-1)?.charged, sandbox.ledger.spent]).toEqual([returned, spent])
    }
    expect(totals).toContain(undefined)
    expect(totals.filter((total) => total !== undefined).length).toBeGreaterThan(75)
  })

  it('returns at most maxComments, and the same first comments for any maximum', async () => {
    const sandbox = unpaced()
    const busy = networkOf(1).posts.find(({ post }) => post.social_details.numComments > 1000)
    const postUrl = `https://any.example/feed/update/${busy?.post.urn}/`
    const fetch = async (maxComments?: number) =>
      (await call<ProfessionalnetPostsCommentsBody>(sandbox, commentsPath, { postUrl, maxComments })).body
        .comments
    const most = await fetch(1000)
    expect(most).toHaveLength(1000)
    expect(await fetch(250)).toEqual(most.slice(0, 250))
    expect(await fetch()).toEqual(most.slice(0, 100))
    expect(sandbox.ledger.byOperation).toEqual({ [postComments.id]: 1350 })
  })

  it.each([99, 1001])('answers 400 when maxComments is %i', async (maxComments) => {
    const { status, body } = await call(unpaced(), commentsPath, { postUrl: 'x', maxComments })
    expect([status, body['error'].issues[0].path]).toEqual([400, 'maxComments'])
  })

  it('responds with 404, uncharged, when the post does not exist', async () => {
    const sandbox = unpaced()
    expect(
      (await call(sandbox, commentsPath, { postUrl: 'https://any.example/posts/x-activity-7' })).status,
    ).toBe(404)
    expect(sandbox.ledger.spent).toBe(0)
  })

  it('charges only the returned comments when the connection breaks afterwards', async () => {
    const sandbox = unpaced()
    const post = networkOf(1).posts.find((each) => each.post.social_details.numComments > 100)?.post
    sandbox.inject({ reset: 'after' })
    await expect(call(sandbox, commentsPath, { postUrl: post?.share_url })).rejects.toThrow()
    sandbox.inject({ status: 200, body: { comments: [{}, {}, {}] } })
    await call(sandbox, commentsPath, { postUrl: post?.share_url })
    expect(sandbox.ledger.entries.map(({ credits }) => credits)).toEqual([100, 3])
  })
})
