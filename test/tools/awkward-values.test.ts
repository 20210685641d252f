import { describe, expect, it } from 'vitest'
import { CreditBudget, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { type ToolCallOptions, type ToolsOptions, createTools } from '../../src/extensions/tools/index.ts'
import { awkwardFunctions, endOf, problemsOf } from '../support/awkward-functions.ts'
import { awkwardValues } from '../support/awkward-values.ts'

function setUp(options: Partial<ToolsOptions> = {}, client: object = {}) {
  const sandbox = createSandbox({ posts: 1000, limits: { perMinute: false } })
  const tools = createTools({
    client: new SocialSearch({ ...sandbox.clientOptions(), ...client }),
    budget: 50,
    ...options,
  })
  const search = (input: object, call: ToolCallOptions = {}) =>
    tools.microblog_search.execute({ query: 'coffee', ...input }, call)
  return { sandbox, tools, search }
}

describe('execute()', { timeout: 60_000 }, () => {
  let awkward: () => never
  const fail = () => awkward()

  /** Checks a seam with each awkward function in turn. */
  const problemsWith = (check: () => Promise<void>) =>
    problemsOf(awkwardFunctions, async (given) => {
      awkward = given
      await check()
    })

  it('buys nothing, and says so, when confirm throws or returns anything', async () => {
    const { search, sandbox } = setUp({ confirm: fail, confirmAbove: 0 })
    const problems = await problemsWith(async () => {
      expect(await search({})).toMatchObject({ ok: false, error: { charged: 'no' } })
      expect(sandbox.ledger.spent).toBe(0)
    })
    expect(problems).toEqual([])
  })

  it('delivers all paid pages when onProgress throws or returns anything', async () => {
    const { search, sandbox } = setUp({ budget: 1000 })
    const problems = await problemsOf(awkwardFunctions, async (onProgress) => {
      const before = sandbox.ledger.spent
      expect(await search({ pages: 2 }, { onProgress })).toMatchObject({ pages: 2, credits: { spent: 4 } })
      expect(sandbox.ledger.spent - before).toBe(4)
    })
    expect(problems).toEqual([])
  })

  it.each(['beforeRequest'])(
    'returns a result when a %s hook of the client throws or returns anything',
    async (hook) => {
      const { search, sandbox } = setUp({}, { hooks: { [hook]: [fail] } })
      const problems = await problemsWith(async () => {
        sandbox.inject({ status: 400 })
        expect(await search({})).toMatchObject({ credits: { spent: 0 } })
        sandbox.clearFaults()
      })
      expect(problems).toEqual([])
    },
  )

  it('returns a result when reserve() of the budget throws or returns anything', async () => {
    const problems = await problemsOf(awkwardFunctions, async (reserve) => {
      const { search, sandbox } = setUp({ budget: Object.assign(new CreditBudget(9), { reserve }) })
      await search({})
      expect(sandbox.ledger.spent).toBeLessThanOrEqual(2)
    })
    expect(problems).toEqual([])
  })

  it('returns a result when the input is anything', async () => {
    const { tools } = setUp()
    const problems = await problemsOf(awkwardValues, async (make) => {
      const filters = { query: 'x', filters: make() }
      for (const input of [make(), { query: make() }, filters, { query: 'x', pages: make() }]) {
        const { error } = await tools.microblog_search.execute(input)
        expect(error?.charged).not.toBe('unknown')
        expect(await endOf(() => tools.microblog_search.inputSchema['~standard'].validate(input))).toBe(
          'done',
        )
      }
    })
    expect(problems).toEqual([])
  })
})
