import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import Papa from 'papaparse'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { operations } from '../../src/api/operations.ts'
import { exampleOf } from '../../src/cli/help-texts.ts'
import { type SandboxServer, serveSandbox } from '../../src/sandbox/node.ts'
import { type RunOptions, buildCommand, run } from './command.ts'

let command: { folder: string; file: string }
let server: SandboxServer
beforeAll(async () => (command = await buildCommand()))
afterAll(() => rmSync(command.folder, { recursive: true }))
beforeEach(async () => {
  server = await serveSandbox({ port: 0, limits: { perMinute: false, inFlight: false } })
})
afterEach(() => server.close())

const env = () => ({ SOCIAL_SEARCH_BASE_URL: server.baseUrl, SOCIAL_SEARCH_API_KEY: server.apiKey })
const social = (args: string[], options: RunOptions = {}) =>
  run(command, args, { ...options, env: { ...env(), ...options.env } })
const bodies = () => server.requests.map(({ body }) => body)
const search = ['microblog', 'search', 'coffee', '--per-minute', 'off']

describe('social-search', () => {
  it('has a command for each operation, which names bounds and price in its help', async () => {
    for (const { id } of operations.slice(0, 4)) {
      const names = id.split('.').map((name) => name.replace('setState', 'set-state'))
      expect((await social([...names, '--help'])).out).toContain(`Usage: social-search ${names.join(' ')}`)
    }
    const { out, code } = await social(['microblog', 'search', '--help'])
    expect([code, server.requests.length]).toEqual([0, 0])
    const texts = [
      ...['Usage: social-search microblog search [options] <query>', 'query Keywords', '"Latest"'],
      ...[
        'Posts to return. Fewer do not cost less (integer, 1 to 20, default 20)',
        '2 credits a page',
        '130 interrupted',
        ...['Params:', 'Pages:', 'Credits:', 'Connection:', 'Output:'],
        'Examples: social-search microblog search typescript --category Latest',
      ],
    ]
    for (const text of texts) expect(out.replaceAll(/\s+/g, ' ')).toContain(text)
  })

  it('shows the same help for help COMMAND and COMMAND --help, and its version for -v', async () => {
    const [help, flag, all, version, unknown] = await Promise.all([
      social(['help', 'mentions', 'get']),
      social(['mentions', 'get', '--help']),
      social(['help']),
      social(['-v']),
      social(['help', 'mentions', 'nothing']),
    ])
    expect([help.code, help.out]).toEqual([0, flag.out])
    expect([all.code, all.out]).toEqual([0, expect.stringContaining('Commands:')])
    expect([version.code, version.out]).toEqual([0, `${packageJson.version}\n`])
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('unknown command mentions nothing'),
    ])
  })

  it('lists in the help of mcp no flags of other commands', async () => {
    const { out } = await social(['mcp', '--help'])
    expect([...out.matchAll(/^ {2}(?:-h, )?(--[\w-]+)/gm)].map(([, flag]) => flag)).toEqual([
      ...[
        '--budget',
        '--cache',
        '--per-minute',
        '--timeout',
        '--validation',
        '--base-url',
        '--profile',
        '--sandbox',
      ],
      ...['--confirm-above', '--max-per-call', '--allow', '--help'],
    ])
  })

  it('accepts the example in the help of each operation', async () => {
    const { out } = await social(['help', 'mentions', 'count'])
    expect(out).toContain('Examples:\n  social-search mentions count\n')
    const lines = operations.flatMap(({ id }) => exampleOf(id).match(/(?<=^ {2})social-search .*$/gm) ?? [])
    expect(lines).toHaveLength(2 * operations.length)
    const file = join(command.folder, 'examples.sh')
    const call =
      'social() { "$NODE" "$FILE" "$@" --sandbox > /dev/null; [ $? != 2 ] || echo "wrong: $*" >&2; }'
    const commands = lines.map((line) => line.replace('social-search', 'social'))
    writeFileSync(file, `${[call, ...commands].join(' &\n')}\nwait`.replace('&\n', '\n'))
    const env = { NODE: process.execPath, FILE: command.file }
    const { err } = await run({ folder: command.folder, file }, [], { env, program: 'bash' })
    // Ids and addresses are made up, so the answer may be 404.
    expect(err.match(/^(wrong|social-search): (?!.* answered 404;).*/gm)).toBe(null)
    expect(err).toContain('answered 404')
  })

  it.each([
    ['search', ['coffee'], { query: 'coffee' }],
    ['posts', ['coffee'], { query: 'coffee' }],
    ['company', ['https://x.example'], { url: 'https://x.example' }],
    ['comments', ['https://x.example', '--limit', '300'], { postUrl: 'https://x.example', maxComments: 300 }],
    ['comments', ['https://x.example', '--limit', '5'], { postUrl: 'https://x.example' }],
  ])('has the short name %s for a command, and its help', async (name, args, body) => {
    await social([name, ...args])
    expect(bodies()).toEqual([body])
    const whole: Readonly<Record<string, string>> = {
      search: 'microblog search',
      posts: 'professionalnet posts search',
      company: 'professionalnet company get',
    }
    const usage = whole[name] ?? 'professionalnet posts comments'
    for (const help of [
      [name, '--help'],
      ['help', name],
    ])
      expect((await social(help)).out).toContain(`Usage: social-search ${usage} `)
  })

  it('lists mentions for the group mentions, whose help names its commands', async () => {
    expect((await social(['mentions', '--limit', '3'])).out).toBe(
      (await social(['mentions', 'list', '--limit', '3'])).out,
    )
    for (const help of [
      ['mentions', '--help'],
      ['help', 'mentions'],
    ])
      expect((await social(help)).out).toContain('set-state')
  })

  it('accepts a choice in lower case', async () => {
    await social([...search, '--category', 'latest'])
    expect(bodies()).toEqual([{ query: 'coffee', category: 'Latest' }])
  })

  it('prints as many comments as --limit says', async () => {
    const post = JSON.parse((await social(['posts', 'coffee', '--limit', '1'])).out) as { share_url: string }
    expect(
      (await social(['comments', post.share_url, '--limit', '3'])).out.trimEnd().split('\n'),
    ).toHaveLength(3)
  })

  it('sends flags as params', async () => {
    await social([
      ...search,
      '--category',
      'Latest',
      '--lang',
      'en',
      '--hashtags',
      'a',
      'b',
      '--only-replies',
      '--count',
      '5',
    ])
    const filters = { lang: 'en', hashtags: ['a', 'b'], onlyReplies: true }
    expect(bodies()).toEqual([{ query: 'coffee', category: 'Latest', count: 5, filters }])
  })

  it('reads undocumented params as JSON, from an argument or from stdin', async () => {
    await social(['technews', 'search', '--params', '{"query":"rust"}'])
    await social(['technews', 'search', '--params', '-'], { input: '{"query":"go"}' })
    expect(bodies()).toEqual([{ query: 'rust' }, { query: 'go' }])
  })

  it('calls operations with the id of a record', async () => {
    const [mention] = (await social(['mentions', 'list'])).out
      .split('\n')
      .map((line) => line && (JSON.parse(line) as { id: string }))
    const { out, code } = await social(['mentions', 'get', Object(mention).id as string])
    expect([code, (JSON.parse(out) as { mention: unknown }).mention]).toEqual([0, mention])
    const refused = await social([
      'mentions',
      'set-state',
      Object(mention).id as string,
      '--body',
      '{"state":"done"}',
    ])
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('mentions:write')])
  })

  it('buys one page unless a flag asks for more', async () => {
    const count = async (...flags: string[]) =>
      (await social([...search, ...flags])).out.split('\n').length - 1
    expect([await count(), await count('--limit', '30'), await count('--max-pages', '3')]).toEqual([
      20, 30, 60,
    ])
    expect(server.requests).toHaveLength(6)
  })

  it('writes only data to stdout, as JSON Lines, JSON, CSV or a table', async () => {
    const lines = await social(search)
    expect(lines.err).toBe('')
    const posts = lines.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(JSON.parse((await social([...search, '--format', 'json'])).out)).toEqual(posts)
    const fields = ['id', 'author', 'engagements.viewsCount']
    const csv = (await social([...search, '--format', 'csv', '--fields', fields.join(',')])).out
    const rows = posts.map(({ id, author, engagements }) => [
      id,
      author,
      String(Object(engagements).viewsCount),
    ])
    expect(parse(csv)).toEqual([fields, ...rows])
    expect(Papa.parse(csv.trimEnd()).data).toEqual([fields, ...rows])
    const picked = (await social([...search, '--fields', fields.join(',')])).out.split('\n')[0] ?? ''
    expect(JSON.parse(picked)).toEqual({
      id: posts[0]?.['id'],
      author: posts[0]?.['author'],
      'engagements.viewsCount': Number(rows[0]?.[2]),
    })
    const table = (await social([...search, '--format', 'table', '--fields', 'id,author'])).out.split('\n')
    expect([table.length, table[0]]).toEqual([22, expect.stringMatching(/^id +author$/)])
  })

  it('begins CSV with a byte order mark if --bom is set, and refuses it for other formats', async () => {
    const file = join(command.folder, 'bom.csv')
    const args = [...search, '--bom', '--fields', 'id']
    const [csv, , jsonl] = await Promise.all([
      social([...args, '--format', 'csv']),
      social([...args, '--out', file]),
      social(args),
    ])
    expect(csv.out.slice(0, 4)).toBe('\ufeffid\n')
    expect(readFileSync(file, 'utf8')).toBe(csv.out)
    expect([jsonl.code, jsonl.err]).toEqual([2, expect.stringContaining('--bom needs --format csv')])
  })

  it('opens the page of the first record in the browser if --web is set, and prints the records', async () => {
    const opened = join(command.folder, 'opened')
    const bin = join(command.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}.tmp && mv ${opened}.tmp ${opened}`)
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const env = { PATH: `${bin}:${process.env['PATH']}` }
    const { out } = await social([...search, '--web'], { env })
    const url = (JSON.parse(out.split('\n')[0] ?? '') as { url: string }).url
    await vi.waitFor(() => expect(readFileSync(opened, 'utf8')).toBe(`${url}\n`), 5000)
    rmSync(opened)
    server.inject({
      status: 200,
      body: { requestId: 'r', mention: { id: 'men_1', url: 'file:///etc/passwd' } },
    })
    expect((await social(['mentions', 'get', 'men_1', '--web'], { env })).code).toBe(0)
    expect(() => readFileSync(opened)).toThrow('ENOENT')
  })

  it('may change the state of a mention of its sandbox', async () => {
    const [mention = ''] = (await social(['mentions', 'list', '--sandbox'])).out.split('\n')
    const { id } = JSON.parse(mention) as { id: string }
    const args = ['mentions', 'set-state', id, '--params', '{"state":"done"}', '--sandbox']
    const { code, out } = await social(args)
    expect([code, JSON.parse(out)]).toMatchObject([0, { mention: { state: 'done' } }])
  })

  it('ends quietly when its reader closes the pipe, and buys no more pages', async () => {
    const shell = spawn(
      'sh',
      ['-c', '"$0" "$@" | head -3', process.execPath, command.file, ...search, '--all', '--yes'],
      {
        env: { PATH: process.env['PATH'], ...env() },
      },
    )
    let output = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (data: Buffer) => (output += String(data)))
    await new Promise((resolve) => shell.on('close', resolve))
    expect(output.trimEnd().split('\n')).toHaveLength(3)
    // A pipe holds several pages before `head` has ended; all pages are 25.
    expect(server.requests.length).toBeLessThan(15)
  })

  it('reports a full disk, with the page on stderr and the command that continues', async () => {
    const shell = spawn(
      'sh',
      ['-c', '"$0" "$@" >/dev/full', process.execPath, command.file, ...search, '--all', '--yes'],
      {
        env: { PATH: process.env['PATH'], ...env() },
      },
    )
    let err = ''
    shell.stderr.on('data', (data: Buffer) => (err += String(data)))
    const code = await new Promise((resolve) => shell.on('close', resolve))
    expect([code, server.requests.length]).toEqual([1, 1])
    expect(err).toMatch(
      /^social-search: ENOSPC[^]*\nTo continue: social-search microblog search --all --yes --per-minute off --params '{/,
    )
    const { posts } = JSON.parse(err.trimEnd().split('\n').at(-1) ?? '') as { posts: unknown[] }
    expect(posts).toHaveLength(20)
  })

  it('prints a command that continues with the same budget and output', async () => {
    const flags = ['--all', '--budget', '3', '--format', 'csv', '--fields', 'id,author']
    const { code, err } = await social([...search, ...flags])
    expect(code).toBe(5)
    expect(err).toMatch(
      /To continue: social-search microblog search --all --budget 3 --per-minute off --format csv --fields id,author --params '\{/,
    )
  })

  it('prints no command that continues when the service finds the request invalid', async () => {
    const { code, err } = await social([...search, '--since', 'yesterday'])
    expect([code, server.requests.length]).toEqual([4, 1])
    expect(err).not.toContain('To continue')
  })

  it('runs against a sandbox without an account', async () => {
    const { code, out } = await run(command, [...search, '--sandbox', '--limit', '2'])
    expect([code, out.split('\n').length, server.requests.length]).toEqual([0, 3, 0])
  })

  it('changes the state of a mention of the sandbox', async () => {
    const { out } = await run(command, ['mentions', 'list', '--sandbox', '--limit', '1', '--format', 'jsonl'])
    const { id } = JSON.parse(out) as { id: string }
    const setState = ['mentions', 'set-state', id, '--params', '{"state":"done"}', '--sandbox']
    const { code, out: changed } = await run(command, setState)
    expect([code, changed]).toEqual([0, expect.stringContaining('done')])
  })
})

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
    [
      'a watch without a budget',
      ['watch', 'coffee'],
      '2,880 to 28,800 credits a day; pass --budget, or --yes',
    ],
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

describe('login', () => {
  const config = () => ({ XDG_CONFIG_HOME: join(command.folder, 'config'), HOME: command.folder })
  const stored = () => join(command.folder, 'config/social-search/login.json')

  it('stores a key from stdin in a private file, and sends it only to its base URL', async () => {
    const options = { env: config(), input: `${server.apiKey}\n` }
    const { code, out, err } = await run(command, ['login', '--base-url', server.baseUrl], options)
    expect([code, (out + err).includes(server.apiKey)]).toEqual([0, false])
    expect([out, server.ledger.spent]).toEqual([expect.stringContaining('accepted by the service'), 0])
    expect(statSync(stored()).mode & 0o777).toBe(0o600)
    expect((await run(command, search, { env: config() })).code).toBe(0)
    const other = await run(command, [...search, '--base-url', 'http://127.0.0.1:9/v1'], { env: config() })
    expect([other.code, other.err]).toEqual([3, expect.stringContaining('no key for this address')])
    chmodSync(stored(), 0o644)
    expect((await run(command, search, { env: config() })).err).toContain('can be read by other users')
    expect((await run(command, ['logout'], { env: config() })).code).toBe(0)
    expect((await run(command, search, { env: config() })).code).toBe(3)
  })

  it('keeps the logins of profiles apart, and names them without their keys', async () => {
    const env = { XDG_CONFIG_HOME: join(command.folder, 'profiles'), HOME: command.folder }
    const login = (address: string, ...more: string[]) =>
      run(command, ['login', '--base-url', address, ...more], { env, input: `${server.apiKey}\n` })
    const at = 'http://127.0.0.1:9/v1'
    expect((await login(at, '--no-check')).code).toBe(0)
    expect((await login(server.baseUrl, '--profile', 'work')).code).toBe(0)
    // A profile goes before the variables.
    const variables = { SOCIAL_SEARCH_BASE_URL: at, SOCIAL_SEARCH_API_KEY: 'wrong' }
    for (const [args, more] of [
      [['--profile', 'work'], variables],
      [['--profile=work'], {}],
      [[], { ...variables, SOCIAL_SEARCH_PROFILE: 'work' }],
    ] as const)
      expect((await run(command, [...search, ...args], { env: { ...env, ...more } })).code).toBe(0)
    // One of the requests has checked the key at login.
    expect(server.requests).toHaveLength(4)

    const listed = (await run(command, ['config'], { env: { ...env, SOCIAL_SEARCH_PROFILE: 'work' } })).out
    expect(listed).not.toContain(server.apiKey)
    expect(
      listed
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { profile: null, isUsed: false, baseUrl: at, login: 'key' },
      { profile: 'work', isUsed: true, baseUrl: server.baseUrl, login: 'key' },
    ])
    const none = await run(command, [...search, '--profile', 'home'], { env })
    expect([none.code, none.err]).toEqual([3, expect.stringContaining('login --profile home')])
    for (const name of ['../work', ''])
      expect((await run(command, [...search, '--profile', name], { env })).code).toBe(2)
    expect((await run(command, search, { env: { ...env, SOCIAL_SEARCH_PROFILE: '../work' } })).code).toBe(2)
    await run(command, ['logout', '--profile', 'work'], { env })
    expect((await run(command, ['config'], { env })).out.trimEnd().split('\n')).toHaveLength(1)
  })

  it('stores no key that the service refuses or that cannot be checked, unless --no-check is set', async () => {
    const env = { XDG_CONFIG_HOME: join(command.folder, 'unchecked'), HOME: command.folder }
    const login = (address: string, ...more: string[]) =>
      run(command, ['login', '--base-url', address, ...more], { env, input: 'a_key_of_nobody' })
    const refused = await login(server.baseUrl)
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining('--no-check stores the key unchecked'),
    ])
    expect((await login('http://127.0.0.1:9/v1')).code).toBe(1)
    expect((await run(command, ['config'], { env })).out).toBe('')
    expect((await login(server.baseUrl, '--no-check')).code).toBe(0)
    expect((await run(command, ['config'], { env })).out).toContain(server.baseUrl)
  })

  it('refuses an input that is not a key', async () => {
    const { code } = await run(command, ['login', '--base-url', server.baseUrl], {
      env: config(),
      input: ' \n',
    })
    expect(code).toBe(2)
  })
})

describe('quote', () => {
  it('prints the most that a job can cost and how long it takes at least, without an account', async () => {
    const { out, code } = await run(command, ['quote', 'microblog.search', '--max-pages', '50'])
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ atMost: 100, duration: 120_000 })])
    expect((await run(command, ['quote', 'microblog', 'search', '--pages', '50'])).out).toBe(out)
    expect((await run(command, ['quote', 'microblog search', '--pages', '50'])).out).toBe(out)
    const comments = ['quote', 'professionalnet posts comments', '--params', '{"maxComments":500}']
    expect(JSON.parse((await run(command, comments)).out)).toMatchObject({ atMost: 500 })
    const slow = ['quote', 'microblog.search', '--max-pages', '50', '--per-minute', '5']
    expect(JSON.parse((await run(command, slow)).out)).toMatchObject({ duration: 540_000 })
  })

  it('says what is not known of --all', async () => {
    const { out } = await run(command, ['quote', 'microblog.search', '--all'])
    expect(JSON.parse(out)).toEqual({
      ...{ atMost: null, perPage: 2, duration: null },
      why: '2 credits a page; how many pages there are is not known',
    })
    const free = ['quote', 'mentions.list', '--all']
    expect(JSON.parse((await run(command, free)).out)).toMatchObject({ atMost: 0, duration: null })
  })

  it.each([
    [['microblog.find'], 'unknown operation'],
    [['microblog.search', '--max-pages', '0'], '--max-pages must be a whole number'],
    [['microblog.search', '--all', '--max-pages', '5'], 'contradict each other'],
    [['microblog.search', '--pages', '5', '--max-pages', '5'], 'contradict each other'],
    [['professionalnet.company.get', '--all'], 'has no pages; leave out --all'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await run(command, ['quote', ...args])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('infer', () => {
  it('writes a schema that accepts the records, and its type', async () => {
    const file = join(command.folder, 'mentions.ts')
    const { code, err } = await social(['infer', 'mentions.list', '--out', file])
    expect([code, err]).toEqual([0, ''])
    const source = readFileSync(file, 'utf8')
    expect(source).toMatch(/^\/\/ Inferred by `social-search infer mentions list` from 20 records\.\n/)
    expect(source).toContain('export type Mention = z.infer<typeof mention>\n')
    // The source without types is JavaScript.
    const script = join(process.cwd(), 'node_modules/.inferred-mentions.mjs')
    writeFileSync(script, source.replace(/export type .*/, ''))
    try {
      const { mention } = (await import(/* @vite-ignore */ script)) as {
        mention: { parse(value: unknown): unknown }
      }
      const records = (await social(['mentions', 'list', '--all'])).out.trimEnd().split('\n')
      for (const record of records) expect(mention.parse(JSON.parse(record))).toEqual(JSON.parse(record))
      expect(() => mention.parse({ id: 1 })).toThrow()
    } finally {
      rmSync(script)
    }
  })

  it('replaces no file without --force, and sends nothing then', async () => {
    const file = join(command.folder, 'mine.ts')
    writeFileSync(file, 'mine')
    const args = ['infer', 'mentions', 'list', '--out', file]
    const refused = await social(args)
    expect([refused.code, refused.err, server.requests.length]).toEqual([
      2,
      expect.stringContaining('pass --force'),
      0,
    ])
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect((await social([...args, '--force'])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('z.looseObject')
  })

  it('names the cost of a paid operation and sends nothing without a budget', async () => {
    const args = ['infer', 'technews.search', '--params', '{"query":"rust"}', '--pages', '2']
    const { code, err } = await social(args)
    expect([code, err, server.requests.length]).toEqual([
      2,
      'social-search: at most 4 credits: 2 credits a page for 2 pages; pass --budget to agree\n',
      0,
    ])
    expect((await social([...args, '--budget', '4'])).out).toContain('export const post = z.looseObject({')
    expect([server.requests.length, server.ledger.spent]).toEqual([2, 4])
  })

  it('refuses an operation whose shape is documented', async () => {
    const { code, err } = await social(['infer', 'microblog search'])
    expect([code, err]).toEqual([2, expect.stringContaining('microblog.search is documented')])
  })
})

describe('mcp', () => {
  it('names the version of the package', async () => {
    const clientInfo = { name: 'test', version: '0' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`
    const { out } = await social(['mcp', '--sandbox'], { input })
    const { result } = JSON.parse(out) as { result: unknown }
    expect(result).toMatchObject({ serverInfo: { name: 'social-search', version: packageJson.version } })
  })
})

describe('completion', () => {
  it.each([
    ['mentions s', ['set-state']],
    ['microblog search --category ', ['Top', 'Latest', 'People', 'Photos', 'Videos']],
    ['microblog search coffee --bo', ['--body', '--bom']],
    ['search coffee --bo', ['--body', '--bom']],
    ['comp', ['completion', 'company']],
    ['help feeds g', ['get']],
    ['completion z', []],
  ])('completes %j in bash', async (line, expected) => {
    const file = join(command.folder, 'complete.sh')
    writeFileSync(
      file,
      `social-search() { "$NODE" "$FILE" "$@"; }
eval "$(social-search completion bash)"
COMP_WORDS=(social-search "$@")
COMP_CWORD=$#
_social_search
printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
    const env = { NODE: process.execPath, FILE: command.file }
    const { out } = await run({ folder: command.folder, file }, line.split(' '), { env, program: 'bash' })
    expect(out.split('\n').filter(Boolean)).toEqual(expected)
  })

  it('prints a script for each shell, and names the shells for another one', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await run(command, ['completion', shell])).out).toContain('social-search completion -- ')
    const { code, err } = await run(command, ['completion', 'tcsh'])
    expect([code, err]).toEqual([2, expect.stringContaining('expected one of bash, zsh, fish')])
  })
})

describe('doctor', () => {
  it('reports no problem with the documented service, for free', async () => {
    const { code, out } = await social(['doctor'])
    expect([code, server.ledger.spent]).toEqual([0, 0])
    expect(out).not.toContain('FAIL')
  })

  it('prints each problem and its solution', async () => {
    await server.close()
    server = await serveSandbox({ port: 0, keys: [{ key: 'only_org', scopes: ['org:read'] }] })
    const { code, out } = await social(['doctor'], { env: { SOCIAL_SEARCH_API_KEY: 'only_org' } })
    expect(code).toBe(3)
    expect(out).toContain('FAIL  scope search:read: missing; create a key, or log in, with search:read')
    expect(out).toContain('ok    scope org:read')
    expect((await run(command, ['doctor'])).out).toContain('set SOCIAL_SEARCH_BASE_URL')
  })

  it('says that the address lacks /v1', async () => {
    const { out } = await social(['doctor'], {
      env: { SOCIAL_SEARCH_BASE_URL: server.baseUrl.replace('/v1', '') },
    })
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(/FAIL service: .*404.* baseUrl: it lacks \/v1/)
  })
})

describe('watch', () => {
  it('prints new posts, keeps its state, and hands batches to a command', async () => {
    const state = join(command.folder, 'watch.json')
    const seen = join(command.folder, 'seen.jsonl')
    const watch = (...args: string[]) => {
      const before = server.requests.length
      const flags = ['--yes', '--per-minute', 'off', '--every', '60', '--state', state]
      return social(['watch', 'coffee', ...flags, ...args], {
        during(child) {
          const timer = setInterval(() => {
            if (server.requests.length === before) return
            clearInterval(timer)
            setTimeout(() => child.kill('SIGINT'), 300)
          }, 5)
        },
      })
    }
    const first = await watch('--exec', `cat >> ${seen}`)
    expect([first.code, readFileSync(seen, 'utf8').trimEnd().split('\n').length]).toEqual([130, 20])
    const again = await watch()
    expect([again.code, again.out, server.requests.length]).toEqual([130, '', 2])
    writeFileSync(state, '{}')
    expect((await social(['watch', 'coffee', '--yes', '--state', state])).code).toBe(2)
  })

  it('buys nothing if its state cannot be written', async () => {
    const { code, err } = await social(['watch', 'coffee', '--yes', '--state', '/missing/state.json'])
    expect([code, err, server.requests.length]).toEqual([1, expect.stringContaining('ENOENT'), 0])
  })

  it('keeps its old state if the command fails', async () => {
    const state = join(command.folder, 'failed.json')
    const { code, err } = await social(['watch', 'coffee', '--yes', '--state', state, '--exec', 'exit 7'])
    expect([code, err]).toEqual([1, expect.stringContaining('ended with 7')])
    expect(() => readFileSync(state)).toThrow('ENOENT')
  })
})
