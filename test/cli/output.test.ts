import { execFileSync } from 'node:child_process'
import { parse } from 'csv-parse/sync'
import Papa from 'papaparse'
import { describe, expect, it, vi } from 'vitest'
import { shellWord } from '../../src/cli/operation-job.ts'
import { SocialSearch } from '../../src/index.ts'
import { linesOf, recordsOf } from '../support/command-line.ts'
import { rowsOf } from '../support/posts-database.ts'
import { bodies, inTurn, publishPost, sandbox, social, useCommand } from './command.ts'
import { sandboxFlag } from '../support/sandbox.ts'

useCommand()

const search = 'search coffee'

describe('params', () => {
  it.each([
    ['search coffee --category Latest', { query: 'coffee', category: 'Latest' }],
    [
      'search coffee --count 5 --lang en --only-replies --hashtags a b --hashtags c',
      { query: 'coffee', count: 5, filters: { lang: 'en', onlyReplies: true, hashtags: ['a', 'b', 'c'] } },
    ],
    ['comments https://x --max-comments 300 --yes', { postUrl: 'https://x', maxComments: 300 }],
    [`technews search --params '{"query":"rust"}'`, { query: 'rust' }],
  ])('are sent from flags and JSON: %s', async (line, body) => {
    await social(line)
    expect(bodies()).toEqual([body])
  })

  it('are the id of a record', async () => {
    const [mention] = recordsOf((await social('mentions list')).out)
    const { out, code } = await social(`mentions get ${mention?.id}`)
    expect([code, JSON.parse(out).mention]).toEqual([0, mention])
    await inTurn([`mentions set-state ${mention?.id} --params '{"state":"done"}'`, 3, 'mentions:write'])
  })
})

describe('flags', () => {
  it('buy one page unless one asks for more', async () => {
    const printed = async (flags: string) => linesOf((await social(`${search} ${flags}`)).out).length
    const all = [await printed(''), await printed('--limit 30'), await printed('--max-pages 3')]
    expect([all, sandbox.requests.length]).toEqual([[20, 30, 60], 6])
  })

  it('--limit takes whole pages into a .db file', async () => {
    await social(`${search} --limit 21 --out whole.db`)
    expect(rowsOf('whole.db', 'SELECT id FROM microblog_posts')).toHaveLength(40)
  })

  it('--budget pays for comments if it has room for the most that may come', async () => {
    const comments = `comments ${publishPost(9)} --budget`
    await inTurn(
      [`${comments} 40`, 5, /may cost 100 credits.* Raise --budget\.\n$/],
      [`${comments} 100`, 0],
      [`${comments} 9 --expect 9`, 5, '--budget has 9 left; the smallest --max-comments is 100. Raise'],
    )
  })

  it('tells that more comments or reactions were charged than --expect says', async () => {
    const url = publishPost(9, 9)
    const more = (what: string) => `Charged 9 credits, not 1: more ${what} came than expected\n`
    await inTurn(
      [`comments ${url} --expect 1 --budget 100`, 0, more('comments')],
      [`comments ${url} --expect 9 --budget 100`, 0, /^(?!.*Charged)/],
      [`reactions --params '{"postUrl":"${url}"}' --expect 1 --budget 1`, 0, more('reactions')],
    )
  })

  describe('on a post with many comments', () => {
    /** The URL of a new post; some posts do not say how many comments they have. */
    async function postWith(numComments: number, isTotalKnown: boolean): Promise<string> {
      const { professionalnet } = new SocialSearch(sandbox.clientOptions())
      for (let number = 1; ; number++) {
        const share_url = publishPost(numComments, 0, number)
        const { meta } = await professionalnet.posts.comments({ postUrl: share_url })
        if ((meta.total !== undefined) === isTotalKnown) return share_url
      }
    }
    const more = (of: string, most: number) =>
      `Got 100${of} comments. To get more, pass --max-comments ${most}; you pay for the first 100 again\n`
    const most = 'Got 1000 of 1200 comments. The service returns at most 1000\n'

    it.each<[string, number, boolean, string, number, string]>([
      ['gets as many as --expect says', 150, true, '--expect 150 --budget 150', 150, ''],
      ['names those it did not get', 150, true, '--budget 100', 100, more(' of 150', 150)],
      ['says that there may be more', 150, false, '--budget 100', 100, more('', 1000)],
      ['obeys --max-comments', 250, true, '--max-comments 100 --expect 250 --yes', 100, more(' of 250', 250)],
      ['names the most of the service', 1200, true, '--expect 1200 --budget 1000', 1000, most],
      ['says nothing if it has all', 99, true, '--budget 100', 99, ''],
    ])('%s', async (_, numComments, isTotalKnown, flags, records, err) => {
      const url = await postWith(numComments, isTotalKnown)
      const { spent } = sandbox.ledger
      const { code, out, err: told } = await social(`comments ${url} ${flags}`)
      const got = { code, records: linesOf(out).length, charged: sandbox.ledger.spent - spent, err: told }
      expect(got).toEqual({ code: 0, records, charged: records, err })
    })
  })

  it('--sandbox needs no account, and may change the state of a mention', async () => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', '')
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    const [mention] = recordsOf((await social(`mentions list ${sandboxFlag}`)).out)
    const line = `mentions set-state ${mention?.id} --params '{"state":"done"}' ${sandboxFlag}`
    await inTurn([line, 0, '"state":"done"'])
    expect(sandbox.requests).toEqual([])
  })

  it('--sandbox answers the same on each run at the time of SOCIAL_SEARCH_SANDBOX_NOW, and refuses any other text', async () => {
    const line = `search coffee --category Latest ${sandboxFlag}`
    vi.stubEnv('SOCIAL_SEARCH_SANDBOX_NOW', '2028-02-29 12:00')
    const { out } = await social(line)
    expect(out).toContain('"timestamp":"2028-02-29T11:')
    expect(await social(line)).toEqual({ code: 0, out, err: '' })
    vi.stubEnv('SOCIAL_SEARCH_SANDBOX_NOW', 'noon')
    const message = 'SOCIAL_SEARCH_SANDBOX_NOW must be a time such as 2026-11-20T18:00:00Z, got noon'
    await inTurn([line, 2, message])
  })
})

describe('stdout', () => {
  it('gets only data, as JSON Lines, CSV or a table', async () => {
    const lines = await social(search)
    expect(lines.err).toBe('')
    const posts = recordsOf(lines.out)
    const fields = ['id', 'author', 'engagements.viewsCount']
    const csv = (await social(`${search} --format csv --fields ${fields.join(',')}`)).out
    const values = posts.map(({ id, author, engagements }) => [id, author, Object(engagements).viewsCount])
    expect(parse(csv)).toEqual([fields, ...values.map((row) => row.map(String))])
    expect(Papa.parse(csv.trimEnd()).data).toEqual(parse(csv))
    const picked = recordsOf((await social(`${search} --fields ${fields.join(',')}`)).out)
    expect(picked.map((record) => fields.map((field) => record[field]))).toEqual(values)
    const table = linesOf((await social(`${search} --format table --fields id,author`)).out)
    expect([table.length, table[0]]).toEqual([21, expect.stringMatching(/^id +author$/)])
  })
})

/** The arguments that a command gets from a shell. */
const shellWords = (command: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

describe('the command that continues', () => {
  const signs = ['*', '', '--all', '!!', '#']
  const texts = ["it's", "'; echo run; '", '$HOME `id` $(id)', 'a "b" \\ c', ' a\n b ', ...signs]
  it.skipIf(process.platform === 'win32').each(texts)('keeps each word through a shell: %j', (text) => {
    expect(shellWords(shellWord(text))).toEqual([text])
  })

  it('has the rest of a limit, and prints the rest', async () => {
    const whole = await social(`${search} --limit 30`)
    sandbox.inject({ status: 403, skip: 1 })
    const first = await social(`${search} --limit 30`)
    const [, rest = ''] =
      /^To continue: the same command with (--cursor .* --limit 10)$/m.exec(first.err) ?? []
    expect(first.code).toBe(3)
    expect(first.out + (await social(`${search} ${rest}`)).out).toBe(whole.out)
  })

  it.each([
    ['the service finds the request invalid', `${search} --since yesterday`, 4],
    ['page one fails', `${search} --max-pages 2`, 3],
  ])('is missing when %s', async (_, line, code) => {
    if (code === 3) sandbox.inject({ status: 403 })
    await inTurn([line, code, /^(?![^]*To continue)/])
    expect(sandbox.requests).toHaveLength(1)
  })
})
