import { describe, expect, it } from 'vitest'
import { search, server, social, useCommand } from './served-command.ts'

useCommand()

describe('exit codes', () => {
  it.each<[string, string[], string]>([
    ['an unknown flag', [...search, '--langg', 'en'], "unknown option '--langg'"],
    ['an unknown command', ['microblogs'], 'unknown command'],
    ['no command', [], 'a command is missing'],
    ['a broken bound', [...search, '--count', '21'], 'count must be at most 20'],
    ['a text for a number', [...search, '--count', 'many'], '--count must be a number'],
    [
      'a value that is not a choice',
      [...search, '--category', 'Newest'],
      '--category must be one of Top, Latest',
    ],
    ['all pages without a budget', [...search, '--all'], 'pass --budget, or --yes to spend without a limit'],
    ['a watch without a budget', ['watch', 'coffee'], 'up to 28,800 credits a day; pass --budget, or --yes'],
    ['contradicting flags', [...search, '--all', '--limit', '5'], '--all contradicts'],
    ['a param that is given twice', [...search, '--params', '{"query":"a"}'], 'given twice'],
    ['params that are no JSON', ['technews', 'search', '--params', '{'], '--params must be JSON'],
    ['no query', ['microblog', 'search'], 'query is required'],
    [
      'an argument for undocumented params',
      ['technews', 'search', 'rust'],
      `documents no params of technews.search; pass JSON: social-search technews search --params '{"query"`,
    ],
    ['a near miss', ['serch', 'rust'], 'did you mean social-search microblog search or'],
    [
      'a group without the word between',
      ['professionalnet', 'search'],
      'mean social-search professionalnet posts search',
    ],
    ['an unknown command of mentions', ['mentions', 'cout'], 'did you mean social-search mentions count'],
    ['a word that is like no command', ['xyzzy'], "unknown command 'xyzzy'; see social-search --help"],
    [
      'a file in a folder that is missing',
      [...search, '--out', '/none/x.jsonl'],
      'the folder /none does not exist',
    ],
    [
      'a limit of comments that is no number',
      ['comments', 'https://x', '--limit', 'many'],
      '--limit must be a number',
    ],
    ['more comments than can be returned', ['comments', 'https://x', '--limit', '1001'], 'maxComments'],
    ['no shell', ['completion'], 'a shell is missing; expected one of bash, zsh, fish'],
    ['a limit of zero', [...search, '--limit', '0'], '--limit must be a whole number'],
    ['a field that is no path', [...search, '--fields', 'id,'], 'each field must be a path'],
    [
      'a field that posts do not have',
      [...search, '--fields', 'nope'],
      'unknown field nope; expected one of id, body',
    ],
    ['a resume without a file', [...search, '--resume'], '--resume needs --out'],
    ['a file as JSON', [...search, '--out', 'x.jsonl', '--format', 'json'], 'contradicts --out x.jsonl'],
    [
      'CSV without known fields',
      ['technews', 'search', '--params', '{"query":"a"}', '--format', 'csv'],
      'pass --fields',
    ],
  ])('are 2 for %s, and nothing is sent', async (_, args, message) => {
    const { code, out, err } = await social(args)
    expect([code, out, server.requests.length]).toEqual([2, '', 0])
    expect(err).toContain(message)
  })

  it('are 3 without a key or with a wrong one, and no message contains it', async () => {
    const key = 'sandbox_wrong_key_0123456789'
    const wrong = await social(search, { env: { SOCIAL_SEARCH_API_KEY: key } })
    const none = await social(search, { env: { SOCIAL_SEARCH_API_KEY: '' } })
    expect([wrong.code, none.code]).toEqual([3, 3])
    expect(wrong.err + none.err).not.toContain(key)
  })

  it('are 4 when the service refuses, 5 for a budget and 6 if a call may have been charged', async () => {
    server.inject({ status: 400 })
    expect((await social(search)).code).toBe(4)
    const budget = await social([...search, '--all', '--budget', '3'])
    expect([budget.code, budget.out.split('\n').length]).toEqual([5, 21])
    server.inject({ reset: 'after' })
    expect((await social([...search, '--json'])).code).toBe(6)
  })

  it('are 6 if a change may have been applied, and the error says so', async () => {
    const change = ['mentions', 'set-state', 'men_764dbb8c410af7ff', '--body', '{"state":"seen"}']
    const runs = []
    for (const flags of [[], ['--json']]) {
      server.inject({ reset: 'after' })
      runs.push(await social([...change, ...flags], { env: { SOCIAL_SEARCH_API_KEY: server.writeKey } }))
    }
    expect(runs.map(({ code }) => code)).toEqual([6, 6])
    expect(runs[0]?.err).toContain('it may have been applied')
    expect(JSON.parse(runs[1]?.err ?? '')).toMatchObject({ applied: 'unknown', charged: 'no' })
  })

  it('come with one JSON object of the error on stderr if --json is set', async () => {
    server.inject({ reset: 'after' })
    const error = JSON.parse((await social([...search, '--json'])).err) as object
    expect(error).toMatchObject({
      name: 'ConnectionError',
      charged: 'unknown',
      operation: 'microblog.search',
    })
    expect(JSON.parse((await social(['--json', 'nothing'])).err)).toMatchObject({ code: 'usage' })
  })

  it('come with a paid but invalid response on stderr', async () => {
    server.inject({ body: { requestId: 'r', posts: [{ id: 'paid' }], meta: {} }, status: 200 })
    const { code, err } = await social(search)
    expect([code, err]).toEqual([4, expect.stringContaining('"id":"paid"')])
  })
})
