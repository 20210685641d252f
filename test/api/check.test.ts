import { afterEach, describe, expect, it, vi } from 'vitest'
import { planetsCreate, planetsUpdate } from '../../src/api/catalog/operations.ts'
import { check } from '../../src/api/schema/check.ts'
import { microblogSearch } from '../../src/api/endpoints/microblog.ts'
import { professionalnetPostsSearch } from '../../src/api/endpoints/professionalnet/posts.ts'
import { organizationUsage } from '../../src/api/endpoints/organization.ts'

const query = 'x'
const { request, response } = microblogSearch
const page = (posts: unknown) => ({
  requestId: 'r',
  posts,
  meta: { returnedCount: 1, hasMore: false },
})
/** A planet with `levels` planets within it. */
function nested(levels: number): object {
  let planet: object = { name: 'x' }
  for (let i = 0; i < levels; i++) planet = { satellites: [{ orbit: { planet } }] }
  return planet
}

describe('check()', () => {
  it.each<[value: unknown, path: string, message: string]>([
    [undefined, '', 'must be an object, got undefined'],
    [null, '', 'must be an object, got null'],
    ['x', '', 'must be an object, got "x"'],
    [[], '', 'must be an object, got an array'],
    [{}, 'query', 'is required'],
    [{ query: undefined }, 'query', 'is required'],
    [{ query: 5 }, 'query', 'must be a string, got 5'],
    [{ query: null }, 'query', 'must be a string, got null'],
    [{ query: 5n }, 'query', 'must be a string, got 5'],
    [{ query: {} }, 'query', 'must be a string, got an object'],
    [{ query: () => 'x' }, 'query', 'must be a string, got a function'],
    [{ query: '' }, 'query', 'must have at least 1 character, got 0'],
    [{ query: 'x'.repeat(250) }, 'query', 'must have at most 200 characters, got 250'],
    [{ query: '😀'.repeat(50) + 'x'.repeat(151) }, 'query', 'must have at most 200 characters, got 201'],
    [{ query, count: 0 }, 'count', 'must be at least 1, got 0'],
    [{ query, count: 21 }, 'count', 'must be at most 20, got 21'],
    [{ query, count: 1e300 }, 'count', 'must be at most 20, got 1e+300'],
    [{ query, count: 1.5 }, 'count', 'must be an integer, got 1.5'],
    [{ query, count: '5' }, 'count', 'must be an integer, got "5"'],
    [{ query, count: NaN }, 'count', 'must be an integer, got NaN'],
    [
      { query, category: 'Newest' },
      'category',
      'must be one of Top, Latest, People, Photos, Videos, got "Newest"',
    ],
    [{ query, filters: [] }, 'filters', 'must be an object, got an array'],
    [{ query, near: 'x' }, 'near', 'is not a known property'],
    [{ query, since: 'x' }, 'since', 'is not a known property; pass filters: { since }'],
    [{ query, filters: { query } }, 'filters.query', 'is not a known property'],
    [{ query, filters: { near: 'x' } }, 'filters.near', 'is not a known property'],
    [{ query, filters: { removeReplies: 1 } }, 'filters.removeReplies', 'must be true or false, got 1'],
    [{ query, filters: { radius: Infinity } }, 'filters.radius', 'must be a number, got Infinity'],
    [{ query, filters: { hashtags: 'x' } }, 'filters.hashtags', 'must be an array, got "x"'],
    [
      { query, filters: { hashtags: Array(31).fill('x') } },
      'filters.hashtags',
      'must have at most 30 items, got 31',
    ],
    [{ query, filters: { hashtags: ['#x'] } }, 'filters.hashtags.0', 'must be without the leading #'],
    [
      { query, filters: { hashtags: ['x', 'x'.repeat(500)] } },
      'filters.hashtags.1',
      'must have at most 200 characters, got 500',
    ],
  ])('explains %o', (value, path, message) => {
    expect(check(request, value)).toMatchObject([{ path, message }])
  })

  it('accepts 200 characters outside of the basic plane as 200', () => {
    expect(check(request, { query: '😀'.repeat(200) })).toEqual([])
  })

  it('accepts undefined for an optional param', () => {
    expect(check(request, { query, cursor: undefined, filters: { lang: undefined } })).toEqual([])
  })

  it('lists every issue at its path', () => {
    expect(
      check(professionalnetPostsSearch.request, { page: 0, author_industry: [1, 'x'], other: 1 }),
    ).toMatchObject([
      { path: 'query', message: 'is required' },
      { path: 'page', message: 'must be at least 1, got 0' },
      { path: 'author_industry.1', message: 'must be an integer, got "x"' },
      { path: 'other', message: 'is not a known property' },
    ])
  })

  it.each([new Map(), new URLSearchParams(), [[]], new Date(), 'x', null, { [Symbol('x')]: 1 }])(
    'refuses %o as undocumented params',
    (value) => {
      expect(check(organizationUsage.request, value)).toMatchObject([{ path: '' }])
    },
  )

  it('accepts plain objects as undocumented params', () => {
    expect(check(organizationUsage.request, { any: { thing: 1 } })).toEqual([])
    expect(check(organizationUsage.request, Object.create(null))).toEqual([])
  })

  it('lists each unknown field', () => {
    const unknown = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`field${i}`, 1]))
    const issues = check(request, { query, ...unknown })
    expect(issues).toHaveLength(250)
    expect(issues[99]).toMatchObject({ path: 'field99', message: 'is not a known property' })
  })

  it('ends without an error for planets in a circle or 100,000 levels deep', () => {
    const circle: Record<string, unknown> = { name: 'x' }
    circle['satellites'] = [{ orbit: { planet: circle } }]
    const refused = [{ path: '', message: 'is too large, too deep or circular' }]
    expect(check(planetsCreate.request, nested(249))).toEqual([])
    // Where the stack ends, zod may take what it has not seen for valid; then the planet cannot be written as JSON.
    for (const planet of [nested(100_000), circle])
      expect([[], refused]).toContainEqual(check(planetsCreate.request, planet))
  })

  it('reads a list no further when it has more issues than are told, also in a program that uses all of zod', async () => {
    vi.resetModules()
    const { object } = await import('zod')
    object({})
    const { check } = await import('../../src/api/schema/check.ts')
    const { microblogSearch } = await import('../../src/api/endpoints/microblog.ts')
    for (const images of [5, Array(1000).fill(1)])
      expect(check(microblogSearch.response, page([{ images }])).length).toBeLessThan(120)
  })

  it('reads a list no further when it has more issues than are told, also in an item', () => {
    let read = 0
    const invalid = () => Object.defineProperty({}, 'id', { get: () => (read++, undefined) })
    const items = Array.from({ length: 1000 }, invalid)
    const issues = check(response, page(items))
    expect([read, issues.length, issues[0]?.path]).toEqual([12, 108, 'posts.0.id'])
    const images = check(response, page([{ images: Array(1000).fill(1) }]))
    const paths = images.map(({ path }) => path).filter((path) => path.startsWith('posts.0.images.'))
    expect([paths.length, paths.at(-1)]).toEqual([102, 'posts.0.images.101'])
    expect(check(request, { query, filters: { hashtags: Array(1000).fill(1) } })).toHaveLength(102)
  })

  it('accepts unknown fields of a response, however deep', () => {
    let deep: object = {}
    for (let i = 0; i < 100_000; i++) deep = { deep }
    expect(check(response, { ...page([]), deep })).toEqual([])
    expect(check(organizationUsage.response, { requestId: 'r', deep })).toEqual([])
  })
})

describe('check() of the id in a path', () => {
  const { schema } = planetsUpdate.pathId

  it('refuses integers that are not exact or have more than 64 bits', () => {
    const message = 'must be an integer of 64 bits, as a bigint or as a number that holds it exactly, got'
    expect(check(schema, 2 ** 53)).toEqual([{ path: '', message: `${message} 9007199254740992` }])
    expect(check(schema, 2n ** 63n)).toEqual([{ path: '', message: `${message} 9223372036854775808` }])
    expect(check(schema, 2n ** 63n - 1n)).toEqual([])
  })
})

describe('the schemas', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  it('make no function from text, which pages and workers may forbid', async () => {
    const construct = vi.fn(Reflect.construct)
    vi.stubGlobal('Function', new Proxy(Function, { construct }))
    vi.resetModules()
    const { check } = await import('../../src/api/schema/check.ts')
    const { microblogSearch } = await import('../../src/api/endpoints/microblog.ts')
    const body = { ...page([{ id: 1 }]), posts: [1] }
    expect(check(microblogSearch.response, body)).toEqual([
      { path: 'posts.0', message: 'must be an object, got 1' },
    ])
    expect(construct).not.toHaveBeenCalled()
  })
})
