import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { CreditBudget, type SocialSearchError } from '../../../src/index.ts'
import { settle } from '../../support/clock.ts'
import { idsOf, search, threePages } from '../../support/search.ts'
import { failure, makeClient, ok, virtualService } from '../../support/service.ts'

const service = virtualService()

const failed = async (work: PromiseLike<unknown>) => (await settle(work)).error as SocialSearchError
const all = { limit: 100 }

describe('toArray()', () => {
  it('keeps the items of all paid pages, and next, on the error when a budget ends it', async () => {
    service.script(...threePages())
    const error = await failed(search({ budget: new CreditBudget(4) }).toArray(all))
    expect(error).toMatchObject({ code: 'credit_budget', next: { query: 'rust', cursor: 'B' } })
    expect(idsOf(error.items as { id: string }[])).toEqual(['1', '2', '3', '4'])
  })

  it.each([
    ['the service fails', () => failure(500, 'internal_error')],
    ['the connection breaks', () => Response.error()],
    ['a response cannot be read', () => ok('<html>')],
  ])('resumes from the error without losing or repeating an item when %s', async (_, response) => {
    const [first, second, third] = threePages() as [Response, Response, Response]
    service.script(first, second, response(), third)
    const call = makeClient().microblog.search({ query: 'rust' })
    const error = await failed(call.toArray(all))
    const { value: rest } = await settle(call.resume(error).toArray(all))
    expect(idsOf([...(error.items as { id: string }[]), ...rest!])).toEqual(['1', '2', '3', '4', '5'])
  })

  it('leaves an error of a function of the caller as it is: it may be that of many calls', async () => {
    service.script(...threePages())
    const own = new Error('the vault is down')
    let calls = 0
    const apiKey = () => (++calls > 2 ? Promise.reject(own) : 'a_key_of_the_vault')
    expect(await failed(makeClient({ apiKey }).microblog.search({ query: 'rust' }).toArray(all))).toBe(own)
    expect('items' in own).toBe(false)
  })

  it('has no items on the error of the first page, also when it runs twice', async () => {
    service.script(failure(400, 'validation_error'))
    const call = search()
    expect((await failed(call.toArray(all))).items).toEqual([])
    expect((await failed(call.toArray(all))).items).toEqual([])
  })

  it('keeps the items out of JSON, inspection and keys of the error', async () => {
    const [first] = threePages() as [Response]
    service.script(first, failure(500, 'internal_error'))
    const error = await failed(search().toArray(all))
    expect(error.items).toHaveLength(2)
    for (const shown of [JSON.stringify(error), inspect(error, { depth: 9 }), Object.keys(error).join()])
      expect(shown).not.toContain('items')
  })
})
