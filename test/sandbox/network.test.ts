import { describe, expect, it } from 'vitest'
import type { ProfessionalnetPostsSearchParams } from '../../src/index.ts'
import { pageOfCompany } from '../../src/extensions/sandbox/companies.ts'
import { type Author, companyPages, people } from '../../src/extensions/sandbox/compose-post.ts'
import { all, call, issuesOf, networkPostsOf, setUp } from './helpers.ts'

const { client } = setUp()
const find = (params: ProfessionalnetPostsSearchParams) =>
  client.professionalnet.posts.search(params).toArray(all)
const query = 'typescript'
const posts = await find({ query })

const components = [
  ['photos', 'imageComponent'],
  ['videos', 'professionalnetVideoComponent'],
  ['documents', 'documentComponent'],
  ['collaborativeArticles', 'articleComponent'],
] as const

describe('createSandbox() professional-network search', () => {
  it('answers an empty page, with its number, beyond the last one', async () => {
    const { posts, meta } = await client.professionalnet.posts.search({ query, page: 500 })
    expect([posts, meta]).toEqual([[], { returnedCount: 0, page: 500 }])
  })

  it('gives every post once, newest first', () => {
    expect(posts.length).toBeGreaterThan(30)
    expect(new Set(posts.map(({ urn }) => urn)).size).toBe(posts.length)
    const times = posts.map(({ postedAt }) => postedAt)
    expect(times).toEqual([...times].sort().reverse())
    for (const { commentary } of posts) expect(commentary).not.toMatch(/[{}]|undefined/)
  })

  it.each(components)('keeps the posts with %s when asked for them', async (content_type, component) => {
    const expected = posts.filter((post) => post[component] !== undefined)
    expect(expected.length).toBeGreaterThan(0)
    expect(expected.length).toBeLessThan(posts.length)
    expect(await find({ query, content_type })).toEqual(expected)
  })

  it('ranks by engagement when sorted by relevance', async () => {
    const found = await find({ query, sort_by: 'relevant' })
    expect(found).toHaveLength(posts.length)
    const details = found.map(({ social_details }) => social_details)
    const scores = details.map((each) => each.numLikes + 3 * each.numComments + 2 * each.numShares)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  it('narrows by job title, employer, company, industry and member', async () => {
    const engineers = await find({ query, author_job_title: 'engineer' })
    expect(engineers).toEqual(posts.filter(({ actor }) => /Engineer at/.test(actor.actor_description)))

    // A person who has posted, and whose employer has, too.
    const postsOf = (url: string) => posts.filter(({ actor }) => actor.actor_navigationContext === url)
    const { profile, company } = people.find(
      ({ profile, company }) => postsOf(profile.url).length > 0 && postsOf(pageOfCompany(company)).length > 0,
    )!
    const { id, name } = company
    const employees = posts.filter(({ actor }) => actor.actor_description.endsWith(` at ${name}`))
    expect(await find({ query, author_company: `1, ${id}` })).toEqual(employees)
    expect(await find({ query, from_organization: id })).toEqual(postsOf(pageOfCompany(company)))
    expect(await find({ query, from_member: profile.urn })).toEqual(postsOf(profile.url))
    expect(await find({ query, from_member: 'urn:nobody' })).toEqual([])

    const { industry } = company
    const [{ id: industryId } = { id: 0 }] = (await client.professionalnet.industries.list({ q: industry! }))
      .industries
    expect(await find({ query, author_industry: [1, industryId] })).toEqual(
      posts.filter(({ actor: { actor_name, actor_description } }) =>
        [actor_name, actor_description.split(' at ')[1]].includes(name),
      ),
    )
  })

  it('narrows by the people and companies that a text mentions', async () => {
    const mentioning = ({ handle }: Author) =>
      posts.filter(({ commentary }) => new RegExp(`@${handle}\\b`).test(commentary))
    const isMentioned = (author: Author) => mentioning(author).length > 0
    const company = companyPages.find(isMentioned)!
    expect(await find({ query, mentions_organization: company.company.id })).toEqual(mentioning(company))
    const person = people.find(isMentioned)!
    expect(await find({ query, mentions_member: person.profile.urn })).toEqual(mentioning(person))
  })
})

const madeUp = networkPostsOf(1)

/** A post that has more comments. */
const postWithMoreThan = (comments: number) =>
  madeUp.find(({ post }) => post.social_details.numComments > comments)!.post

describe('createSandbox() post comments', () => {
  it('charges for each comment, and sometimes reports no total', async () => {
    const { sandbox, client } = setUp()
    const totals: (number | undefined)[] = []
    for (const { post } of madeUp.slice(0, 30)) {
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

const busy = madeUp.find(({ post }) => post.social_details.numLikes > 250)!.post

describe('createSandbox() reactions', () => {
  it('gives as many of each type as the post says, and charges for each', async () => {
    const { sandbox, client } = setUp()
    const postUrl = busy.share_url
    const reactions = await client.professionalnet.posts.reactions({ postUrl }).toArray(all)
    const { numLikes, reactionTypeCounts } = busy.social_details
    expect(sandbox.requests).toHaveLength(Math.ceil(numLikes / 100))
    for (const { type, count } of reactionTypeCounts)
      expect(reactions.filter((reaction) => reaction['type'] === type)).toHaveLength(count)
    const first = reactions.slice(0, people.length)
    expect(new Set(first.map(({ actorUrn }) => actorUrn)).size).toBe(people.length)
    expect(sandbox.ledger.byOperation).toEqual({ 'professionalnet.posts.reactions': numLikes })
    const pages = client.professionalnet.posts.reactions({ postUrl, count: 70 }).pages()
    for await (const { reactions: page, meta } of pages) {
      const returnedCount = Math.min(70, reactions.length)
      expect(page).toEqual(reactions.splice(0, 70))
      expect(meta).toMatchObject({ returnedCount, creditsCharged: returnedCount })
    }
    expect(reactions).toEqual([])
  })
})

describe('createSandbox() person', () => {
  it.each(['posts', 'comments'] as const)(
    'gives all %s of a person, once, in full pages at 10 credits each',
    async (property) => {
      const { sandbox, client } = setUp()
      for (const { profile } of people.slice(0, 20)) {
        const before = sandbox.requests.length
        const params = { profileUrl: profile.url, count: 1 }
        const items = await client.professionalnet.person[property](params).toArray(all)
        expect(sandbox.requests.length - before).toBe(Math.max(1, Math.ceil(items.length / 20)))
        expect(items.every((item) => JSON.stringify(item).includes(`"${profile.url}"`))).toBe(true)
        expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length)
      }
      expect(sandbox.ledger.spent).toBe(10 * sandbox.requests.length)
    },
  )
})

describe('createSandbox() operations', () => {
  const [network, nobody] = ['POST /data/professionalnet', { profileUrl: 'https://x.example/in/nobody' }]

  it.each<[string, object, number, string[]]>([
    [`${network}/posts/reactions`, {}, 400, ['postUrl']],
    [`${network}/posts/reactions`, { postUrl: 'activity-1' }, 404, []],
    [`${network}/posts/comments`, { postUrl: 'https://any.example/posts/x-activity-7' }, 404, []],
    [`${network}/person/posts`, {}, 400, ['profileUrl']],
    [`${network}/person/posts`, nobody, 404, []],
    [`${network}/person/comments`, {}, 400, ['profileUrl']],
    [`${network}/person/comments`, nobody, 404, []],
    [`${network}/company/get`, { url: 'https://any.example/company/nobody' }, 404, []],
    [`${network}/company/get`, { url: 'harbour-bean' }, 404, []],
    ['POST /data/technews/search', {}, 400, ['query']],
  ])('%s with %j is answered with %i, uncharged', async (operation, body, status, issues) => {
    const { sandbox } = setUp()
    const answer = await call(sandbox, operation, body)
    expect([answer.status, issuesOf(answer)]).toEqual([status, issues])
    expect(sandbox.ledger.spent).toBe(0)
  })
})
