import fc from '../support/chance.ts'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { type AgentTool, createTools } from '../../src/extensions/tools/index.ts'
import { codeOf, query, reached, setUp, url } from './set-up.ts'

describe('execute() refuses, for free, and says why', () => {
  it.each([
    ['no object', 'coffee', ''],
    ['a list', [], ''],
    ['nothing', undefined, ''],
    ['a wrong type', { query: 3 }, 'query'],
    ['an unknown param', { query, cursor: 'x' }, 'cursor'],
    ['a nested mistake', { query, filters: { lang: 7 } }, 'filters.lang'],
    ['null for a required argument', { query: null }, 'query'],
    ['a list for a text', { query: ['coffee'] }, 'query'],
    ['a text for a number', { query, count: 'five' }, 'count'],
    ['no whole number', { query, count: '2.5' }, 'count'],
    ['a text that is no object', { query, filters: 'lang:en' }, 'filters'],
    ['a list for an object', { query, filters: '[]' }, 'filters'],
    ['an object for a list', { query, filters: { hashtags: { a: 1 } } }, 'filters.hashtags'],
    ['null in a list', { query, filters: { hashtags: ['a', null] } }, 'filters.hashtags.1'],
    ['an unknown name in JSON text', { query, filters: '{"__proto__":{"lang":"en"}}' }, 'filters.__proto__'],
    ['JSON text nested deep', { query, filters: '['.repeat(100_000) }, 'filters'],
    ['what is no JSON', { query, filters: { radius: 3n } }, 'filters.radius'],
    ['too many pages', { query, pages: 11 }, 'pages'],
  ])('%s', async (_, input, path) => {
    const { tools, sandbox } = setUp()
    const { ok, error } = await tools.microblog_search.execute(input)
    expect([ok, error?.code, error?.charged]).toEqual([false, 'invalid_request', 'no'])
    expect(error?.issues?.[0]?.path).toBe(path)
    expect(error?.message).toContain('Correct the arguments')
    expect(JSON.stringify(error).length).toBeLessThan(4000)
    expect(sandbox.requests).toHaveLength(0)
    const validated = await tools.microblog_search.inputSchema['~standard'].validate(input)
    expect(validated).toHaveProperty('issues.0')
  })

  it('100 mistakes, and names 10 of them', async () => {
    const { tools, sandbox } = setUp()
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`unknown_${i}`, i]))
    const { error } = await tools.microblog_search.execute({ query, ...unknown })
    expect([error?.issues?.length, sandbox.requests]).toEqual([10, []])
    expect(error?.message).toContain('and 7 more')
  })

  it('handles that are forged, of another tool, or used with other arguments', async () => {
    const { tools, sandbox } = setUp()
    const { next } = await tools.microblog_search.execute({ query })
    const { execute } = tools.microblog_search
    for (const refused of [
      execute({ query, next: 'next_0123456789abcdef' }),
      tools.technews_search.execute({ query, next }),
      execute({ query: 'tea', next }),
      execute({ query, count: 5, next }),
      execute({ query, next: next?.replace(/.$/, 'x') }),
      execute({ query, next: `${next}%` }),
    ])
      expect(codeOf(await refused)).toBe('unknown_handle')
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('calls with too many pages, and says how many would fit', async () => {
    const byBudget = await setUp({ budget: 19 }).tools.microblog_search.execute({ query, pages: 10 })
    expect(byBudget.error?.message).toContain('`pages` 9 would fit')
    const byLimit = await setUp({ confirmAbove: 7 }).tools.microblog_search.execute({ query, pages: 10 })
    expect(codeOf(byLimit)).toBe('confirmation')
    expect(byLimit.error?.message).toContain('`pages` 3 would fit')
    const none = await setUp({ budget: 1 }).tools.microblog_search.execute({ query })
    expect(none.error?.message).not.toMatch(/would fit|reserved/)
  })

  it('calls above the budget, and says when to stop', async () => {
    const { tools, sandbox, client } = setUp({ budget: 5 })
    const tooMany = await tools.microblog_search.execute({ query, pages: 3 })
    expect([tooMany.error?.code, tooMany.error?.stop]).toEqual(['credit_budget', false])
    await tools.microblog_search.execute({ query, pages: 2 })
    const cheap = createTools({ client, budget: 1, allow: ['microblog.search', 'organization.usage'] })
    const spent = await cheap.microblog_search.execute({ query })
    expect(spent.error).toMatchObject({ code: 'credit_budget', charged: 'no', stop: true })
    expect(spent.error?.message).toContain('Stop')
    expect((await cheap.organization_usage.execute({})).ok).toBe(true)
    expect(sandbox.ledger.spent).toBe(4)
  })
})

describe('a paid answer', () => {
  it('is bought once for a handle, however often it is used', async () => {
    const { tools, sandbox } = setUp({}, 5)
    const { next } = await tools.microblog_search.execute({ query })
    const calls = [1, 2, 3].map(() => tools.microblog_search.execute({ query, next }))
    const results = [...(await Promise.all(calls)), await tools.microblog_search.execute({ query, next })]
    expect(new Set(results.map(({ items }) => JSON.stringify(items))).size).toBe(1)
    expect(sandbox.ledger.spent).toBe(4)
  })

  it('that is not as documented is in the result of the failure', async () => {
    const { tools, sandbox } = setUp()
    sandbox.inject({ status: 200, body: { requestId: 'req_1', odd: 'shape' } })
    const { ok, error, record } = await tools.microblog_search.execute({ query })
    expect([ok, error?.code, error?.charged]).toEqual([false, 'invalid_response', 'yes'])
    expect(record).toEqual({ requestId: 'req_1', odd: 'shape' })
  })

  it('that is lost counts as spent, and the model is warned', async () => {
    const { tools, sandbox } = setUp()
    sandbox.inject({ reset: 'after' })
    const { error, credits } = await tools.microblog_search.execute({ query })
    expect([error?.charged, credits]).toEqual(['unknown', { spent: 0, uncertain: 2, remaining: 48 }])
    expect(error?.message).toContain('charged twice')
  })
})

describe('a write whose answer is lost', () => {
  const args = { id: 'men_764dbb8c410af7ff', state: 'seen' }

  it('may have been applied, was not charged, and the model is told to look first', async () => {
    const { tools, sandbox } = setUp()
    sandbox.inject({ reset: 'after' })
    const { error } = await tools.mentions_setState.execute(args)
    const advice = 'The change may have been applied. Read it before you repeat the change.'
    expect(error).toMatchObject({ applied: 'unknown', charged: 'no' })
    expect(error?.message).toContain(advice)
  })

  it('has applied no if the service refuses it, and reads have no such field', async () => {
    const { tools, sandbox } = setUp()
    sandbox.inject({ status: 400, times: 2 })
    expect((await tools.mentions_setState.execute(args)).error?.applied).toBe('no')
    expect((await tools.mentions_list.execute({})).error).not.toHaveProperty('applied')
  })
})

describe('a failure of the service', () => {
  it.each([
    [{ status: 429, retryAfter: 90 }, { code: 'rate_limited', retryAfter: 90, stop: false }, 'Wait 90 s'],
    [{ status: 401 }, { stop: true }, ''],
  ])(
    'tells the model how long to wait, or to stop if the key does not work: %j',
    async (fault, expected, advice) => {
      const { tools, sandbox } = setUp()
      sandbox.inject(fault)
      const { error } = await tools.microblog_search.execute({ query })
      expect(error).toMatchObject({ ...expected, charged: 'no', message: expect.stringContaining(advice) })
    },
  )
})

describe('a session', () => {
  it('of 200 random, concurrent, hostile calls never passes its budget', async () => {
    // Retries follow at once.
    vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => void vi.restoreAllMocks())
    const json = fc.jsonValue() as fc.Arbitrary<unknown>
    const sensible = fc.record(
      {
        query: fc.constantFrom('coffee', 'tea', 'rust'),
        pages: fc.integer({ min: 0, max: 12 }),
        next: fc.constantFrom('mine', 'forged'),
        postUrl: fc.constant(url),
        id: fc.constantFrom('men_1', '../x'),
      },
      { requiredKeys: ['query'] },
    )
    const call = fc.record({
      tool: fc.integer({ min: 0, max: operations.length - 1 }),
      input: fc.oneof({ weight: 4, arbitrary: sensible }, { weight: 1, arbitrary: json }),
      leaves: fc.boolean(),
    })
    const answers = fc.infiniteStream(fc.boolean())
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 200, maxLength: 200 }),
        answers,
        async (calls, answers) => {
          const { tools, sandbox, client } = setUp(
            { confirm: () => answers.next().value, confirmAbove: 6 },
            [0, 2],
          )
          sandbox.inject({ reset: 'after', skip: 3, times: 2 })
          sandbox.inject({ status: 502, skip: 5, times: 2 })
          const list: AgentTool[] = Object.values(tools)
          const handles: string[] = []
          const run = async ({ tool, input, leaves }: (typeof calls)[number]) => {
            const given = input as { next?: string } | null
            const real = given?.next === 'mine' ? { ...given, next: handles.at(-1) } : given
            const signal = leaves ? AbortSignal.timeout(1) : undefined
            const result = await list[tool]!.execute(real, { signal })
            if (typeof result.next === 'string') handles.push(result.next)
            expect(sandbox.ledger.spent).toBeLessThanOrEqual(50)
          }
          await Promise.all(calls.map(run))
          await reached(() => client.credits.reserved === 0)
          const { spent, uncertain } = client.credits
          expect(sandbox.ledger.spent).toBeLessThanOrEqual(50)
          expect(spent).toBeLessThanOrEqual(sandbox.ledger.spent)
          expect(spent + uncertain).toBeGreaterThanOrEqual(sandbox.ledger.spent)
          expect(spent + uncertain).toBeLessThanOrEqual(50)
        },
      ),
      { numRuns: 2 },
    )
  })
})
