import { describe, expect, it } from 'vitest'
import { CreditBudget, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { type ToolCallOptions, type ToolsOptions, createTools } from '../../src/tools/index.ts'
import { awkwardFunctions, endOf } from '../support/awkward-functions.ts'
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

describe('execute() when', () => {
  it.each(awkwardFunctions)('confirm %s buys nothing, and says so', async (_, confirm) => {
    const { search, sandbox } = setUp({ confirm, confirmAbove: 0 })
    expect(await search({})).toMatchObject({ ok: false, error: { charged: 'no' } })
    expect(sandbox.ledger.spent).toBe(0)
  })

  it.each(awkwardFunctions)('onProgress %s delivers all paid pages', async (_, onProgress) => {
    const { search, sandbox } = setUp()
    expect(await search({ pages: 2 }, { onProgress })).toMatchObject({ pages: 2, credits: { spent: 4 } })
    expect(sandbox.ledger.spent).toBe(4)
  })

  it.each(awkwardFunctions)('a hook of the client %s returns a result', async (_, fail) => {
    for (const hooks of [{ beforeRequest: [fail] }, { beforeError: [fail] }]) {
      const { search, sandbox } = setUp({}, { hooks })
      sandbox.inject({ status: 400 })
      expect(await search({})).toMatchObject({ credits: { spent: 0 } })
    }
  })

  it.each(awkwardFunctions)('reserve() of the budget %s returns a result', async (_, reserve) => {
    const budget = Object.assign(new CreditBudget(9), { reserve })
    const { search, sandbox } = setUp({ budget })
    await search({})
    expect(sandbox.ledger.spent).toBeLessThanOrEqual(2)
  })

  it.each(awkwardValues)('the input is %s returns a result', async (_, make) => {
    const { tools } = setUp()
    for (const input of [
      make(),
      { query: make() },
      { query: 'x', filters: make() },
      { query: 'x', pages: make() },
    ]) {
      const { error } = await tools.microblog_search.execute(input)
      expect(error?.charged).not.toBe('unknown')
      expect(await endOf(() => tools.microblog_search.inputSchema['~standard'].validate(input))).toBe('done')
    }
  })
})
