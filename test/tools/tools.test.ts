import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { fieldsOf } from '../../src/extensions/export/index.ts'
import { type Budget, ConfigurationError, CreditBudget } from '../../src/index.ts'
import { SharedBudget, memoryStore } from '../../src/extensions/shared/index.ts'
import { madeUpCompanies, pageOfCompany } from '../../src/extensions/sandbox/companies.ts'
import { shortNames } from '../../src/api/main-fields.ts'
import { createProxy } from '../../src/extensions/proxy/index.ts'
import { type ToolResult, createTools } from '../../src/extensions/tools/index.ts'
import { makeClient } from '../support/service.ts'
import { query, setUp } from './set-up.ts'

const errorOf = ({ error }: ToolResult) => [error?.code, error?.stop, error?.charged]

describe('createTools()', () => {
  it('makes a tool of each allowed operation, with its price and schema', () => {
    const { tools } = setUp()
    expect(Object.keys(tools)).toEqual(operations.map(({ id }) => id.replaceAll('.', '_')))
    expect(tools.microblog_search.description).toMatch(/^Find public microblog posts\. .*2 credits a page/)
    const bounded = setUp({ confirmAbove: 4 }).tools.microblog_search.description
    expect(bounded).toContain("Calls above 4 need a person's approval.")
    expect(tools.professionalnet_posts_comments.description).toContain('100 unless you set it')
    const { properties, required } = tools.microblog_search.json.anthropic.input_schema
    expect(required).toEqual(['query'])
    expect(properties).toMatchObject({
      query: { type: 'string', maxLength: 200, description: 'Keywords.' },
      next: { type: 'string' },
    })
    expect(Object.keys(properties)).not.toContain('cursor')
    for (const { name, json, inputSchema } of Object.values(tools)) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      const { properties, required } = json.openai.parameters
      expect(JSON.parse(JSON.stringify(inputSchema))).toMatchObject({ type: 'object', properties, required })
    }
  })

  it('offers the searches, company profiles and the usage unless allow says more', () => {
    const { client } = setUp()
    expect(Object.keys(createTools({ client, budget: 1 }))).toEqual([
      ...['microblog_search', 'professionalnet_posts_search', 'professionalnet_company_get'],
      ...['technews_search', 'organization_usage'],
    ])
  })

  it('tells in its schemas what leads to a good call', () => {
    const { tools } = setUp()
    expect(tools.technews_search.json.anthropic.input_schema).toMatchObject({
      properties: { query: { type: 'string' } },
      required: [],
      additionalProperties: true,
    })
    const { properties } = tools.microblog_search.inputSchema
    expect(properties?.['category']?.description).toContain('`Latest`: presumably newest first')
    expect(properties?.['count']?.description).toContain('A smaller page costs the same')
    const since = properties?.['filters']?.properties?.['since']
    expect(since?.description).toContain('not documented, try `2026-11-24`')
    expect(properties?.['summary']?.enum).toEqual(['day', 'week', 'author'])
  })

  it('shows prices of the client', () => {
    const { tools } = setUp({}, 0, { prices: { 'microblog.search': 7 } })
    expect(tools.microblog_search.description).toContain('7 credits a page')
  })

  it('names default fields that exist', () => {
    for (const [id, fields] of Object.entries(shortNames)) {
      const paths = fieldsOf(id as 'microblog.search')
      expect(paths).toEqual(expect.arrayContaining(Object.keys(fields)))
    }
  })

  it.each([
    [{ budget: -1 }, /at least 0/],
    [{ allow: ['microblog.find'] }, /unknown operation microblog.find/],
    [{ allow: [] }, /one or more operation ids/],
    [{ maxItems: 0 }, /maxItems must be a whole number/],
    [{ confirmAbove: 'x' }, /confirmAbove must be a number/],
    [{ confirm: true }, /confirm must be a function/],
    [{ bugdet: 3 }, /unknown option bugdet; expected one of /],
    [{ client: {} }, /client must be a SocialSearch/],
    [{ maxText: 5 }, /maxText must be a whole number from 20/],
    [{ fields: { 'microblog.search': 'id' } }, /must be a list of field/],
    [{ fields: { 'microblog.search': ['engagements.likes'] } }, /unknown field engagements.likes of micro/],
  ])('refuses %j', (options, message) => {
    expect(() => setUp(options as never)).toThrow(ConfigurationError)
    expect(() => setUp(options as never)).toThrow(message)
  })
})

describe('execute()', () => {
  it('returns compact items that are marked as data, and what they cost', async () => {
    const { tools, sandbox } = setUp({ maxText: 20 })
    const result = await tools.microblog_search.execute({ query: 'coffee' })
    const notice = expect.stringMatching(/data/) as string
    expect(result).toMatchObject({ ok: true, notice, credits: { spent: 2, remaining: 48 } })
    expect(result.items).toHaveLength(20)
    expect(Object.keys(result.items?.[0] ?? {})).toContain('views')
    expect(String(result.items?.[0]?.['text']).length).toBeLessThanOrEqual(20)
    expect(sandbox.ledger.spent).toBe(2)
  })

  it('shows the fields that the option names', async () => {
    const { tools } = setUp({ fields: { 'microblog.search': ['id', 'engagements.replyCount'] } })
    const { items } = await tools.microblog_search.execute({ query: 'coffee' })
    expect(Object.keys(items?.[0] ?? {})).toEqual(['id', 'engagements.replyCount'])
  })

  it('accepts an object among the fields, and the fields of a record', async () => {
    const { tools } = setUp({
      fields: { 'microblog.search': ['engagements'], 'professionalnet.company.get': ['company.name'] },
    })
    const { items } = await tools.microblog_search.execute({ query: 'coffee' })
    expect(items?.[0]).toHaveProperty('engagements.viewsCount')
    const company = madeUpCompanies[0]!
    const url = pageOfCompany(company)
    const { record } = await tools.professionalnet_company_get.execute({ url })
    expect(record).toEqual({ 'company.name': company.name })
  })

  it("leads from a post to its author's page", async () => {
    const { items } = await setUp().tools.professionalnet_posts_search.execute({ query: 'hiring' })
    expect(items?.every((item) => String(item['author_url']).startsWith('https://'))).toBe(true)
  })

  it('says what to do when a search has no results', async () => {
    const result = await setUp().tools.microblog_search.execute({ query: 'nothing' })
    expect(result).toMatchObject({ ok: true, returned: 0, items: [] })
    expect(result.notice).toBe('No matches: drop a filter, or use other keywords.')
  })

  it('reads on with next, first what is left of a page, for free', async () => {
    const { tools, sandbox } = setUp({ maxItems: 15 })
    const args = { query: 'coffee' }
    const seen: unknown[] = []
    const spent: number[] = []
    let next: string | null | undefined
    for (let call = 0; call < 4; call++) {
      const result = await tools.microblog_search.execute({ ...args, ...(next && { next }) })
      seen.push(...(result.items ?? []).map((item) => item['url']))
      spent.push(result.credits.spent)
      next = result.next
    }
    expect(spent).toEqual([2, 0, 2, 0])
    expect((await tools.microblog_search.execute({ query: 'tea', pages: 2 })).pages).toBe(1)
    expect(new Set(seen).size).toBe(40)
    expect(sandbox.ledger.spent).toBe(6)
  })

  it('reads several pages in one call, and tells its progress, also to a function that throws', async () => {
    const { tools, sandbox } = setUp({ maxResult: 100_000 })
    const progress: unknown[] = []
    const onProgress = (each: unknown) => {
      progress.push(each)
      throw new Error('a view that broke')
    }
    const result = await tools.microblog_search.execute({ query: 'coffee', pages: 3 }, { onProgress })
    expect(result.items).toHaveLength(60)
    expect(progress).toEqual([
      { done: 1, pages: 3 },
      { done: 2, pages: 3 },
    ])
    expect(sandbox.ledger.spent).toBe(6)
  })

  it('keeps what it has read if a later page fails, and goes on from there', async () => {
    const { tools, sandbox } = setUp()
    sandbox.inject({ status: 400, skip: 1 })
    const first = await tools.microblog_search.execute({ query: 'coffee', pages: 3 })
    expect([first.ok, first.items?.length, first.credits.spent]).toEqual([false, 20, 2])
    const second = await tools.microblog_search.execute({ query: 'coffee', next: first.next })
    expect([second.ok, second.items?.length, sandbox.ledger.spent]).toEqual([true, 20, 4])
  })

  it('serves operations without a list, with ids, and with undocumented params', async () => {
    const { tools } = setUp({ budget: 10 })
    const url = pageOfCompany(madeUpCompanies[0]!)
    const company = await tools.professionalnet_company_get.execute({ url })
    expect([company.ok, company.record !== undefined, company.next]).toEqual([true, true, undefined])
    expect((await tools.technews_search.execute({ query: 'rust' })).items?.length).toBeGreaterThan(0)
    const { items } = await tools.mentions_list.execute({})
    const mention = await tools.mentions_get.execute({ id: items?.[0]?.['id'] })
    expect(mention.record).toBeDefined()
    expect((await tools.organization_usage.execute({})).credits).toMatchObject({ spent: 0, remaining: 4 })
  })

  it('takes the credits from a shared budget, too', async () => {
    const budget = new CreditBudget(3)
    const { tools } = setUp({ budget })
    await tools.microblog_search.execute({ query: 'coffee' })
    expect(budget.summary().spent).toBe(2)
    const refused = await tools.microblog_search.execute({ query: 'coffee' })
    expect(errorOf(refused)).toEqual(['credit_budget', false, 'no'])
  })

  it('sends no page of a call that a budget of another copy of the package has too few credits for', async () => {
    vi.resetModules()
    const copy = await import('../../src/index.ts')
    expect(copy.CreditBudget).not.toBe(CreditBudget)
    const { tools, sandbox } = setUp({ budget: new copy.CreditBudget(3) })
    const { error } = await tools.microblog_search.execute({ query: 'coffee', pages: 2 })
    expect([error?.code, sandbox.ledger.spent]).toEqual(['credit_budget', 0])
    expect(error?.message).toContain('`pages` 1 would fit')
  })
})

describe('execute() behind a proxy whose budget is used up', () => {
  const allow = ['microblog.search', 'professionalnet.person.posts'] as const
  const query = 'coffee'

  /** Successes reach the client when `until` has resolved. */
  const behindProxy = (budget: number, until?: Promise<unknown>) => {
    const { client: backend } = setUp()
    const proxy = createProxy({ client: backend, allow, authorize: () => ({ id: 'ada' }), budget })
    const fetch = async (request: Request) => {
      const response = await proxy(request)
      if (response.ok) await until
      return response
    }
    const client = makeClient({ baseUrl: 'https://app.example', apiKey: undefined, auth: false, fetch })
    return createTools({ client, budget: 50, allow })
  }

  it('tells the model to stop when the cheapest call was refused', async () => {
    const { error, credits } = await behindProxy(1).microblog_search.execute({ query })
    expect(error).toMatchObject({ code: 'credit_budget', charged: 'no', stop: true })
    expect(error?.message).toContain('Stop calling them, and answer with what you have')
    expect(credits).toEqual({ spent: 0, uncertain: 0, remaining: 50 })
  })

  it('advises to ask for less when other calls cost less', async () => {
    const { error } = await behindProxy(9).professionalnet_person_posts.execute({ url: 'https://a.example' })
    expect(error).toMatchObject({ code: 'credit_budget', charged: 'no', stop: false })
    expect(error?.message).toContain('Ask for less')
  })

  it('does not tell the model to stop while a call is under way, whose credits may come back', async () => {
    let refused: (result: ToolResult) => void = () => {}
    const tools = behindProxy(3, new Promise((resolve) => (refused = resolve)))
    const calls = [query, 'tea'].map((query) => tools.microblog_search.execute({ query }))
    const first = await Promise.race(calls)
    expect(errorOf(first)).toEqual(['credit_budget', false, 'no'])
    refused(first)
    expect((await Promise.all(calls)).map(({ ok }) => ok).sort()).toEqual([false, true])
  })
})

describe('the credits of a result', () => {
  const remainingOf = async (budget: Budget): Promise<unknown> => {
    const { tools } = setUp({ budget })
    const { ok, credits } = await tools.microblog_search.execute({ query })
    expect(ok).toBe(true)
    return credits.remaining
  }
  const summary = (outlook: () => Promise<never>): Budget => ({
    reserve: () => ({ settle: () => {} }),
    summary: outlook,
  })

  it('tell what is left of the period of a budget, shared or not', async () => {
    const shared = new SharedBudget({ store: memoryStore(), name: 'agent', limit: 50, every: 'day' })
    expect(await remainingOf(shared)).toBe(48)
    expect(await remainingOf(new CreditBudget(50, { every: 'day' }))).toBe(48)
  })

  it('leave it open when the budget does not say, fails, or is silent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(await remainingOf({ reserve: () => ({ settle: () => {} }) })).toBeNull()
    expect(await remainingOf(summary(() => Promise.reject(new Error('away'))))).toBeNull()
    const seen: unknown[] = []
    void remainingOf(summary(() => new Promise(() => {}))).then((remaining) => seen.push(remaining))
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(1000)
      expect(seen).toEqual([null])
    })
  })
})
