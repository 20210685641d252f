import { describe, expect, it } from 'vitest'
import type { ConfirmRequest } from '../../src/extensions/tools/index.ts'
import { codeOf, query, reached, setUp, url } from './set-up.ts'

describe('confirmAbove', () => {
  it('refuses a call that needs approval when no person can be asked', async () => {
    const { tools, sandbox } = setUp({ confirmAbove: 2 })
    expect(codeOf(await tools.professionalnet_posts_search.execute({ query }))).toBe('confirmation')
    expect((await tools.microblog_search.execute({ query })).ok).toBe(true)
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('asks with the exact arguments and price, and does what the person says', async () => {
    const asked: ConfirmRequest[] = []
    const answers = [false, true]
    const confirm = (request: ConfirmRequest) => {
      asked.push(request)
      return answers.shift() ?? false
    }
    const { tools, sandbox } = setUp({ confirmAbove: 2, confirm })
    expect(codeOf(await tools.microblog_search.execute({ query, pages: 2 }))).toBe('confirmation')
    expect((await tools.microblog_search.execute({ query, pages: 2 })).ok).toBe(true)
    expect(asked).toHaveLength(2)
    expect(asked[0]).toMatchObject({ tool: 'microblog_search', input: { query }, pages: 2, atMost: 4 })
    expect(sandbox.ledger.spent).toBe(4)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('the dialog broke')), 'internal'],
    ['returns anything but true', () => 'no' as never, 'confirmation'],
  ])('buys nothing, and says so, when confirm %s', async (_, confirm, code) => {
    const { tools, sandbox } = setUp({ confirmAbove: 0, confirm })
    const { ok, error } = await tools.microblog_search.execute({ query })
    expect([ok, error?.code, error?.charged]).toEqual([false, code, 'no'])
    expect(sandbox.requests).toHaveLength(0)
  })

  it('asks about each call whose price has no bound, whatever the limit', async () => {
    const confirm = ({ isBounded }: ConfirmRequest) => isBounded
    const { tools, sandbox } = setUp({ budget: 2000, confirm })
    const { error } = await tools.professionalnet_posts_reactions.execute({ postUrl: url })
    expect(error?.code).toBe('confirmation')
    expect(sandbox.requests).toHaveLength(0)
  })

  it('asks for nothing that is kept already', async () => {
    let asked = 0
    const { tools } = setUp({ confirmAbove: 0, maxItems: 10, confirm: () => ++asked > 0 })
    const { next } = await tools.microblog_search.execute({ query })
    await tools.microblog_search.execute({ query, next })
    expect(asked).toBe(1)
  })

  it('sends no equal call that is not approved, whenever the first one fails', async () => {
    for (let turns = 0; turns < 60; turns++) {
      const answering = Promise.withResolvers<Response>()
      let [asked, requests] = [0, 0]
      const fetch = () => (requests++, answering.promise)
      const { tools } = setUp({ confirmAbove: 0, confirm: () => ++asked === 1 }, 0, { fetch })
      const first = tools.microblog_search.execute({ query })
      await reached(() => requests === 1)
      const error = { code: 'forbidden', message: 'no' }
      answering.resolve(Response.json({ requestId: 'r', error }, { status: 403 }))
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      await Promise.all([first, tools.microblog_search.execute({ query })])
      expect([turns, requests]).toEqual([turns, 1])
    }
  })
})

describe('a caller that leaves', () => {
  it.each([
    ['organization_usage', {}, { charged: 'no', message: expect.stringContaining('repeat it') }],
    [
      'mentions_setState',
      { id: 'men_764dbb8c410af7ff', state: 'seen' },
      { charged: 'no', applied: 'unknown', message: expect.stringContaining('read it before you repeat') },
    ],
  ] as const)('while %s is under way is told what it may have done', async (tool, args, error) => {
    const { tools, sandbox, client } = setUp({}, 20)
    const leaver = new AbortController()
    const left = tools[tool].execute(args, { signal: leaver.signal })
    await reached(() => sandbox.requests.length === 1)
    leaver.abort()
    expect((await left).error).toEqual({ code: 'cancelled', stop: false, ...error })
    await client.close()
  })

  it('before the call is sent pays nothing', async () => {
    const { tools, sandbox } = setUp()
    const result = await tools.microblog_search.execute({ query }, { signal: AbortSignal.abort() })
    expect([result.ok, result.error?.code]).toEqual([false, 'cancelled'])
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(sandbox.requests).toHaveLength(0)
  })

  it('while the call is queued pays nothing, and leaves its page to another who asked for the same', async () => {
    for (const others of [[], [query]]) {
      const { tools, sandbox } = setUp({}, 20)
      const leaver = new AbortController()
      const search = (query: string, signal?: AbortSignal) =>
        tools.microblog_search.execute({ query }, { signal })
      const ahead = ['tea', 'rust'].map((query) => search(query))
      const left = search(query, leaver.signal)
      const stayed = others.map((query) => search(query))
      await reached(() => sandbox.requests.length === 2)
      leaver.abort()
      expect((await left).ok).toBe(false)
      for (const { ok, credits } of await Promise.all(stayed)) expect([ok, credits.spent]).toEqual([true, 2])
      await Promise.all(ahead)
      await search('go')
      const sent = sandbox.requests.map(({ body }) => (body as { query: string }).query)
      expect(sent).toEqual(['tea', 'rust', ...others, 'go'])
    }
  })

  it.each([
    ['takes no retry from another who waits for the same page', { status: 503 }, true],
    ['has nobody pay again for a request that may have been charged', { reset: 'after' }, false],
  ] as const)('%s', async (_, fault, isRetried) => {
    const { tools, sandbox } = setUp({}, 20)
    sandbox.inject({ operation: 'microblog.search', ...fault })
    const leaver = new AbortController()
    const left = tools.microblog_search.execute({ query }, { signal: leaver.signal })
    const stayed = tools.microblog_search.execute({ query })
    await reached(() => sandbox.requests.length === 1)
    leaver.abort()
    expect([codeOf(await left), (await stayed).ok]).toEqual(['cancelled', isRetried])
    expect([sandbox.requests.length, sandbox.ledger.spent]).toEqual([isRetried ? 2 : 1, 2])
  })

  it.each(['handle', 'arguments'])(
    'while the call is under way gets its answer later, by its %s, without paying again',
    async (by) => {
      const { tools, sandbox, client } = setUp({}, 20)
      const leaver = new AbortController()
      const left = tools.microblog_search.execute({ query }, { abortSignal: leaver.signal })
      await reached(() => sandbox.requests.length === 1)
      leaver.abort()
      const { ok, error, next } = await left
      expect([ok, error?.code, error?.charged]).toEqual([false, 'cancelled', 'unknown'])
      await reached(() => client.credits.spent === 2)
      const again = await tools.microblog_search.execute(by === 'handle' ? { query, next } : { query })
      expect([again.items?.length, again.credits.spent, sandbox.ledger.spent]).toEqual([20, 0, 2])
      expect(client.credits.spent).toBe(2)
      // Delivered now: the same search is a new one.
      await tools.microblog_search.execute({ query })
      expect(sandbox.ledger.spent).toBe(4)
    },
  )
})
