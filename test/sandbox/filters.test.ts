import { describe, expect, it } from 'vitest'
import type { MicroblogFilters, MicroblogPost } from '../../src/index.ts'
import { all, issuesOf, search, setUp } from './helpers.ts'

const params = { query: 'typescript', category: 'Latest' } as const
const { sandbox, client } = setUp()
/** Unchecked: the client refuses filters that exclude each other. */
const find = (filters: MicroblogFilters) =>
  client.microblog.search(params, { extraParams: { filters } }).toArray(all)
const posts = await find({})

const hasLink = ({ body }: MicroblogPost): boolean => body.includes('https://')
const isReply = ({ body }: MicroblogPost): boolean => body.startsWith('@')
const hasVideo = ({ video }: MicroblogPost): boolean => video !== null
const hasPhotos = ({ images }: MicroblogPost): boolean => images.length > 0
const hasWord = (word: string) => (post: MicroblogPost) =>
  new RegExp(`(?<![\\p{L}\\p{N}_'])${word}(?![\\p{L}\\p{N}_'])`, 'iu').test(
    `${post.body}\n${post.name}\n${post.author}`,
  )

const cases: readonly (readonly [MicroblogFilters, (post: MicroblogPost) => boolean])[] = [
  [{ onlyPostsWithLinks: true }, hasLink],
  [{ removePostsWithLinks: true }, (post) => !hasLink(post)],
  [{ onlyReplies: true }, isReply],
  [{ removeReplies: true }, (post) => !isReply(post)],
  [{ onlyPostsWithVideo: true }, hasVideo],
  [{ removePostsWithVideo: true }, (post) => !hasVideo(post)],
  [{ onlyPostsWithPhotos: true }, hasPhotos],
  [{ removePostsWithPhotos: true }, (post) => !hasPhotos(post)],
  [{ onlyPostsWithMedia: true }, (post) => hasPhotos(post) || hasVideo(post)],
  [{ removePostsWithMedia: true }, (post) => !hasPhotos(post) && !hasVideo(post)],
  [{ linksInclude: 'BLOG.example' }, ({ body }) => /https:\S*blog\.example/.test(body)],
  [{ minimumLikesCount: 30 }, ({ engagements }) => engagements.favoriteCount >= 30],
  [{ minimumRetweetsCount: 5 }, ({ engagements }) => engagements.retweetCount >= 5],
  [{ minimumRepliesCount: 4 }, ({ engagements }) => engagements.replyCount >= 4],
  [{ since: '2026-10-01' }, ({ timestamp }) => timestamp >= '2026-10-01T00:00:00.000Z'],
  [{ until: '2026-10-01T12:30' }, ({ timestamp }) => timestamp < '2026-10-01T12:30:00.000Z'],
  [
    { since: '2026-09-01T00:00:00+02:00', until: '2026-10-01' },
    ({ timestamp }) => timestamp >= '2026-08-31T22:00:00.000Z' && timestamp < '2026-10-01',
  ],
  [
    { anyOfTheseWords: ['meetup', 'strict mode'] },
    (post) => hasWord('meetup')(post) || hasWord('strict mode')(post),
  ],
  [{ noneOfTheseWords: ['Meetup', 'team'] }, (post) => !hasWord('meetup')(post) && !hasWord('team')(post)],
  [{ exactSentence: 'What It costs' }, ({ body }) => body.includes('what it costs')],
  [{ hashtags: ['askme', 'LaunchDay'] }, ({ body }) => /#(askme|launchday)\b/i.test(body)],
  [{ onlyReplies: true, removeReplies: true }, () => false],
  [
    { removeReplies: true, minimumLikesCount: 5, noneOfTheseWords: ['coffee'] },
    (post) => !isReply(post) && post.engagements.favoriteCount >= 5 && !hasWord('coffee')(post),
  ],
  [{ hashtags: [], anyOfTheseWords: [' '], noneOfTheseWords: [''], lang: '' }, () => true],
  [{ exactSentence: '', linksInclude: ' ' }, () => true],
  [{ onlyReplies: false, removePostsWithLinks: false, minimumLikesCount: 0 }, () => true],
  [{ geocode: '52.5,13.4', radius: 10 }, () => true],
]

describe('createSandbox() filters', () => {
  it.each(cases)(
    'keep exactly the matching posts, in the same order, when they are %j',
    async (filters, fits) => {
      expect(await find(filters)).toEqual(posts.filter(fits))
    },
  )

  it('are tested with some that leave some posts and drop others', () => {
    const splits = cases.filter(([, fits]) => ![0, posts.length].includes(posts.filter(fits).length))
    expect(splits.length).toBe(cases.length - 5)
  })

  it('include since and exclude until when a post was written at that very time', async () => {
    const timestamp = posts[5]?.timestamp ?? ''
    const from = await find({ since: timestamp })
    expect(from.at(-1)?.timestamp).toBe(timestamp)
    expect([...from, ...(await find({ until: timestamp }))]).toEqual(posts)
  })

  it('find the posts of authors in any spelling of the handle', async () => {
    const [author = '', other = ''] = new Set(posts.map((post) => post.author))
    const fromTheseAccounts = [`@${author.toUpperCase()}`, other]
    const expected = posts.filter((post) => post.author === author || post.author === other)
    expect(await find({ fromTheseAccounts })).toEqual(expected)
  })

  it('distinguish replies to an account from mentions of it', async () => {
    const handleIn = (pattern: RegExp) =>
      posts.map(({ body }) => pattern.exec(body)?.[1]).find((handle) => handle !== undefined) ?? ''
    const accounts = [handleIn(/^[^@].*@(\w+)/), handleIn(/^@(\w+)/)]
    const replies = await find({ toTheseAccounts: accounts })
    const mentions = await find({ mentionsTheseAccounts: accounts })
    expect(replies).toEqual(posts.filter(({ body }) => accounts.some((name) => body.startsWith(`@${name} `))))
    expect(mentions).toEqual(posts.filter(({ body }) => RegExp(`@(${accounts.join('|')})\\b`).test(body)))
    expect(replies.length).toBeGreaterThan(0)
    expect(mentions.length).toBeGreaterThan(replies.length)
  })

  it('compare the primary subtag of a language, which is English where a test says no other', async () => {
    const microblog = [{ body: 'Acme öffnet', lang: 'de-AT' }, { body: 'Acme opens' }]
    const { client } = setUp({ content: { microblog } })
    const bodies = async (lang: string) => {
      const { posts } = await client.microblog.search({ query: 'acme', filters: { lang } })
      return posts.map(({ body }) => body)
    }
    expect(await bodies('DE-ch')).toEqual(['Acme öffnet'])
    expect(await bodies('en')).toEqual(['Acme opens'])
    expect(await bodies('xx')).toEqual([])
    expect(await find({ lang: 'en-GB' })).toEqual(posts)
  })

  it.each(['2026-13-01', '2026', 'yesterday', '2026-10-01T25:00', ''])(
    'are answered with 400 at filters.since when the time is "%s"',
    async (since) => {
      expect(issuesOf(await search(sandbox, { ...params, filters: { since } }))).toEqual(['filters.since'])
    },
  )
})
