import { describe, expect, it } from 'vitest'
import { madeUpCompanies, pageOfCompany } from '../../src/extensions/sandbox/companies.ts'
import { all, call, setUp } from './helpers.ts'

describe('createSandbox() content', () => {
  it('has the posts of a test, and no others', async () => {
    const microblog = [
      { id: 'old', body: 'Acme opens', timestamp: '2026-01-01T00:00:00Z' },
      { id: 'new', body: '@bob acme closes #news https://a.example', timestamp: '2026-02-01T00:00:00Z' },
      { body: 'Other', engagements: { favoriteCount: 9 } },
    ]
    const { client } = setUp({ content: { microblog } })
    const ids = async (query: string, filters = {}) => {
      const params = { query, category: 'Latest', count: 1, filters } as const
      const posts = await client.microblog.search(params).toArray(all)
      return posts.map(({ id }) => id)
    }
    expect(await ids('acme')).toEqual(['new', 'old'])
    expect(await ids('acme', { hashtags: ['news'], toTheseAccounts: ['bob'] })).toEqual(['new'])
    expect(await ids('other', { minimumLikesCount: 9 })).toEqual(['3'])
    expect(await ids('coffee')).toEqual([])
  })

  it('has the posts of a test on the professional network, with their comments', async () => {
    const professionalnet = [
      { commentary: 'Acme opens', postedAt: '2026-01-01T00:00:00Z', urn: 'urn:x:activity:7' },
      {
        ...{ commentary: 'Acme closes', share_url: 'https://a.example/closes', actor: { actor_name: 'Eve' } },
        social_details: { numComments: 3 },
      },
    ]
    const { posts } = setUp({ content: { professionalnet } }).client.professionalnet
    const found = async (params: { query: string }) =>
      (await posts.search(params)).posts.map(({ commentary }) => commentary)
    expect(await found({ query: 'acme' })).toEqual(['Acme closes', 'Acme opens'])
    expect(await found({ query: 'eve' })).toEqual(['Acme closes'])
    expect(await found({ query: 'coffee' })).toEqual([])
    const commentsOn = async (postUrl: string) => (await posts.comments({ postUrl })).comments.length
    expect(await commentsOn('https://a.example/closes')).toBe(3)
    expect(await commentsOn('urn:x:activity:7')).toBe(0)
  })

  const listeners = [{ id: 'lis_acme', name: 'Acme', keywords: ['acme'] }]

  it('has the listeners of a test, with made-up mentions for them', async () => {
    const { client } = setUp({ content: { listeners } })
    expect(await client.listeners.list().toArray(all)).toMatchObject(listeners)
    expect(await client.listeners.get('lis_acme')).toMatchObject({ listener: listeners[0] })
    const mentions = await client.mentions.list().toArray(all)
    expect(mentions.length).toBeGreaterThan(100)
    for (const { listenerId, text } of mentions) {
      expect(listenerId).toBe('lis_acme')
      expect(text).toMatch(/acme/i)
    }
    for (const idle of [[], [{ networks: [] }]]) {
      const { client: without } = setUp({ content: { listeners: idle } })
      expect(await without.mentions.list().toArray(all)).toEqual([])
    }
  })

  it('has the mentions of a test, whose states change', async () => {
    const mentions = [
      { text: 'Acme opens', sentiment: 'good' },
      { id: 'men_x', state: 'seen', fitScore: 90 },
    ]
    const { sandbox, client } = setUp({ content: { listeners, mentions } })
    const list = (params: object) => client.mentions.list(params).toArray(all)
    expect(await list({ sort: 'newest' })).toMatchObject([
      { id: 'men_1', listenerId: 'lis_acme', sentiment: 'good', state: 'new' },
      { id: 'men_x', state: 'seen' },
    ])
    expect(await list({ sort: 'fitScore' })).toMatchObject([{ id: 'men_x' }, { id: 'men_1' }])
    await call(sandbox, 'PATCH /mentions/men_1/state', { state: 'done' }, { key: sandbox.writeKey })
    expect(await list({ state: 'done' })).toMatchObject([{ id: 'men_1', text: 'Acme opens' }])
  })

  it('has the companies of a test beside the made-up ones', async () => {
    const acme = { name: 'Acme Tools', industry: 'Developer Tools', employeeCount: 7 }
    const url = 'https://professionalnet.example/company/acme-tools'
    const other = { name: 'Other', linkedinUrl: 'https://other.example/' }
    const third = { name: 'Third Ltd', universalName: 'ThirdLtd' }
    const { professionalnet } = setUp({ content: { companies: [acme, other, third] } }).client
    const get = async (url: string) => (await professionalnet.company.get({ url })).company
    expect(await get(url)).toMatchObject({ id: '1', ...acme })
    expect(await get(other.linkedinUrl)).toMatchObject({ id: '2', ...other })
    expect(await get('https://any.example/company/ThirdLtd')).toMatchObject(third)
    const [madeUp] = madeUpCompanies
    expect(await get(pageOfCompany(madeUp!))).toEqual(madeUp)
  })
})

describe('publish()', () => {
  it('replaces a record whose id is known, and refuses two of one id', async () => {
    const { sandbox, client } = setUp({ content: { mentions: [], microblog: [] } })
    sandbox.publish({ mentions: [{ id: 'men_1', text: 'one' }], microblog: [{ id: '1', body: 'one acme' }] })
    sandbox.publish({ mentions: [{ id: 'men_1', text: 'two' }], microblog: [{ id: '1', body: 'two acme' }] })
    expect((await client.mentions.list()).mentions).toMatchObject([{ id: 'men_1', text: 'two' }])
    expect(await client.mentions.count()).toMatchObject({ count: 1 })
    expect((await client.microblog.search({ query: 'acme' })).posts).toMatchObject([{ body: 'two acme' }])
    const twice = [{ id: 'men_2' }, { id: 'men_2' }]
    const message = 'mentions[1]: men_2 is already the id of another record'
    expect(() => sandbox.publish({ mentions: twice })).toThrow(message)
    expect(await client.mentions.count()).toMatchObject({ count: 1 })
  })

  it('adds posts beside those there are, as new as the clock', async () => {
    const { clock, sandbox, client } = setUp()
    const find = () => client.microblog.search({ query: 'acme', category: 'Latest' }).toArray(all)
    const before = await find()
    clock.time += 1000
    sandbox.publish([{ body: 'Acme opens' }])
    sandbox.publish([{ body: 'Acme burns', id: 'fire' }, { body: 'Other' }])
    const [newest, second, ...rest] = await find()
    expect(rest).toEqual(before)
    expect(newest).toMatchObject({ id: 'fire', timestamp: new Date(clock.time).toISOString() })
    expect(second).toMatchObject({ id: '1', body: 'Acme opens' })
    // Posts of the same second come behind those of the test.
    const busy = setUp({ growth: 3600 })
    busy.clock.time += 1000
    busy.sandbox.publish([{ body: 'Acme is busy' }])
    const { posts } = await busy.client.microblog.search({ query: 'acme', category: 'Latest' })
    expect(posts[0]?.body).toBe('Acme is busy')
    expect(posts[1]?.timestamp).toBe(posts[0]?.timestamp)
  })

  it('adds to each network and to the mentions, also where a test has its own', async () => {
    const content = { mentions: [], microblog: [{ body: 'Acme' }] }
    const { sandbox, client } = setUp({ content })
    sandbox.publish({
      microblog: [{ body: 'Nothing at Acme' }],
      professionalnet: [{ commentary: 'Acme hires' }],
      mentions: [{ text: 'Acme opens' }],
    })
    const query = 'acme'
    expect((await client.microblog.search({ query })).posts).toHaveLength(2)
    expect((await client.microblog.search({ query: 'nothing' })).posts).toHaveLength(1)
    const [networkPost] = (await client.professionalnet.posts.search({ query })).posts
    expect(networkPost).toMatchObject({ commentary: 'Acme hires' })
    // A listener that there is has found it.
    const [listener] = await client.listeners.list().toArray(all)
    const mentions = await client.mentions.list().toArray(all)
    expect(mentions).toMatchObject([{ id: 'men_1', text: 'Acme opens', listenerId: listener?.['id'] }])
  })

  it.each<[object, string]>([
    [{ microblog: [{ body: 'acme' }], mentions: [{ id: '1' }] }, 'mentions[0]: id must start with men_'],
    [[{ body: 'acme' }, {}], 'microblog[1]: body is required'],
    [{ listeners: [] }, 'unknown option publish().listeners'],
  ])('refuses %j, and adds nothing', async (content, message) => {
    const { sandbox, client } = setUp({ content: { microblog: [] } })
    expect(() => sandbox.publish(content)).toThrow(message)
    expect((await client.microblog.search({ query: 'acme' })).posts).toEqual([])
  })
})
