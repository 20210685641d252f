import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { type SandboxOptions, createSandbox } from '../../src/sandbox/index.ts'
import { unpaced } from './helpers.ts'

const clientOf = (options: SandboxOptions = {}) => new SocialSearch(unpaced(options).clientOptions())

describe('createSandbox()', () => {
  it.each(['acme', 'product launch', 'Ñandú & Söhne', "O'Reilly", '東京'])(
    'makes up posts about %j on all networks, the same ones for the same seed',
    async (query) => {
      const find = async (seed: number) => {
        const { microblog, professionalnet, technews } = clientOf({ seed })
        return Promise.all([
          microblog.search({ query }).toArray({ limit: 500 }),
          professionalnet.posts.search({ query }).toArray({ limit: 500 }),
          technews.search({ query }).toArray({ limit: 500 }),
        ])
      }
      const [posts, networkPosts, stories] = await find(1)
      for (const found of [posts, networkPosts, stories]) expect(found.length).toBeGreaterThan(7)
      expect(new Set(posts.map(({ id }) => id)).size).toBe(posts.length)
      expect(await find(1)).toEqual([posts, networkPosts, stories])
      expect((await find(2))[0]).not.toEqual(posts)
    },
  )

  it('keeps filters and order for posts that it makes up', async () => {
    const { microblog } = clientOf()
    const all = await microblog.search({ query: 'acme', category: 'Latest' }).toArray({ limit: 500 })
    const times = all.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...times].sort().reverse())
    const liked = await microblog
      .search({ query: 'acme', filters: { minimumLikesCount: 5 } })
      .toArray({ limit: 500 })
    expect(liked.length).toBeLessThan(all.length)
  })

  it('has comments on a post that it made up', async () => {
    const { professionalnet } = clientOf()
    const { posts } = await professionalnet.posts.search({ query: 'acme' })
    const popular = posts.find(({ social_details }) => social_details.numComments > 0)
    const { comments } = await professionalnet.posts.comments({ postUrl: popular?.share_url ?? '' })
    expect(comments.length).toBeGreaterThan(0)
  })

  it('finds nothing for a query with the word nothing, and in a sandbox without posts', async () => {
    for (const [client, query] of [
      [clientOf(), 'nothing'],
      [clientOf(), 'nothing like acme'],
      [clientOf({ posts: 0 }), 'acme'],
    ] as const) {
      const counts = [
        (await client.microblog.search({ query })).posts.length,
        (await client.professionalnet.posts.search({ query })).posts.length,
      ]
      expect(counts).toEqual([0, 0])
    }
  })

  it('searches the posts of a test, and no others', async () => {
    const content = {
      microblog: [
        { id: 'old', body: 'Acme opens', timestamp: '2026-01-01T00:00:00Z' },
        {
          id: 'new',
          body: '@bob acme closes #news https://a.example',
          author: 'eve',
          timestamp: '2026-02-01T00:00:00Z',
        },
        { body: 'Other', engagements: { favoriteCount: 9 } },
      ],
    }
    const { microblog } = clientOf({ content })
    const ids = async (query: string, filters = {}) =>
      (await microblog.search({ query, category: 'Latest', filters })).posts.map(({ id }) => id)
    expect(await ids('acme')).toEqual(['new', 'old'])
    expect(await ids('acme', { hashtags: ['news'], toTheseAccounts: ['bob'] })).toEqual(['new'])
    expect(await ids('other', { minimumLikesCount: 9 })).toEqual(['3'])
    expect(await ids('coffee')).toEqual([])
    const { posts, next } = await microblog.search({ query: 'acme', count: 1 })
    expect([posts.length, (await microblog.search(next ?? { query: '' })).posts.length]).toEqual([1, 1])
  })

  it('searches the professional network of a test, by author too', async () => {
    const { professionalnet: madeUp } = clientOf()
    const [author] = (await madeUp.posts.search({ query: 'coffee' })).posts
    const url = author?.actor.actor_navigationContext ?? ''
    const { professionalnet } = clientOf({
      content: {
        professionalnet: [
          { commentary: 'Acme opens', postedAt: '2026-01-01T00:00:00Z', urn: 'urn:x:activity:7' },
          {
            commentary: 'Acme closes',
            share_url: 'https://a.example/closes',
            actor: { actor_name: 'Eve', actor_navigationContext: url },
            social_details: { numComments: 3 },
          },
        ],
      },
    })
    const found = async (params: { query: string; author_job_title?: string }) =>
      (await professionalnet.posts.search(params)).posts.map(({ commentary }) => commentary)
    expect(await found({ query: 'acme' })).toEqual(['Acme closes', 'Acme opens'])
    expect(await found({ query: 'eve' })).toEqual(['Acme closes'])
    expect(await found({ query: 'coffee' })).toEqual([])
    const [, title = ''] = /^(.*) at /.exec(author?.actor.actor_description ?? '') ?? []
    expect(await found({ query: 'acme', author_job_title: title })).toEqual(['Acme closes'])
    const commentsOn = async (postUrl: string) =>
      (await professionalnet.posts.comments({ postUrl })).comments.length
    expect(await commentsOn('https://a.example/closes')).toBe(3)
    expect(await commentsOn('urn:x:activity:7')).toBe(0)
  })

  it('searches the tech news of a test in all its texts', async () => {
    const stories = [{ type: 'story', headline: 'Acme opens', by: { name: 'Eve' } }, { text: 'Other' }]
    const { technews, microblog } = clientOf({ content: { technews: stories } })
    const found = async (query: string, more = {}) => (await technews.search({ query, ...more }))['posts']
    expect(await found('acme eve')).toEqual([stories[0]])
    expect(await found('acme', { type: 'comment' })).toEqual([])
    expect(await found('coffee')).toEqual([])
    expect((await microblog.search({ query: 'coffee' })).posts).toHaveLength(20)
  })

  it.each<[object, string]>([
    [{ professionalnet: [{ commentary: 5 }] }, 'content.professionalnet[0]: commentary must be a string'],
    [{ professionalnet: [{ commentary: 'a', body: 'b' }] }, 'content.professionalnet[0] has no field body'],
    [{ professionalnet: [{ commentary: 'a', postedAt: 'soon' }] }, 'postedAt must be a time'],
    [{ technews: ['story'] }, 'content.technews[0] must be an object'],
    [{ microblog: [null] }, 'content.microblog[0] must be an object, got null'],
    [{ professionalnet: ['post'] }, 'content.professionalnet[0] must be an object, got "post"'],
    [{ companies: [null] }, 'content.companies[0] must be an object, got null'],
    [{ microblog: 'posts' }, 'content.microblog must be an array'],
    [{ tweets: [] }, 'has no field tweets'],
    [{ microblog: [{ body: 5 }] }, 'content.microblog[0]: body must be a string'],
    [{ microblog: [{ body: 'a', text: 'b' }] }, 'content.microblog[0] has no field text'],
    [{ microblog: [{ body: 'a', timestamp: 'soon' }] }, 'timestamp must be a time'],
  ])('refuses the content %j', (content, message) => {
    expect(() => createSandbox({ content })).toThrow(message)
  })
})
