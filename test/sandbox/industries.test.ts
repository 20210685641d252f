import { describe, expect, it } from 'vitest'
import {
  type IndustriesListBody,
  type ProfessionalnetIndustry,
  industriesList,
} from '../../src/api/professionalnet/industries.ts'
import { check } from '../../src/api/schema/check.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { call, unpaced } from './helpers.ts'

const get = (sandbox: Sandbox, query = '') =>
  call<IndustriesListBody>(sandbox, `GET ${industriesList.path}${query}`)

async function all(sandbox: Sandbox, q = ''): Promise<ProfessionalnetIndustry[]> {
  const first = await get(sandbox, `?page=1${q}`)
  const pages = [first]
  for (let page = 2; page <= first.body.meta.pageCount; page++)
    pages.push(await get(sandbox, `?page=${page}${q}`))
  return pages.flatMap(({ body }) => body.industries)
}

describe('createSandbox() industries', () => {
  it('lists several hundred in pages of 25, as the contract says, for free', async () => {
    const sandbox = unpaced()
    const { status, body } = await get(sandbox)
    const industries = await all(sandbox)
    expect(status).toBe(200)
    expect(check(industriesList.response, body)).toEqual([])
    expect(body.meta).toEqual({
      total: industries.length,
      page: 1,
      pageCount: Math.ceil(industries.length / 25),
      pageSize: 25,
    })
    expect(body.industries).toEqual(industries.slice(0, 25))
    expect(industries.length).toBeGreaterThan(350)
    for (const field of ['id', 'label', 'hierarchy'] as const)
      expect(new Set(industries.map((industry) => industry[field])).size, field).toBe(industries.length)
    expect(industries.every(({ label, hierarchy }) => hierarchy.split(' > ').at(-1) === label)).toBe(true)
    expect(industries.some(({ hierarchy }) => hierarchy.split(' > ').length === 3)).toBe(true)
    expect(sandbox.ledger.spent).toBe(0)
  })

  it('keeps those whose hierarchy holds the text, in any case', async () => {
    const sandbox = unpaced()
    const expected = (await all(sandbox)).filter(({ hierarchy }) => /software/i.test(hierarchy))
    expect(expected.length).toBeGreaterThan(3)
    expect(await all(sandbox, '&q=SOFTWARE')).toEqual(expected)
    expect((await get(sandbox, '?q=zzzz')).body).toMatchObject({
      industries: [],
      meta: { total: 0, pageCount: 0 },
    })
  })

  it('answers an empty page beyond the last one, with its number', async () => {
    expect((await get(unpaced(), '?page=900')).body).toMatchObject({ industries: [], meta: { page: 900 } })
  })

  it.each(['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=', 'q=', 'page=1&page=2', 'colour=red'])(
    'answers 400 naming the parameter when the query is %s',
    async (query) => {
      const { status, body } = await call(unpaced(), `GET ${industriesList.path}?${query}`)
      expect([status, body['error'].issues[0].path]).toEqual([400, query.split('=')[0]])
    },
  )
})
