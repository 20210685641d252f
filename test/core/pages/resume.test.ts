import { describe, expect, it } from 'vitest'
import { ConfigurationError, PaginationError } from '../../../src/index.ts'
import { settle } from '../../support/clock.ts'
import { networkPosts, page } from '../../support/pages.ts'
import { idsOf, search, threePages } from '../../support/search.ts'
import { makeClient, ok, virtualService } from '../../support/service.ts'
import { walk } from '../../support/walk.ts'

const service = virtualService()

const sent = () => service.arrivals.map(({ body }) => JSON.parse(body))
const stored = <T>(state: T): T => JSON.parse(JSON.stringify(state))
const filters = { lang: 'en', hashtags: ['a'] }

describe('resume()', () => {
  it.each([null, undefined])('starts from the first page when %s is stored', async (nothing) => {
    service.script(...threePages())
    const { items } = await walk(search().resume(nothing))
    expect(idsOf(items)).toEqual(['1', '2', '3', '4', '5'])
    expect(sent()[0]).toEqual({ query: 'rust' })
  })

  it.each<[string, (next: object) => object]>([
    ['it gets a page', (next) => ({ next })],
    ['it gets the params of that page themselves', (next) => next],
  ])('continues at the next page, also when the state was stored as JSON, when %s', async (_, stateOf) => {
    service.script(...threePages())
    const { value: first } = await settle(search())
    const { items } = await walk(search().resume(stored(stateOf(first!.next!)) as never))
    expect(idsOf(items)).toEqual(['3', '4', '5'])
    expect(sent().slice(1)).toEqual(['A', 'B'].map((cursor) => ({ query: 'rust', cursor })))
  })

  it('continues when a database changed the order of fields in a param', async () => {
    service.script(ok(page(['1'])))
    const next = { cursor: 'A', filters: { hashtags: ['a'], lang: 'en' }, query: 'rust' }
    const { items } = await walk(search({}, { query: 'rust', filters }).resume({ next }))
    expect(idsOf(items)).toEqual(['1'])
  })

  it('sends nothing and yields no page when the walk is complete', async () => {
    service.script(ok())
    const over = search().resume(stored({ next: null }))
    expect((await walk(over)).items).toEqual([])
    expect((await settle(over.toArray({ limit: 5 }))).value).toEqual([])
    expect((await settle(over.pages().next())).value).toEqual({ done: true, value: undefined })
    const { error } = await settle(over)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toContain('the last page was already fetched')
    expect(service.arrivals).toEqual([])
  })

  it('pays for no page again when the pages before ended in a loop', async () => {
    service.script(ok(page(['1'], 'A')), ok(page(['2'], 'B')), ok(page(['3'], 'A')))
    const nexts: unknown[] = []
    const reading = async () => {
      for await (const { next } of search().pages()) nexts.push(next?.cursor)
    }
    const { error } = await settle(reading())
    expect(error).toMatchObject({ name: 'PaginationError', next: null })
    expect(nexts).toEqual(['A', 'B', undefined])
    expect(() => search().resume(error as never)).toThrow('the PaginationError lacks it')
    expect(service.arrivals).toHaveLength(3)
  })

  it('continues at the page that an error names when the error also has the page that was paid for', async () => {
    const pages = [networkPosts(1, 'a'), networkPosts(1, 'b'), networkPosts(2, 'b'), networkPosts(3)]
    service.script(...pages.map((page) => ok(page)))
    const call = makeClient().professionalnet.posts.search({ query: 'rust' })
    const { error } = await walk(call)
    expect(error).toMatchObject({ name: 'PaginationError', body: {}, next: { query: 'rust', page: 2 } })
    expect((await walk(call.resume(error as never))).items.map(({ urn }) => urn)).toEqual(['b'])
  })

  const own = { query: 'rust', filters }
  const german = { ...filters, lang: 'de' }
  const anotherQuery =
    /not sent: the state belongs to another call: query is "go" in the state and "rust" in the call; pass the old value, or no state$/
  it.each([
    ['has no next', {}, /the state lacks it/],
    ['is not an object', 'A', /the state must be an object/],
    ['has a cursor for next', { next: 'A' }, /the state lacks it/],
    ['is an error that names no page', new PaginationError('lost', null), /the PaginationError lacks it/],
    ['is of another query', { next: { query: 'go', cursor: 'A' } }, anotherQuery],
    ['are params of another query', { query: 'go', cursor: 'A' }, anotherQuery],
    ['lacks a filter', { next: { query: 'rust', cursor: 'A' } }, /filters is missing in the state and \{/],
    [
      'has a param that the call lacks',
      { next: { ...own, count: 5 } },
      /count is 5 in the state and missing in/,
    ],
    [
      'has another filter',
      { next: { ...own, filters: german } },
      /filters is \{.*"de".*\} in the state and \{.*"en"/,
    ],
  ])('throws before anything is sent when the state %s', (_, state, message) => {
    expect(() => search({}, { query: 'rust', filters }).resume(state as never)).toThrow(message)
    expect(service.arrivals).toEqual([])
  })
})
