import { describe, expect, it } from 'vitest'
import { people } from '../../src/extensions/sandbox/compose-post.ts'
import { all, call, issuesOf, networkPostsOf, setUp } from './helpers.ts'

const busy = networkPostsOf(1).find(({ post }) => post.social_details.numLikes > 250)!.post

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

describe('createSandbox() technews', () => {
  it('finds stories and comments with the word, newest first, at 2 credits a page', async () => {
    const { sandbox, client } = setUp()
    const query = 'typescript'
    const found = await client.technews.search({ query }).toArray(all)
    expect(found.length).toBeGreaterThan(60)
    expect(sandbox.ledger.spent).toBe(2 * Math.ceil(found.length / 20))
    const times = found.map(({ timestamp }) => String(timestamp))
    expect(times).toEqual([...times].sort().reverse())
    for (const { title, text } of found) expect(`${String(title)} ${String(text)}`).toMatch(/typescript/i)
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['story', 'comment']))
  })
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
