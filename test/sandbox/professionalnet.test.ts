import { describe, expect, it } from 'vitest'
import type { ProfessionalnetPostsSearchParams } from '../../src/index.ts'
import { type Author, companyPages, people } from '../../src/extensions/sandbox/compose-post.ts'
import { pageOfCompany } from '../../src/extensions/sandbox/companies.ts'
import { all, setUp } from './helpers.ts'

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
