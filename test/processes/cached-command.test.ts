import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RunOptions } from './command.ts'
import { command, search, server, social as socialOf, useCommand } from './served-command.ts'

useCommand()
beforeEach(() => rmSync(join(command.folder, 'cache'), { recursive: true, force: true }))

const folder = () => join(command.folder, 'cache/social-search')
const file = () => join(folder(), 'answers.sqlite')
const social = (args: string[], options: RunOptions = {}) =>
  socialOf(args, { ...options, env: { HOME: command.folder, ...options.env } })
const cached = [...search, '--cache', '1h']

describe('--cache', () => {
  it('answers an equal command from a private file, for free, and says how old the answer is', async () => {
    const first = await social(cached)
    const again = await social([...cached, '--budget', '0'])
    expect([first.code, first.err]).toEqual([0, ''])
    expect([again.code, again.out]).toEqual([0, first.out])
    expect(again.err).toMatch(/^From the cache, \d seconds? old: 0 credits, 2 saved\n$/)
    expect(server.ledger.spent).toBe(2)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it('counts the pages of a walk that it had, and buys the others', async () => {
    await social([...cached, '--max-pages', '2'])
    const { err, out } = await social([...cached, '--max-pages', '3'])
    expect(err).toMatch(/^2 pages from the cache, up to \d seconds? old: 2 credits, 4 saved\n$/)
    expect([out.trimEnd().split('\n').length, server.ledger.spent]).toEqual([60, 6])
  })

  it('stores nothing unless it is set, and accepts no answer that is older', async () => {
    await social(search)
    expect(existsSync(folder())).toBe(false)
    await social(cached)
    await social([...search, '--cache', '0.001s'])
    await social(search)
    expect(server.ledger.spent).toBe(8)
  })

  it('is quiet with --quiet, and leaves only errors on stderr with --json', async () => {
    await social(cached)
    const quiet = await Promise.all([social([...cached, '--quiet']), social([...cached, '--json'])])
    expect(quiet.map(({ code, err }) => [code, err])).toEqual([
      [0, ''],
      [0, ''],
    ])
  })

  it('keeps the answers of different keys apart', async () => {
    await social(cached)
    await social(cached, { env: { SOCIAL_SEARCH_API_KEY: server.writeKey } })
    expect(server.ledger.spent).toBe(4)
  })

  it('keeps the answers of the sandbox, too', async () => {
    await social([...cached, '--sandbox'])
    expect((await social([...cached, '--sandbox'])).err).toContain('0 credits, 2 saved')
  })

  it.each([
    ['an hour', '--cache must be a number'],
    ['0', '--cache must be from 0.001'],
    ['99d', '--cache must be from 0.001'],
  ])('refuses %j, and sends nothing', async (time, message) => {
    const { code, err } = await social([...search, '--cache', time])
    expect([code, server.requests.length]).toEqual([2, 0])
    expect(err).toContain(message)
  })

  it('names a file that SQLite cannot read, and buys nothing', async () => {
    mkdirSync(folder(), { recursive: true })
    writeFileSync(file(), 'x'.repeat(5000))
    const { code, err } = await social(cached)
    expect([code, err, server.requests.length]).toEqual([1, expect.stringContaining(file()), 0])
    expect(readFileSync(file(), 'utf8')).toHaveLength(5000)
  })

  it('warns once when its file cannot be written, and prints what was bought', async () => {
    await social(cached)
    const database = new DatabaseSync(file())
    database.exec('BEGIN IMMEDIATE')
    const { code, out, err } = await social(['microblog', 'search', 'typescript', '--cache', '1h'])
    database.close()
    expect([code, out.split('\n').length, err]).toEqual([
      ...[0, 21, 'social-search: the cache failed: database is locked\n'],
    ])
  })

  it('is in the help of commands that cost credits, and in the command that continues', async () => {
    expect((await social(['mentions', 'list', '--help'])).out).not.toContain('--cache')
    const help = await social(['technews', 'search', '--help'])
    expect(help.out).toContain('--cache <time>')
    const { err } = await social([...cached, '--all', '--budget', '2'])
    expect(err).toContain('--cache 1h --budget 2')
  })

  it('makes a question that is repeated free in MCP, which says how old the answer is', async () => {
    const ask = async () => {
      const { out, err } = await mcp(['--budget', '10', '--cache', '1h'])
      const lines = out.trimEnd().split('\n')
      const { result } = JSON.parse(lines.at(-1) ?? '') as { result: { structuredContent: object } }
      return { result: result.structuredContent, report: JSON.parse(err) as object }
    }
    const first = await ask()
    expect(first.result).toMatchObject({ ok: true, credits: { spent: 2 } })
    expect(first.report).toMatchObject({ spent: 2, saved: 0 })
    const again = await ask()
    expect(again.result).toMatchObject({
      notice: expect.stringMatching(/^From a cache, \d seconds? old\. /),
      cachedAt: expect.any(String),
      credits: { spent: 0, remaining: 10 },
    })
    expect(again.report).toMatchObject({ spent: 0, saved: 2 })
    expect(server.ledger.spent).toBe(2)
  })

  /** Asks one question in a session on stdio. */
  function mcp(flags: string[]) {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const call = { name: 'microblog_search', arguments: { query: 'coffee' } }
    const messages = [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: call },
    ]
    return social(['mcp', ...flags], {
      input: null,
      during(child) {
        for (const message of messages)
          child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
        child.stdout?.on('data', (data: Buffer) => {
          if (String(data).includes('"id":2')) child.stdin?.end()
        })
      },
    })
  }
})

describe('--offline', () => {
  const offline = [...search, '--offline']

  it('answers from what --cache has stored, and sends nothing', async () => {
    const bought = await social([...cached, '--max-pages', '2'])
    const { code, out, err } = await social([...offline, '--max-pages', '2'])
    expect([code, out]).toEqual([0, bought.out])
    expect(err).toContain('0 credits, 4 saved')
    expect(server.requests).toHaveLength(2)
  })

  it('prints the stored pages, and fails with 1 at the page that is not stored', async () => {
    await social(cached)
    const { code, out, err } = await social([...offline, '--max-pages', '2'])
    expect([code, out.trimEnd().split('\n').length]).toEqual([1, 20])
    expect(err).toContain('the cache has no answer to these params')
    expect(err).toContain('run the command with --cache 1h in place of --offline first')
    expect(err).not.toContain('To continue')
    const none = JSON.parse(
      (await social(['technews', 'search', '--params', '{}', '--offline', '--json'])).err,
    )
    expect(none).toMatchObject({ name: 'NotCachedError', code: 'not_cached', charged: 'no' })
    expect(server.requests).toHaveLength(1)
  })

  it('infers a schema without a budget', async () => {
    const args = ['technews', 'search', '--params', '{"query":"rust"}', '--cache', '1h']
    await social(args)
    const { code, out } = await social(['infer', ...args.slice(0, -2), '--offline'])
    expect([code, server.requests.length]).toEqual([0, 1])
    expect(out).toContain('z.looseObject')
  })

  it.each([
    ['--cache', [...cached, '--offline'], 'leave out --cache'],
    ['a call that is free', ['mentions', 'list', '--offline'], "unknown option '--offline'"],
  ])('refuses %s', async (_, args, message) => {
    const { code, err } = await social(args)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
    expect(server.requests).toHaveLength(0)
  })
})

describe('clear-cache', () => {
  it('deletes the stored answers, so that the next command buys them', async () => {
    await social(cached)
    const { code, out } = await social(['clear-cache'])
    expect([code, out, readdirSync(folder())]).toEqual([0, `The answers in ${folder()} are deleted\n`, []])
    await social(cached)
    expect(server.ledger.spent).toBe(4)
  })

  it.each(['answers.sqlite', 'answers.sqlite-wal', 'profiles/work/answers.sqlite'])(
    'names %s when it is a folder',
    async (name) => {
      const path = join(folder(), name)
      mkdirSync(path, { recursive: true })
      const { code, err } = await social(['clear-cache'])
      expect([code, err]).toEqual([
        1,
        `social-search: ${path} is a folder, and not the file of stored answers; move or delete it\n`,
      ])
    },
  )
})

describe('logout', () => {
  it('deletes the stored answers of its login, and no others', async () => {
    const env = { XDG_CONFIG_HOME: join(command.folder, 'config') }
    const work = ['--profile', 'work']
    for (const flags of [[], work]) {
      const login = ['login', '--base-url', server.baseUrl, ...flags]
      expect((await social(login, { env, input: server.apiKey })).code).toBe(0)
      expect((await social([...cached, ...flags], { env })).code).toBe(0)
    }
    const stored = () => readdirSync(folder(), { recursive: true }).map(String).toSorted()
    expect(stored()).toEqual(['answers.sqlite', 'profiles', 'profiles/work', 'profiles/work/answers.sqlite'])
    expect((await social(['logout', ...work], { env })).code).toBe(0)
    expect(stored()).toEqual(['answers.sqlite', 'profiles', 'profiles/work'])
    await social(['logout', ...work], { env })
    expect(stored()).toContain('answers.sqlite')
    await social(['logout'], { env })
    expect(stored()).toEqual(['profiles', 'profiles/work'])
  })

  it('removes the login when the stored answers cannot be deleted', async () => {
    const env = { XDG_CONFIG_HOME: join(command.folder, 'config') }
    await social(['login', '--base-url', server.baseUrl], { env, input: server.apiKey })
    mkdirSync(file(), { recursive: true })
    const { code, err } = await social(['logout'], { env })
    expect([code, err]).toEqual([1, expect.stringContaining(`${file()} is a folder`)])
    expect((await social(['config'], { env })).out).toBe('')
  })
})
