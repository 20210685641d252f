import { describe, expect, it, vi } from 'vitest'
import { linesOf } from '../support/command-line.ts'
import { sandbox, social, useCommand } from './command.ts'

/** ESC, C1, DEL, and what turns the direction of text; a carriage return overwrites a line. */
const hostile = 'coffee\u001b[2J\u009b2J\u0085\u007f\u202e\u2066\u200f\u061c\u2028\rx'
const shown = 'coffee\\u001b[2J\\u009b2J\\u0085\\u007f\\u202e\\u2066\\u200f\\u061c\\u2028\\u000dx'
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const json = JSON.stringify(hostile)

const content = { microblog: [{ id: '1', author: 'a', body: hostile }] }
const body = 'search coffee --no-color --fields body --format'
const watch = 'watch coffee --no-color --freshness 0.2 --budget 2'
/** Fails with a hostile message. */
const invalid = ['quote', hostile]
/** What is paid, and not the documented shape. */
const paid = { requestId: 'r', posts: [{ id: hostile }], meta: {} }

describe('stdout through a pipe, with stderr on a terminal', () => {
  useCommand({ content }, ['stderr'])

  it.each([
    [`${body} jsonl`, `{"body":${json}}\n`],
    [`${body} json`, `[\n  {"body":${json}}\n]\n`],
    [`${body} csv`, `body\n"${hostile}"\n`],
    [`${body} table`, `body\n${hostile.replace('\u2028\r', ' ')}\n`],
  ])('gets the exact characters from %s', async (line, text) => {
    expect((await social(line)).out).toBe(text)
  })

  it('gets the exact characters from watch, as JSON Lines', async () => {
    expect(JSON.parse((await social(watch)).out)).toMatchObject({ body: hostile })
  })

  it('leaves escapes to the message of an error and to a paid answer on stderr', async () => {
    for (const flags of [[], ['--json']]) {
      sandbox.inject({ body: paid, status: 200 })
      const { err } = await social([...invalid, ...flags])
      expect(err).toContain(`unknown operation ${flags[0] ? shown.replace('\\u000d', '\\r') : shown}`)
      const answer = (await social(['search', 'coffee', ...flags])).err
      expect(err + answer).not.toMatch(steering)
      const value = JSON.parse(linesOf(answer).at(-1) ?? '') as { body?: unknown }
      expect(value.body ?? value).toEqual(paid)
    }
  })
})

describe('stdout on a terminal, with stderr through a pipe', () => {
  useCommand({ content }, ['stdout'])

  it.each(['jsonl', 'json'])('gets valid %s with escapes', async (format) => {
    const { out } = await social(`${body} ${format}`)
    expect(out).not.toMatch(steering)
    expect([JSON.parse(out)].flat()).toEqual([{ body: hostile }])
  })

  it.each([
    [`${body} csv`, `body\n"${shown}"\n`],
    [`${body} table`, `body\n${shown.replace('\\u2028\\u000d', ' ')}\n`],
    ['search coffee --no-color --fields id,author', 'id  author\n1   a\n'],
  ])('gets visible escapes from %s', async (line, text) => {
    expect((await social(line)).out).toBe(text)
  })

  it('gets cards from a search of posts and from watch, and no control characters but styles', async () => {
    for (const line of ['search coffee', watch]) {
      const { out } = await social(line)
      expect(out).toMatch(/@a · 20\d\d-/)
      expect(out).toContain(`\n${shown}\n`)
      expect(out.replaceAll(/\u001b\[(1|2|22)m/g, '')).not.toMatch(steering)
    }
  })

  it('gets bold titles of a table, unless --no-color or NO_COLOR is set', async () => {
    const table = 'search coffee --fields id,author'
    expect((await social(table)).out).toMatch(/^\u001b\[1mid  author\u001b\[22m\n/)
    vi.stubEnv('NO_COLOR', '1')
    expect((await social(table)).out).toBe('id  author\n1   a\n')
    vi.stubEnv('NO_COLOR', '')
  })

  it('gets dates in the time zone of the machine in a table, and the exact ones as JSON', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    const dates = 'search coffee --no-color --fields timestamp --format'
    const { timestamp } = JSON.parse((await social(`${dates} jsonl`)).out) as { timestamp: string }
    const inTokyo = new Date(Date.parse(timestamp) + 9 * 3_600_000).toISOString()
    const expected = `timestamp\n${inTokyo.slice(0, 16).replace('T', ' ')}\n`
    expect((await social(`${dates} table`)).out).toBe(expected)
  })

  it('leaves the exact characters to stderr', async () => {
    sandbox.inject({ body: paid, status: 200 })
    expect((await social('search coffee')).err).toContain(JSON.stringify(paid))
    expect((await social(invalid)).err).toContain(`unknown operation ${hostile}`)
  })
})

describe('a terminal', () => {
  useCommand({}, ['stdin', 'stdout', 'stderr'])

  it('is asked before --all and comments spend without --budget', async () => {
    const cost = 'microblog search --all costs 2 credits a page; how many pages there are is not known'
    for (const input of ['n\n', '\n', '']) {
      const { code, err } = await social('search coffee --all', { input })
      expect(code).toBe(130)
      expect(err.replaceAll('\n', ' ')).toContain(`${cost}. No --budget limits it. Continue? [y/N]`)
    }
    const comments = await social('comments https://x --limit 5', { input: 'n\n' })
    expect([comments.code, comments.err.replaceAll('\n', ' ')]).toEqual([
      130,
      expect.stringContaining(
        '100 comments is the least the service sells. No --budget limits it. Continue?',
      ),
    ])
    expect(sandbox.requests).toHaveLength(0)
    expect((await social('search nothing --all', { input: 'y\n' })).code).toBe(0)
    expect(sandbox.requests).toHaveLength(1)
  })

  it.each([
    'mentions list --all',
    'search coffee --all --budget 2',
    'search nothing --all --yes',
    'search nothing --all --sandbox',
  ])('is not asked about what is free, limited, simulated or accepted: %s', async (line) => {
    expect((await social(line, { input: 'n\n' })).err).not.toContain('[y/N]')
  })

  it.each([
    ['search coffee', '20 records · 2 credits · more: --all'],
    ['search coffee --limit 21', '21 records · 4 credits · 19 paid records left out by --limit'],
    ['search nothing', '0 records · 2 credits'],
    ['mentions --limit 2', '2 records · 0 credits'],
    ['search coffee --out last.jsonl', 'last.jsonl: 20 records · 2 credits · more: --all'],
  ])('keeps records, credits and what is more as the last line of %s', async (line, last) => {
    const { err } = await social(line)
    expect(linesOf(err.replaceAll(/\r\u001b\[K/g, '\n')).at(-1)).toBe(last)
  })

  it('gets records and credits before an error', async () => {
    const { err } = await social('search coffee --all --budget 3')
    expect(err).toContain('20 records · 2 credits\nsocial-search: ')
  })

  it('gets progress on stderr, with records, credits and the reason for a wait, unless --quiet is set', async () => {
    sandbox.inject({ status: 429, retryAfter: 1, skip: 1 })
    const { err } = await social('search coffee --max-pages 2')
    expect(err).toMatch(/20 records · 2 credits · waiting \(.+\) until \d\d:\d\d:\d\d/)
    expect(err).toContain('40 records · 4 credits')
    expect((await social('search coffee --max-pages 2 --quiet')).err).toBe('')
  })
})
