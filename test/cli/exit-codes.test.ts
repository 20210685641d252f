import { readdirSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../src/extensions/sandbox/index.ts'
import { failed } from '../support/command-line.ts'
import { inTurn, sandbox, social, useCommand } from './command.ts'

useCommand()

const forms = 'credits a period: 20/hour, 200/day or 6000/month'
const search = 'search coffee'
const change = `mentions set-state men_764dbb8c410af7ff --params '{"state":"seen"}'`
const paid = { body: { requestId: 'r', posts: [{ id: 'paid' }], meta: {} }, status: 200 }

describe('exit codes', () => {
  it.each<[number, string, string, string, Fault?]>([
    [3, 'a scope is missing', change, 'a key with mentions:write and mentions:read', { status: 403 }],
    [4, 'the service refuses', search, 'the service refused the request (400)', { status: 400 }],
    [4, 'a paid response is invalid', search, '"id":"paid"', paid],
    [5, 'a budget is spent', `${search} --all --budget 3`, 'budget'],
    [6, 'a call may have been charged', search, 'may have been charged', { reset: 'after' }],
    [6, 'a change may have been applied', change, 'The change may have been applied', { reset: 'after' }],
  ])('are %i when %s', async (code, _, line, message, fault) => {
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', sandbox.writeKey)
    if (fault !== undefined) sandbox.inject(fault)
    expect(await social(line)).toMatchObject(failed(code, message))
  })

  it.each([
    ['organization', 'a command is missing; see --help'],
    ['xyzzy', "unknown command 'xyzzy' (see social-search --help)"],
    ['serch rust', "unknown command 'serch'; did you mean search? (see social-search --help)"],
    ['professionalnet search', "unknown command 'search' (see social-search --help)"],
    ['mentions cout', 'too many arguments'],
    ['professionalnet posts reactions https://x', 'did you mean social-search reactions?'],
    ['posts.reactions', 'did you mean social-search reactions?'],
    ['microblog search rust', 'did you mean social-search search?'],
    ['mentions.setState men_1', 'did you mean social-search mentions set-state?'],
    ['search', 'not sent: <query> is required'],
    ['search coffee --langg en', "unknown option '--langg'; did you mean --lang?"],
    ['search caf\ufffd', 'an argument is not valid UTF-8'],
    ['quote serach', 'pass a call, such as search, and its query in quotes; see social-search --help'],
    ['search coffee --count 21', 'not sent: --count must be at most 20, got 21'],
    ['search coffee --radius 5', 'not sent: --radius needs geocode. To send it anyway, use --extra-params.'],
    ['search coffee --hashtags a b --lang ' + 'x'.repeat(33), '--lang must have at most 32 characters'],
    ['search coffee --count many', '--count must be a number'],
    ['search coffee --category Newest', 'Allowed choices are Top, Latest'],
    ['search coffee --all', 'pass --budget, or --yes to spend without a limit'],
    ['search coffee --all --limit 5', '--all contradicts'],
    ['comments https://x', '1 credit for each of 100 comments (maxComments); pass --budget, or'],
    ['comments https://x --limit 5', "unknown option '--limit'"],
    ['reactions --limit 3', 'so the most is unknown; pass --budget, or --yes'],
    ['search coffee --limit 0', '--limit must be a whole number'],
    ['search coffee --fields id,', 'each field must be a path'],
    ['search coffee --fields nope', 'unknown field nope of microblog.search; expected one of id, body'],
    ['technews search --params {', '--params must be JSON'],
    ...['--params', '--extra-params'].map((name) => [
      `reactions ${name} '{"ids":["1796123456789012345",1796123456789012345]}'`,
      `${name} has an integer too long to be sent exactly; put it in quotes`,
    ]),
    ['technews search rust', 'too many arguments: put several words in quotes, and pass params'],
    [`technews search --params '{"query":"a"}' --format csv`, 'name them in --fields'],
    ['comments https://x --max-comments 1001 --yes', '--max-comments must be at most 1000'],
    ['search coffee --resume', '--resume needs --out'],
    ['search coffee --out /dev/stdout', '--out needs a .db file, got /dev/stdout'],
    ['search coffee --out /none/x.db', 'the folder /none does not exist'],
    ...['-1', '4/week', "'200 a day'"].map((text) => [
      `search coffee --out x.db --budget ${text}`,
      `--budget must be credits such as 20, or ${forms}; got ${text.replaceAll("'", '')}`,
    ]),
    ...['200', "''", '4/week'].map((text) => [`budget ${text}`, `${forms}, or off; got`]),
    ['search coffee --out x.db --format csv', 'leave them out with --out'],
    ['watch coffee', ' without new posts, and 2 more for each page of new posts; pass --budget, or --yes'],
    ["watch '' --once --out x.db", '<query> must have at least 1 character'],
    [`watch coffee --once --out x.db --params '{"filters":{"lang":1}}'`, 'lang must be'],
    [`watch coffee --once --params '{"category":"Top"}'`, 'newest posts first'],
    ['watch coffee --min-interval 99d', '--min-interval must be from 0.001'],
    ['watch coffee --freshness 99d', '--min-interval must be from 0.001'],
    ['watch coffee --min-interval 1h30m', '--min-interval must be'],
    ['watch coffee --keep 1.5d --out x.db', '--keep must be days or hours, such as 90d or 12h, got 1.5d'],
    ['watch coffee --keep 0d --out x.db', '--keep must be days or hours'],
    ['watch coffee --until 2020-01-01 --once --out x.db', '--until 2020-01-01 has passed'],
    ['watch', 'pass a query, or --queries FILE'],
    ["forget x.db --author '' --yes", '--author and --id must not be empty'],
    ["forget x.db --id 1 '' --yes", '--author and --id must not be empty'],
    ['watch coffee tea --once', 'several queries need --out FILE.db'],
    ['watch --queries none.txt --once', 'none.txt'],
    ['watch coffee --once --network professionalnet --lang en', '--lang is for --network microblog'],
    ['watch coffee --once --out /proc/posts.db', '/proc/posts.db cannot be written'],
    ['quote professionalnet.company.get --all', 'has no pages; leave out --all'],
    ['mcp', 'mcp needs --budget'],
    ['mcp --budget 1 --confirm-above much', '--confirm-above must be a number'],
    ['sandbox --growth 3601', '--growth must be a whole number from 1 to 3600, got 3601'],
    ['sandbox --port 70000', '--port must be a whole number from 0 to 65535, got 70000\n'],
    ['sandbox --per-minute 0', '--per-minute must be a whole number from 1 to 99999, got 0\n'],
    ['sandbox --now noon', '--now must be a time such as 2026-11-20T18:00:00Z, got noon'],
    ['sandbox --now 2028-02-29 --growth 60', '--growth adds posts as time goes by, and --now stops the time'],
    ['login', 'the key is empty'],
    ['login ssk_secret', 'as an argument, since shells save those: social-search login --base-url URL asks'],
    ['login --key ssk_secret', 'or reads it from stdin (< key.txt)'],
    ['search coffee --api-key ssk_secret', 'pass no key as an argument'],
    ['search coffee --tokn=ssk_secret', "unknown option '--tokn'\n"],
    ['search coffee -kssk_secret', "unknown option '-k'\n"],
    ['quote watch', 'depends on its posts: give it a --budget, and it says what that pays for'],
  ])('are 2 for %s, which sends nothing and makes no file', async (line, message) => {
    const before = readdirSync('.')
    expect(await social(line)).toEqual({ out: '', ...failed(2, message) })
    expect([sandbox.requests, readdirSync('.')]).toEqual([[], before])
  })

  it('are 0 for a command line without words, which gets the help', async () => {
    const out: unknown = expect.stringContaining('Usage: social-search')
    expect(await social('')).toEqual({ code: 0, err: '', out })
  })

  // The sandbox has no such company.
  it('are not 2 for -y with a paid call that never asks', () =>
    inTurn(['company https://network.example/company/x -y', 4]))
})

describe('an error', () => {
  const blocked = 'Use a key with search:read, or ask whoever runs the proxy to allow the request.\n'
  const page = 'charged 2 credits. Check the base URL.\nThe response:\n"<title>Log in</title>"\n'
  const error = { code: 'internal_error', message: 'Try again.' }
  const inDays = (days: number) => `Injected by the sandbox; retry in ${days} days. Nothing was charged.\n`

  it.each<[why: string, said: string, fault: Fault]>([
    [
      'a firewall refused',
      `Blocked). You may have been charged 2 credits. ${blocked}`,
      { status: 403, body: '<h1>Blocked</h1>' },
    ],
    ['a page came instead of an answer', page, { status: 200, body: '<title>Log in</title>' }],
    [
      'the service ended its own sentence',
      'the service answered 500: Try again. Nothing was charged. Retry later.\n',
      { status: 500, body: { requestId: 'r', error } },
    ],
    ['no calendar has the time to retry', inDays(11_574_075), { status: 429, retryAfter: 1e12 }],
    ['no Date holds the time to retry', inDays(104_249_992), { status: 429, retryAfter: 1e13 }],
  ])('says what to do when %s', async (_, said, fault) => {
    sandbox.inject(fault)
    expect((await social(search)).err).toContain(said)
  })
})
