import { afterEach, describe, expect, it, vi } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { type SandboxOptions, createSandbox } from '../../src/sandbox/index.ts'
import { watchSearch } from '../../src/watch/index.ts'
import { call, search, walk } from './helpers.ts'

const day = 86_400_000
const start = Date.UTC(2026, 0, 15, 9)

/** A sandbox with a clock that a test moves. */
function setUp(options: SandboxOptions = {}) {
  const clock = { time: start }
  const sandbox = createSandbox({ now: () => clock.time, limits: { perMinute: false }, ...options })
  return { clock, sandbox, client: new SocialSearch(sandbox.clientOptions()) }
}

const latest = { query: 'coffee', category: 'Latest' } as const

afterEach(() => vi.useRealTimers())

describe('createSandbox() now', () => {
  it.each(['2026-01-01T00:00:00Z', '2026-07-31T23:59:59Z', '2030-03-01T12:00:00Z'])(
    'has posts, stories and mentions of the week before %s',
    async (date) => {
      const now = new Date(date)
      const { client } = setUp({ now })
      const within = (time: unknown, days: number) =>
        Date.parse(String(time)) <= Number(now) && Date.parse(String(time)) > Number(now) - days * day
      const [post] = (await client.microblog.search(latest)).posts
      const [networkPost] = (await client.professionalnet.posts.search({ query: 'coffee' })).posts
      const stories = (await client.technews.search({ query: 'ai' }))['posts'] as { timestamp: string }[]
      const { mentions } = (await client.mentions.list()) as unknown as {
        mentions: { publishedAt: string }[]
      }
      expect(within(post?.timestamp, 7)).toBe(true)
      expect(within(networkPost?.postedAt, 30)).toBe(true)
      expect(networkPost?.actor.actor_subDescription).toMatch(/^\d{1,2}d/)
      expect(within(stories[0]?.timestamp, 30)).toBe(true)
      expect(within(mentions[0]?.publishedAt, 7)).toBe(true)
      expect((await client.organization.usage())['usage']).toMatchObject({
        periodStart: `${date.slice(0, 7)}-01T00:00:00.000Z`,
      })
    },
  )

  it('has posts about a topic of the last week in any month', async () => {
    for (let month = 0; month < 12; month++) {
      const now = new Date(Date.UTC(2027, month, 1))
      const { body } = await search(setUp({ now }).sandbox, latest)
      const lastWeek = body.posts.filter(({ timestamp }) => Date.parse(timestamp) > Number(now) - 7 * day)
      expect(lastWeek.length).toBeGreaterThan(0)
    }
  })

  it('moves with the clock of the machine by default', async () => {
    vi.useFakeTimers({ now: start })
    const sandbox = createSandbox()
    const newest = async () => Date.parse((await search(sandbox, latest)).body.posts[0]?.timestamp ?? '')
    const before = await newest()
    vi.setSystemTime(start + 30 * day)
    expect(await newest()).toBeGreaterThan(before)
    expect(await newest()).toBeLessThanOrEqual(start + 30 * day)
  })

  it('never changes a post while the clock moves, in this sandbox and others of its seed', async () => {
    const { clock, sandbox } = setUp()
    const before = await walk(sandbox, latest)
    clock.time += 50 * day
    const after = await walk(sandbox, latest)
    const kept = before.filter(({ timestamp }) => Date.parse(timestamp) > clock.time - 100 * day)
    expect(kept.length).toBeGreaterThan(50)
    expect(after).toEqual(expect.arrayContaining(kept))
    expect(after.length - kept.length).toBeGreaterThan(50)
    expect(await walk(setUp({ now: new Date(clock.time) }).sandbox, latest)).toEqual(after)
  })

  it('continues a walk with the posts of its start, in another sandbox too', async () => {
    const options = { growth: 60, posts: 1000 }
    const { clock, sandbox } = setUp(options)
    for (const category of ['Latest', 'Top'] as const) {
      const params = { query: 'coffee', category }
      const whole = await walk(sandbox, params)
      const { body } = await search(sandbox, params)
      clock.time += 3 * day
      sandbox.publish([
        { body: 'coffee', timestamp: '2025-12-30T00:00:00Z', engagements: { favoriteCount: 1e6 } },
      ])
      const rest = await walk(sandbox, { ...params, cursor: body.meta.nextCursor })
      expect([...body.posts, ...rest]).toEqual(whole)
    }
    const { clock: early, sandbox: first } = setUp(options)
    early.time += day
    const { body } = await search(first, latest)
    const { sandbox: second } = setUp({ ...options, now: new Date(start + 9 * day) })
    const rest = await walk(second, { ...latest, cursor: body.meta.nextCursor })
    expect([...body.posts, ...rest]).toEqual(await walk(first, latest))
  })

  it.each([[new Date('soon')], [() => NaN], [-1]])('refuses %s', (now) => {
    expect(() => createSandbox({ now: now as Date })).toThrow('createSandbox() option now must be')
  })
})

describe('createSandbox() growth', () => {
  it('adds so many posts an hour about each query to each network', async () => {
    const { clock, client } = setUp({ growth: 6 })
    for (const query of ['coffee', 'acme']) {
      const find = async () => {
        const [posts, networkPosts, stories] = await Promise.all([
          client.microblog.search({ query, category: 'Latest' }).toArray({ limit: 2000 }),
          client.professionalnet.posts.search({ query }).toArray({ limit: 2000 }),
          client.technews.search({ query }).toArray({ limit: 2000 }),
        ])
        return [posts.map(({ id }) => id), networkPosts.map(({ urn }) => urn), stories.map(({ id }) => id)]
      }
      const before = await find()
      clock.time += 3_600_000
      const after = await find()
      for (const [index, ids] of after.entries()) {
        const fresh = ids.filter((id) => !before[index]?.includes(id))
        expect(fresh.length).toBeGreaterThanOrEqual(6)
        expect(fresh.length).toBeLessThanOrEqual(8)
        expect(new Set(ids).size).toBe(ids.length)
      }
      expect(await find()).toEqual(after)
      clock.time += -3_600_000
    }
  })

  it('has comments on a post that came by growth', async () => {
    const { clock, client } = setUp({ growth: 60 })
    clock.time += 3_600_000
    const { posts } = await client.professionalnet.posts.search({ query: 'acme' })
    const popular = posts.find(({ social_details }) => social_details.numComments > 0)
    const { comments } = await client.professionalnet.posts.comments({ postUrl: popular?.share_url ?? '' })
    expect(comments.length).toBeGreaterThan(0)
  })

  it('lets a watch yield batch after batch', async () => {
    vi.useFakeTimers({ now: start })
    const sandbox = createSandbox({ growth: 60 })
    const client = new SocialSearch(sandbox.clientOptions())
    const batches = watchSearch(client.microblog, { query: 'acme' }, { every: 300_000 })
    const counts: number[] = []
    for (let batch = 0; batch < 5; batch++) {
      const next = batches.next()
      await vi.advanceTimersByTimeAsync(batch === 0 ? 0 : 300_000)
      const { value } = await next
      counts.push(value?.posts.length ?? 0)
    }
    expect(counts).toEqual([20, 5, 5, 5, 5])
    await batches.return()
  })
})

describe('publish()', () => {
  it('adds posts beside those there are, as new as the clock', async () => {
    const { clock, sandbox, client } = setUp()
    const before = await client.microblog
      .search({ query: 'acme', category: 'Latest' })
      .toArray({ limit: 500 })
    clock.time += 1000
    sandbox.publish([{ body: 'Acme opens' }])
    sandbox.publish([{ body: 'Acme burns', id: 'fire' }, { body: 'Other' }])
    const after = await client.microblog.search({ query: 'acme', category: 'Latest' }).toArray({ limit: 500 })
    expect(after.slice(2)).toEqual(before)
    expect(after.slice(0, 2)).toMatchObject([
      { id: 'fire', timestamp: new Date(clock.time).toISOString() },
      { id: '1', body: 'Acme opens' },
    ])
  })

  it('adds to each network and to the mentions, also where a test has its own', async () => {
    const { sandbox, client } = setUp({
      content: { technews: [], mentions: [], microblog: [{ body: 'Acme' }] },
    })
    sandbox.publish({
      microblog: [{ body: 'Acme opens' }],
      professionalnet: [{ commentary: 'Acme hires' }],
      technews: [{ title: 'Acme opens' }],
      mentions: [{ text: 'Acme opens' }],
    })
    const query = 'acme'
    expect((await client.microblog.search({ query })).posts).toHaveLength(2)
    expect((await client.professionalnet.posts.search({ query })).posts[0]).toMatchObject({
      commentary: 'Acme hires',
    })
    expect((await client.technews.search({ query }))['posts']).toEqual([{ title: 'Acme opens' }])
    expect(await client.mentions.list().toArray({ limit: 9 })).toMatchObject([
      { id: 'men_1', text: 'Acme opens' },
    ])
  })

  it('adds nothing if it refuses a record', async () => {
    const { sandbox } = setUp({ content: { microblog: [] } })
    const publish = (content: object) => () => sandbox.publish(content)
    expect(publish({ microblog: [{ body: 'acme' }], mentions: [{ id: '1' }] })).toThrow(
      'publish() mentions[0].id must be a text that starts with men_, got "1"',
    )
    expect(publish([{ body: 'acme' }, {}])).toThrow('publish() microblog[1]: body')
    expect(publish([{ body: ' ' }])).toThrow(
      'publish() microblog[0]: body must be a text with words, got " "',
    )
    expect(publish({ professionalnet: [{ commentary: '' }] })).toThrow('commentary must be a text with words')
    expect(publish({ listeners: [] })).toThrow('publish() content has no field listeners')
    expect(publish(null as unknown as object)).toThrow('publish() content must be an object, got null')
    expect((await search(sandbox, { query: 'acme' })).body.posts).toEqual([])
  })
})

describe('createSandbox() content', () => {
  const listeners = [{ id: 'lis_acme', name: 'Acme', keywords: ['acme'] }]

  it('has the listeners of a test, with made-up mentions for them', async () => {
    const { client } = setUp({ content: { listeners } })
    expect(await client.listeners.list().toArray({ limit: 9 })).toMatchObject(listeners)
    expect(await client.listeners.get('lis_acme')).toMatchObject({ listener: listeners[0] })
    const mentions = await client.mentions.list().toArray({ limit: 500 })
    expect(mentions.length).toBeGreaterThan(100)
    for (const { listenerId, text } of mentions) {
      expect(listenerId).toBe('lis_acme')
      expect(text).toMatch(/acme/i)
    }
    const { client: without } = setUp({ content: { listeners: [] } })
    expect(await without.mentions.list().toArray({ limit: 9 })).toEqual([])
  })

  it('has the mentions of a test, whose states change', async () => {
    const mentions = [
      { text: 'Acme opens', sentiment: 'good' },
      { id: 'men_x', state: 'seen', fitScore: 90 },
    ]
    const { sandbox } = setUp({ content: { listeners, mentions } })
    const list = async (query: string) => (await call(sandbox, `GET /mentions?${query}`)).body['mentions']
    expect(await list('sort=newest')).toMatchObject([
      { id: 'men_1', listenerId: 'lis_acme', sentiment: 'good', state: 'new' },
      { id: 'men_x', state: 'seen' },
    ])
    expect(await list('sort=fitScore')).toMatchObject([{ id: 'men_x' }, { id: 'men_1' }])
    await call(sandbox, 'PATCH /mentions/men_1/state', { state: 'done' }, sandbox.writeKey)
    expect(await list('state=done')).toMatchObject([{ id: 'men_1', text: 'Acme opens' }])
  })

  it('has the companies of a test beside the made-up ones, and their posts', async () => {
    const company = { name: 'Acme Tools', industry: 'Developer Tools', employeeCount: 7 }
    const url = 'https://professionalnet.example/company/acme-tools'
    const { client, sandbox } = setUp({
      content: {
        companies: [company, { name: 'Other', linkedinUrl: 'https://other.example/' }],
        professionalnet: [{ commentary: 'We hire', actor: { actor_navigationContext: url } }],
      },
    })
    expect((await client.professionalnet.company.get({ url })).company).toMatchObject({ id: '1', ...company })
    expect((await client.professionalnet.company.get({ url: 'https://other.example/' })).company.name).toBe(
      'Other',
    )
    const madeUp = 'https://professionalnet.example/company/candlemere-lighting'
    expect((await client.professionalnet.company.get({ url: madeUp })).company.id).toMatch(/^\d{7}$/)
    const from = async (from_organization: string) =>
      (await client.professionalnet.posts.search({ query: 'hire', from_organization })).posts.length
    expect([await from('1'), await from('2')]).toEqual([1, 0])
    expect(sandbox.ledger.spent).toBeGreaterThan(0)
  })

  it.each<[object, string]>([
    [{ companies: [{ name: 5 }] }, 'content.companies[0]: name must be a string'],
    [{ listeners: [{ id: 'x' }] }, 'content.listeners[0].id must be a text that starts with lis_, got "x"'],
    [{ listeners: [{ keywords: 'acme' }] }, 'content.listeners[0].keywords must be an array, got "acme"'],
    [{ listeners: ['acme'] }, 'content.listeners[0] must be an object'],
    [{ mentions: [{ publishedAt: 'soon' }] }, 'content.mentions[0]: publishedAt must be a time'],
  ])('refuses %j', (content, message) => {
    expect(() => createSandbox({ content })).toThrow(message)
  })
})

describe('createSandbox() queries', () => {
  it('finds nothing made up for the word nothing, on any network', async () => {
    const { client, sandbox } = setUp()
    for (const query of ['nothing', 'Nothing like coffee']) {
      expect((await client.microblog.search({ query })).posts).toEqual([])
      expect((await client.professionalnet.posts.search({ query })).posts).toEqual([])
      expect((await client.technews.search({ query }))['posts']).toEqual([])
    }
    sandbox.publish([{ body: 'Nothing happened' }])
    expect((await client.microblog.search({ query: 'nothing' })).posts).toHaveLength(1)
  })
})
