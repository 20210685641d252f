import { describe, expect, it } from 'vitest'
import { read } from '../../src/extensions/watch/read.ts'
import type { WatchSpan } from '../../src/extensions/watch/index.ts'
import { listed } from './checks.ts'

const search = { query: 'acme' }
const terms = { search, fallback: search, overlap: 3, mostIds: 1000, now: Date.UTC(2026, 10, 20) }
/** Of a post with a number: each was published a minute after the one below it. */
const timeOf = (id: string) => new Date(Date.UTC(2026, 10, 19) + Number(id) * 60_000).toISOString()

function spanOf(from: number, to: number, more: Partial<WatchSpan> = {}): WatchSpan {
  const ids = listed(from, to)
  const times = ids.map((id) => Date.parse(timeOf(id)))
  return { ids, times, next: null, newest: timeOf(String(to)), oldest: timeOf(String(from)), ...more }
}

/** The newest page with some posts, and what it adds to spans. */
function readPage(
  spans: readonly WatchSpan[],
  ids: readonly string[],
  times: Readonly<Record<string, string | undefined>> = {},
) {
  const posts = new Map(ids.map((id) => [id, id in times ? times[id] : timeOf(id)]))
  return read(spans, { posts, asked: search, next: { cursor: 'below' }, isEnd: false }, terms)
}

describe('read()', () => {
  const old = timeOf('-900')

  it('finds a post with an old time that is listed above another one, and asks for no older posts', () => {
    const { fresh, spans } = readPage([spanOf(1, 5)], ['7', ...listed(3, 6)], { 7: old })
    expect([[...fresh], spans[0]?.oldest]).toEqual([['7', '6'], timeOf('1')])
  })

  it('finds no post without a time when it is listed below all known ones', () => {
    const { fresh } = readPage([spanOf(1, 5)], [...listed(1, 6), 'x'], { x: undefined })
    expect([...fresh]).toEqual(['6'])
  })

  it('joins a page that lists one of a few known posts, and no new one', () => {
    expect(readPage([spanOf(1, 2)], ['2'])).toMatchObject({ isJoined: true, spans: [{ next: null }] })
  })

  it('goes on below a page that lists posts of the gap below known ones, and forgets its silence', () => {
    const next = { cursor: 'gap' }
    const upper = spanOf(11, 20, { next, silence: [terms.now - 1, terms.now - 1, 1] })
    const { fresh, spans } = readPage([upper, spanOf(1, 5)], listed(9, 22))
    expect([...fresh]).toEqual(['22', '21', '10', '9'])
    expect(spans[0]).toMatchObject({ next: { cursor: 'below' } })
    expect(spans[0]).not.toHaveProperty('silence')
  })
})
