import { describe, expect, it } from 'vitest'
import { madeUpCompanies } from '../../src/extensions/sandbox/companies.ts'
import { all, call, issuesOf, setUp } from './helpers.ts'

const { sandbox, client } = setUp()
const { list } = client.professionalnet.industries
const industries = await list().toArray(all)

it('createSandbox() finds a company by any URL that contains its name, or by its id', async () => {
  const { client } = setUp()
  const { id } = madeUpCompanies.find(({ name }) => name === 'Harbour Bean')!
  for (const url of [
    'http://www.professionalnet.example/company/Harbour-Bean/',
    'professionalnet.example/company/harbour-bean/about?tab=1',
    `https://any.example/company/${id}`,
  ])
    expect((await client.professionalnet.company.get({ url })).company.id).toBe(id)
})

describe('createSandbox() industries', () => {
  it('lists pages of 25, each industry once, for free', async () => {
    const total = industries.length
    const page = await list()
    expect(page.meta).toEqual({ total, page: 1, pageCount: Math.ceil(total / 25), pageSize: 25 })
    expect(page.industries).toEqual(industries.slice(0, 25))
    expect(total).toBeGreaterThan(25)
    for (const field of ['id', 'label', 'hierarchy'] as const)
      expect(new Set(industries.map((industry) => industry[field])).size, field).toBe(total)
    const paths = industries.map(({ hierarchy }) => hierarchy.split(' > '))
    expect(paths.map((path) => path.at(-1))).toEqual(industries.map(({ label }) => label))
    expect(Math.max(...paths.map(({ length }) => length))).toBe(3)
    expect(sandbox.ledger.spent).toBe(0)
  })

  it('keeps those whose hierarchy holds the text, in any case', async () => {
    const expected = industries.filter(({ hierarchy }) => /software/i.test(hierarchy))
    expect(expected.length).toBeGreaterThan(2)
    expect(await list({ q: 'SOFTWARE' }).toArray(all)).toEqual(expected)
  })

  it('answers an empty page beyond the last one, and without pages when nothing fits', async () => {
    expect(await list({ page: 900 })).toMatchObject({ industries: [], meta: { page: 900 } })
    expect(await list({ q: 'zzzz' })).toMatchObject({ industries: [], meta: { total: 0, pageCount: 0 } })
  })

  it.each(['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=', 'q=', 'page=1&page=2', 'colour=red'])(
    'answers 400 naming the parameter when the query is %s',
    async (query) => {
      const answer = await call(sandbox, `GET /data/professionalnet/industries?${query}`)
      expect([answer.status, issuesOf(answer)]).toEqual([400, [query.split('=')[0]]])
    },
  )
})
