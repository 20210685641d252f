import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { settle, useVirtualTime } from '../support/clock.ts'
import { linesOf } from '../support/command-line.ts'
import { inTurn, sandbox, social, useCommand } from './command.ts'
import { sandboxFlag } from '../support/sandbox.ts'

/** ESC, C1, DEL, and what turns the direction of text; a carriage return overwrites a line. */
const hostile = 'coffee\u001b[2J\u009b2J\u0085\u007f\u202e\u2066\u200f\u061c\u2028\rx'
const shown = 'coffee\\u001b[2J\\u009b2J\\u0085\\u007f\\u202e\\u2066\\u200f\\u061c\\u2028\\u000dx'
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const json = JSON.stringify(hostile)
/** Without the styles and the progress of the command itself. */
const unstyled = (text: string) =>
  text.replaceAll(/\u001b\[(1|2|22|31|39)m|\r\u001b\[K|\u001b\]8;;(https:[!-~]+)?\u001b\\/g, '')

const content = { microblog: [{ id: '1', author: 'a', body: hostile }] }
const body = 'search coffee --fields body --format'
const watch = 'watch coffee --min-interval 0.03 --budget 2'
/** Fails with a hostile message. */
const invalid = ['quote', hostile]
/** What is paid, and not the documented shape. */
const paid = { requestId: 'r', posts: [{ id: hostile }], meta: {} }

describe('stdout through a pipe, with stderr on a terminal', () => {
  useCommand({ content }, ['stderr'])

  it.each([
    [`${body} jsonl`, `{"body":${json}}\n`],
    [`${body} csv`, `body\n"${hostile}"\n`],
    [`${body} table`, `body\n${hostile.replace('\u2028\r', ' ')}\n`],
  ])('gets the exact characters from %s', async (line, text) => {
    expect((await social(line)).out).toBe(text)
  })

  it('gets the exact characters from watch, as JSON Lines', async () => {
    expect(JSON.parse((await social(watch)).out)).toMatchObject({ body: hostile })
  })

  it('leaves escapes to the message of an error and to a paid answer on stderr', async () => {
    const { err } = await social(invalid)
    expect(err).toContain(`unknown operation ${shown}`)
    sandbox.inject({ body: paid, status: 200 })
    const answer = (await social('search coffee')).err
    expect(unstyled(err + answer)).not.toMatch(steering)
    expect(JSON.parse(linesOf(answer).at(-1) ?? '')).toEqual(paid)
  })
})

describe('stdout on a terminal, with stderr through a pipe', () => {
  useCommand({ content }, ['stdout'])

  it.each([
    [`${body} jsonl`, `{"body":"${shown.replace('\\u000d', '\\r')}"}\n`],
    [`${body} csv`, `body\n"${shown}"\n`],
    [`${body} table`, `body\n${shown.replace('\\u2028\\u000d', ' ')}\n`],
    ['search coffee --fields id,author', 'id  author\n1   a\n'],
  ])('gets visible escapes from %s', async (line, text) => {
    expect(unstyled((await social(line)).out)).toBe(text)
  })

  it('gets a table of posts from a search and from watch, and no control characters but styles', async () => {
    for (const line of ['search coffee', watch]) {
      const out = unstyled((await social(line)).out)
      expect(out).toMatch(/^date +author +text +likes +views\n20\d\d-\d\d-\d\d \d\d:\d\d {2}a {7}coffee/)
      expect(out).toContain(shown.replace('\\u2028\\u000d', ' '))
      expect(out).not.toMatch(steering)
    }
  })

  it('gets a single record as a label and a value on each line', async () => {
    const { out } = await social('organization context')
    expect(unstyled(out)).toMatch(/^Name {9}Kettle.+\nDescription {2}A made-up.+\nWebsite {6}https:.+\n/)
  })

  it('gets bold titles and dim ids, unless NO_COLOR is set or the terminal is dumb', async () => {
    const table = 'search coffee --fields id,author'
    expect((await social(table)).out).toBe('\u001b[1mid  author\u001b[22m\n\u001b[2m1\u001b[22m   a\n')
    for (const [name, value] of [
      ['NO_COLOR', '1'],
      ['TERM', 'dumb'],
    ] as const) {
      vi.stubEnv(name, value)
      expect((await social(table)).out).toBe('id  author\n1   a\n')
      vi.stubEnv(name, '')
    }
  })

  it('gets dates in the time zone of the machine in a table, and the exact ones as JSON', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    // As where ICU knows English alone.
    const { toLocaleString } = Date.prototype
    vi.spyOn(Date.prototype, 'toLocaleString').mockImplementation(function (this: Date, _, options) {
      return toLocaleString.call(this, 'en-US', options)
    })
    const dates = 'search coffee --fields timestamp --format'
    const { timestamp } = JSON.parse((await social(`${dates} jsonl`)).out) as { timestamp: string }
    const inTokyo = new Date(Date.parse(timestamp) + 9 * 3_600_000).toISOString()
    const expected = `timestamp\n${inTokyo.slice(0, 16).replace('T', ' ')}\n`
    expect(unstyled((await social(`${dates} table`)).out)).toBe(expected)
  })

  it('leaves the exact characters to stderr', async () => {
    sandbox.inject({ body: paid, status: 200 })
    expect((await social('search coffee')).err).toContain(JSON.stringify(paid))
    expect((await social(invalid)).err).toContain(`unknown operation ${hostile}`)
  })
})

describe('a terminal', () => {
  useCommand({}, ['stdin', 'stdout', 'stderr'])

  it('is asked before --all, comments and watch spend without --budget', async () => {
    const watch = 'costs 384 credits a day without new posts, and 2 more for each page of new posts'
    const rows = {
      'search coffee --all': '--all costs 2 credits a page; the number of pages is unknown',
      'comments https://x': 'each of 100 comments (maxComments)',
      'watch coffee tea --out posts.db': `watch ${watch}`,
    }
    for (const [line, cost] of Object.entries(rows))
      for (const input of ['n\n', '\n', '']) {
        const { code, err } = await social(line, { input })
        const question = `${cost}. No --budget is set. Continue? [y/N]`
        expect([code, err.replaceAll('\n', ' ')]).toEqual([130, expect.stringContaining(question)])
      }
    expect(sandbox.requests).toHaveLength(0)
    expect((await social('search nothing --all', { input: 'y\n' })).code).toBe(0)
    expect(sandbox.requests).toHaveLength(1)
  })

  it.each([
    'mentions list --all',
    'search coffee --all --budget 2',
    'search nothing --all --yes',
    `search nothing --all ${sandboxFlag}`,
  ])('is not asked about what is free, limited, simulated or accepted: %s', async (line) => {
    expect((await social(line, { input: 'n\n' })).err).not.toContain('[y/N]')
  })

  it.each([
    ['search coffee', '20 records · 2 credits · more: --all'],
    ['search coffee --limit 21', '21 records · 4 credits · 19 more paid for, not shown because of --limit'],
    ['search nothing', '0 records · 2 credits'],
    ['mentions --limit 2', '2 records · 0 credits'],
    ['search coffee --out last.db', 'last.db: 20 records (20 new) · 2 credits · more: --all'],
  ])('keeps records, credits and what is more as the last line of %s', async (line, last) => {
    const { err } = await social(line)
    expect(linesOf(err.replaceAll(/\r\u001b\[K/g, '\n')).at(-1)).toBe(last)
  })

  it('gets records and credits as the last line after an error, too', async () => {
    await inTurn(['search coffee --all --budget 3', 5, /not sent: [^]*\n20 records · 2 credits\n$/])
  })

  it('gets progress on stderr, with records, credits and the reason for a wait', async () => {
    sandbox.inject({ status: 429, retryAfter: 1, skip: 1 })
    useVirtualTime()
    onTestFinished(() => void vi.useRealTimers())
    const { value } = await settle(social('search coffee --max-pages 2 --per-minute off'))
    const wait = 'waiting until \\d\\d:\\d\\d:\\d\\d: the service asked to slow down · 20 records · 2 credits'
    expect(value?.err).toMatch(new RegExp(`${wait}[^]*40 records · 4 credits`))
  })

  it('that is dumb gets neither progress nor codes', async () => {
    vi.stubEnv('TERM', 'dumb')
    const { err } = await social('search coffee --all --budget 4')
    expect(err).toMatch(/^social-search: not sent: [^\u001b]*$/)
    vi.stubEnv('TERM', '')
  })
})
