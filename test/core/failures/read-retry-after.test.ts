import { afterEach, describe, expect, it, vi } from 'vitest'
import { announcedWait } from '../../../src/core/http/retry-wait.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const wait = (header: string | null, body: unknown = null, date?: string) =>
  announcedWait(
    new Headers({ ...(header !== null && { 'retry-after': header }), ...(date && { date }) }),
    body,
    noon,
  )

describe('announcedWait()', () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each([
    ['0', 0],
    ['1.1', 2000],
    ['-5', null],
    ['', null],
    ['1e9', null],
    ['30, 30', 30_000],
    ['5, ', 5000],
    [', 5', 5000],
    ['abc, 5, -9', 5000],
    ['5, Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 12:00:30 GMT, 45', 45_000],
    ['Fri, 20 Nov 2026 12:00:10 GMT, Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['Fri Nov 20 12:00:30 2026, Fri, 20 Nov 2026 12:00:10 GMT', 30_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['2026-11-20T12:01:00Z', null],
    ['Fri, 99 Nov 2026 12:00:30 GMT', null],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ])('reads the header %j as %s ms', (header, expected) => {
    expect(wait(header)).toBe(expected)
  })

  it('waits through a leap second', () => {
    const before = 'Sat, 31 Dec 2016 23:59:58 GMT'
    expect(wait('Sat, 31 Dec 2016 23:59:60 GMT', null, before)).toBe(2000)
    expect(wait('Sun, 01 Jan 2017 00:00:01 GMT', null, 'Sat, 31 Dec 2016 23:59:60 GMT')).toBe(2000)
  })

  it('reads a date without a zone as GMT, wherever the process runs', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    expect(wait('Fri Nov 20 12:00:30 2026')).toBe(30_000)
  })

  it('measures a date against the clock of the response, by the earlier of two', () => {
    expect(wait('Wed, 01 Jan 2020 00:00:04 GMT', null, 'Wed, 01 Jan 2020 00:00:00 GMT')).toBe(4000)
    const dates = 'Fri, 20 Nov 2026 12:00:20 GMT, Fri, 20 Nov 2026 12:00:10 GMT'
    expect(wait('Fri, 20 Nov 2026 12:00:30 GMT', null, dates)).toBe(20_000)
    expect(wait('Fri, 20 Nov 2026 12:00:30 GMT', null, `soon, ${dates}`)).toBe(20_000)
  })

  it.each([
    ['2', { error: { retryAfter: 5 } }],
    ['5', { error: { retryAfter: 2 } }],
    [null, { retryAfter: 5 }],
  ])('takes the larger wait of the header %j and the body %j', (header, body) => {
    expect(wait(header, body)).toBe(5000)
  })

  it.each([
    [{ error: { retryAfter: null }, retryAfter: 3 }, 3000],
    [{ error: { retryAfter: { seconds: '5' } }, retryAfter: -5 }, null],
    [{ error: 'busy', retryAfter: 3 }, 3000],
    [{ error: { retryAfter: -3 } }, null],
    [{ error: { retryAfter: '3' } }, null],
    ['busy', null],
    [null, null],
  ])('reads the body %j as %s ms', (body, expected) => {
    expect(wait(null, body)).toBe(expected)
  })
})
