import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import type { ClientOptions } from '../../src/index.ts'
import type { ToolsOptions } from '../../src/extensions/tools/index.ts'
import { networkPosts, post } from '../support/pages.ts'
import { query, setUp as setUpTools } from './set-up.ts'

const setUp = (options?: Partial<ToolsOptions>, client?: Partial<ClientOptions>) =>
  setUpTools(options, 20, client)
const abortedAfter = (ms: number) => ({ signal: AbortSignal.timeout(ms) })

describe('execute()', () => {
  it('asks the service again when an earlier free call was aborted', async () => {
    const { sandbox, tools } = setUp()
    await tools.organization_usage.execute({}, abortedAfter(10))
    await sleep(50)
    await tools.organization_usage.execute({})
    expect(sandbox.requests).toHaveLength(2)
  })

  it.each<[string, Partial<ToolsOptions>]>([
    ['run at once', {}],
    ['wait for a person', { confirmAbove: 0, confirm: () => sleep(20, true) }],
  ])('buys a page once when two identical calls %s', async (_, options) => {
    const { sandbox, tools } = setUp(options)
    const search = tools.microblog_search
    const results = await Promise.all([search.execute({ query }), search.execute({ query })])
    for (const { ok, items } of results) expect([ok, items?.length]).toEqual([true, 20])
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('buys no page again that it keeps when a person declines the next page', async () => {
    const answers = [true, false, true]
    const { sandbox, tools } = setUp({ confirmAbove: 0, confirm: () => answers.shift() === true })
    const search = tools.microblog_search
    await search.execute({ query }, abortedAfter(10))
    await sleep(50)
    expect((await search.execute({ query, pages: 2 })).error?.code).toBe('confirmation')
    expect((await search.execute({ query, pages: 2 })).ok).toBe(true)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('keeps a page for the caller that left when an equal call has received it', async () => {
    const caller = new AbortController()
    const { sandbox, tools } = setUp(
      { confirmAbove: 0, confirm: () => sleep(5, true) },
      { fetch: (request) => (caller.abort(), sandbox.fetch(request)) },
    )
    const search = tools.microblog_search
    const calls = [search.execute({ query }, { signal: caller.signal }), search.execute({ query })] as const
    const [left, stayed] = await Promise.all(calls)
    expect([left.error?.code, stayed.ok]).toEqual(['cancelled', true])
    expect((await search.execute({ query })).ok).toBe(true)
    expect(sandbox.ledger.spent).toBe(2)
  })

  it.each(['organization_usage', 'microblog_search'] as const)(
    'keeps a paid page for the caller that left through any number of calls of %s',
    async (name) => {
      const caller = new AbortController()
      const fetch = (request: Request) => (caller.abort(), sandbox.fetch(request))
      const { sandbox, tools } = setUpTools({ budget: 1000 }, 0, { fetch, limits: { perMinute: false } })
      const search = tools.microblog_search
      const left = await search.execute({ query }, { signal: caller.signal })
      expect(left.error?.message).toContain('repeat the call, and it is not charged again')
      for (let calls = 0; calls < 200; calls++)
        await tools[name].execute(name === 'microblog_search' ? { query: `q${calls}` } : {})
      expect((await search.execute({ query })).credits).toMatchObject({ spent: 0 })
    },
  )

  it('pays for no page again of the latest searches, also after many free calls', async () => {
    const { sandbox, tools } = setUpTools({ budget: 1000, maxItems: 15 }, 0, { limits: { perMinute: false } })
    const search = tools.microblog_search.execute
    const handles: unknown[] = []
    for (let n = 0; n < 210; n++) handles.push((await search({ query: `coffee ${n}` })).next)
    for (let calls = 0; calls < 200; calls++) await tools.organization_usage.execute({})
    for (const n of [100, 208]) await search({ query: `coffee ${n}`, next: handles[n] })
    expect(sandbox.ledger.spent).toBe(420)
  })

  it('goes on to no further page when its caller leaves', async () => {
    const caller = new AbortController()
    const { sandbox, tools } = setUp({}, { fetch: (request) => (caller.abort(), sandbox.fetch(request)) })
    const progress: unknown[] = []
    const onProgress = (each: unknown) => progress.push(each)
    useVirtualTime()
    onTestFinished(() => void vi.useRealTimers())
    await settle(tools.microblog_search.execute({ query, pages: 3 }, { signal: caller.signal, onProgress }))
    await pass(5000)
    expect([sandbox.ledger.spent, progress]).toEqual([2, []])
  })

  it('shows all items of a page with one invalid item, and where the walk continues', async () => {
    const { sandbox, tools } = setUp({ maxResult: 50_000 })
    const posts = Array.from({ length: 20 }, (_, n) => ({ ...post(`p${n}`), body: 'long '.repeat(300) }))
    Object.assign(posts[3] ?? {}, { video: 5 })
    const meta = { returnedCount: 20, hasMore: true, nextCursor: 'more' }
    sandbox.inject({ operation: 'microblog.search', body: { requestId: 'r', posts, meta } })
    const { error, items, next } = await tools.microblog_search.execute({ query })
    expect([error?.code, items?.length, typeof next]).toEqual(['invalid_response', 20, 'string'])
  })

  it('says how many items a lenient client has left out, and reads on after a page of them', async () => {
    const { sandbox, tools } = setUp({}, { validation: 'lenient' })
    const body = { ...networkPosts(1, 'a', 'b', 'c'), posts: [{}, {}, {}] }
    sandbox.inject({ operation: 'professionalnet.posts.search', body, times: 3 })
    const search = tools.professionalnet_posts_search
    const [one, two] = [await search.execute({ query }), await search.execute({ query, pages: 2 })]
    const notices = ['Not shown: 3 invalid items.', 'Not shown: 6 invalid items.']
    expect([one.notice, two.notice]).toEqual(notices)
    expect(typeof one.next).toBe('string')
  })

  it('refuses a cursor of the model where any params are allowed', async () => {
    const { sandbox, tools } = setUp()
    const { error } = await tools.technews_search.execute({ query, cursor: 'mine' })
    expect([error?.code, sandbox.requests.length]).toEqual(['invalid_request', 0])
  })

  it('does not tell the model to stop when only a retry exceeded the limit of the call', async () => {
    const { sandbox, tools } = setUp({}, { retry: { unknown: true } })
    sandbox.inject({ reset: 'after' })
    vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => void vi.restoreAllMocks())
    const { error, credits } = await tools.microblog_search.execute({ query })
    expect([error?.code, error?.stop, credits.remaining]).toEqual(['credit_budget', false, 48])
  })
})
