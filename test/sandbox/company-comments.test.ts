import { describe, expect, it } from 'vitest'
import { madeUpCompanies } from '../../src/extensions/sandbox/companies.ts'
import { networkPostsOf, setUp } from './helpers.ts'

const posts = networkPostsOf(1)

/** A post that has more comments. */
const postWithMoreThan = (comments: number) =>
  posts.find(({ post }) => post.social_details.numComments > comments)!.post

it('createSandbox() finds a company by any URL that contains its name, or by its id', async () => {
  const { client } = setUp()
  const { id } = madeUpCompanies.find(({ name }) => name === 'Harbour Bean')!
  for (const url of [
    'http://www.professionalnet.example/company/Harbour-Bean/',
    'professionalnet.example/company/harbour-bean/about?tab=1',
    `https://any.example/company/${id}`,
  ])
    expect((await client.professionalnet.company.get({ url })).company.id).toBe(id)
})

describe('createSandbox() post comments', () => {
  it('charges for each comment, and sometimes reports no total', async () => {
    const { sandbox, client } = setUp()
    const totals: (number | undefined)[] = []
    for (const { post } of posts.slice(0, 30)) {
      const { numComments } = post.social_details
      const { comments, meta } = await client.professionalnet.posts.comments({ postUrl: post.share_url })
      const returned = Math.min(100, numComments)
      expect(comments).toHaveLength(returned)
      expect(meta).toMatchObject({ returnedCount: returned, creditsCharged: returned })
      expect([numComments, undefined]).toContain(meta.total)
      totals.push(meta.total)
      expect(sandbox.requests.at(-1)?.charged).toBe(returned)
    }
    expect(totals).toContain(undefined)
    expect(totals.filter((total) => total !== undefined).length).toBeGreaterThan(15)
  })

  it('returns at most maxComments, and the same first comments for any maximum', async () => {
    const { sandbox, client } = setUp()
    const postUrl = `https://any.example/feed/update/${postWithMoreThan(900).urn}/`
    const get = async (maxComments?: number) =>
      (await client.professionalnet.posts.comments({ postUrl, maxComments })).comments
    const most = await get(900)
    expect(most).toHaveLength(900)
    expect(await get(250)).toEqual(most.slice(0, 250))
    expect(await get()).toEqual(most.slice(0, 100))
    expect(sandbox.ledger.byOperation).toEqual({ 'professionalnet.posts.comments': 1250 })
  })

  it('answers for a post that another sandbox has made up for a search', async () => {
    const [one, other] = [setUp(), setUp()]
    const commentsOf = (client: typeof one.client, postUrl: string) =>
      client.professionalnet.posts.comments({ postUrl, maxComments: 1000 })
    for (const query of ['acme', 'Late delivery', 'snake_case 100%']) {
      const { posts } = await one.client.professionalnet.posts.search({ query })
      const { share_url } = posts.find(({ social_details }) => social_details.numComments > 0)!
      const { comments } = await commentsOf(other.client, share_url)
      expect(comments.length).toBeGreaterThan(0)
      expect(comments).toEqual((await commentsOf(one.client, share_url)).comments)
    }
    const none = 'https://professionalnet.example/posts/a_%ff-activity-1'
    await expect(commentsOf(other.client, none)).rejects.toMatchObject({ status: 404 })
  })
})
