import { beforeAll, describe, expect, it } from 'vitest'
import type { MicroblogFilters, MicroblogPost } from '../../src/api/microblog.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { refused, unpaced, walk } from './helpers.ts'

const params = { query: 'typescript', category: 'Latest' } as const
let sandbox: Sandbox
let all: MicroblogPost[]

beforeAll(async () => {
  sandbox = unpaced()
  all = await walk(sandbox, params)
})

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
    { anyOfTheseWords: ['compiler', 'strict mode'] },
    (post) => hasWord('compiler')(post) || hasWord('strict mode')(post),
  ],
  [{ noneOfTheseWords: ['Compiler', 'any'] }, (post) => !hasWord('compiler')(post) && !hasWord('any')(post)],
  [{ exactSentence: 'Your Function takes three' }, ({ body }) => body.includes('your function takes three')],
  [{ hashtags: ['webdev', '#DevLife'] }, ({ body }) => /#(webdev|devlife)\b/i.test(body)],
  [{ onlyReplies: true, removeReplies: true }, () => false],
  [
    { removeReplies: true, minimumLikesCount: 5, noneOfTheseWords: ['coffee'] },
    (post) => !isReply(post) && post.engagements.favoriteCount >= 5 && !hasWord('coffee')(post),
  ],
  [
    {
      hashtags: [],
      anyOfTheseWords: [' '],
      noneOfTheseWords: [''],
      exactSentence: '',
      linksInclude: ' ',
      lang: '',
    },
    () => true,
  ],
  [{ onlyReplies: false, removePostsWithLinks: false, minimumLikesCount: 0 }, () => true],
  [{ geocode: '52.5,13.4', radius: 10 }, () => true],
]

describe('createSandbox() filters', () => {
  it.each(cases)(
    'keeps exactly the matching posts, in the same order, when filtered by %j',
    async (filters, fits) => {
      const expected = all.filter(fits)
      const found = await walk(sandbox, { ...params, filters })
      expect(found.map(({ body }) => body)).toEqual(expected.map(({ body }) => body))
    },
  )

  it('is tested with filters that leave some posts and drop others', () => {
    const splits = cases.filter(([, fits]) => ![0, all.length].includes(all.filter(fits).length))
    expect(splits.length).toBe(cases.length - 4)
  })

  it('includes since and excludes until when a post was written at that very time', async () => {
    const [newer, post, older] = [all[10], all[11], all[12]]
    const timestamp = post?.timestamp ?? ''
    const after = await walk(sandbox, { ...params, filters: { since: timestamp } })
    const before = await walk(sandbox, { ...params, filters: { until: timestamp } })
    expect(after.slice(-2)).toEqual([newer, post])
    expect(before[0]).toEqual(older)
  })

  it('finds the posts of an author in any spelling of the handle', async () => {
    const author = all[0]?.author ?? ''
    const other = all.find((post) => post.author !== author)?.author ?? ''
    const expected = all.filter((post) => post.author === author || post.author === other)
    const found = await walk(sandbox, {
      ...params,
      filters: { fromTheseAccounts: [`@${author.toUpperCase()}`, other] },
    })
    expect(found).toEqual(expected)
  })

  it('distinguishes replies to an account from mentions of it', async () => {
    const to = new Map<string, number>()
    for (const { body } of all) {
      const handle = /^@(\w+)/.exec(body)?.[1]
      if (handle !== undefined) to.set(handle, (to.get(handle) ?? 0) + 1)
    }
    const mentioned = all.find(({ body }) => /^[^@].*@\w/.test(body))?.body
    const handle = /@(\w+)/.exec(mentioned ?? '')?.[1] ?? ''
    const replied = [...to.keys()][0] ?? ''
    const accounts = [handle, replied]
    const isTo = ({ body }: MicroblogPost) => accounts.some((name) => body.startsWith(`@${name} `))
    const names = ({ body }: MicroblogPost) => accounts.some((name) => new RegExp(`@${name}\\b`).test(body))

    const replies = await walk(sandbox, { ...params, filters: { toTheseAccounts: accounts } })
    const mentions = await walk(sandbox, { ...params, filters: { mentionsTheseAccounts: accounts } })
    expect(replies).toEqual(all.filter(isTo))
    expect(mentions).toEqual(all.filter(names))
    expect(replies.length).toBeGreaterThan(0)
    expect(mentions.length).toBeGreaterThan(replies.length)
  })

  it('splits the posts by language without overlap', async () => {
    const languages = ['en', 'de', 'fr', 'es', 'ja', 'pt']
    const byLanguage = await Promise.all(
      languages.map((lang) => walk(unpaced(), { ...params, filters: { lang } })),
    )
    const ids = byLanguage.flat().map(({ id }) => id)
    expect(ids.sort()).toEqual(all.map(({ id }) => id).sort())
    expect(byLanguage[4]?.some(({ body }) => /[ぁ-ん]/.test(body))).toBe(true)
    expect(byLanguage[0]?.some(({ body }) => /[ぁ-ん]/.test(body))).toBe(false)
  })

  it('compares the primary subtag alone when the language has a region', async () => {
    const german = await walk(sandbox, { ...params, filters: { lang: 'de' } })
    expect(german.length).toBeGreaterThan(10)
    expect(await walk(sandbox, { ...params, filters: { lang: 'DE-at' } })).toEqual(german)
    expect(await walk(sandbox, { ...params, filters: { lang: 'xx' } })).toEqual([])
  })

  it.each(['2026-13-01', '2026', 'yesterday', '2026-10-01T25:00', ''])(
    'answers 400 at filters.since when the time is "%s"',
    async (since) => {
      const { status, body } = await refused(sandbox, { ...params, filters: { since } })
      expect([status, body.error.issues?.[0]?.path]).toEqual([400, 'filters.since'])
    },
  )
})
