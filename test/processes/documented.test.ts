// What docs/cli.md promises, and no other test shows.
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { closed, listening } from '../support/listening.ts'
import { type Ran, run } from './command.ts'
import { command, search, server, social, useCommand } from './served-command.ts'

useCommand()

const idOf = (line: string) => (JSON.parse(line) as { id: string }).id
const linesOf = (text: string) => text.trimEnd().split('\n')

/** Runs the command, which takes stdout and stderr for terminals. */
function onTerminal(args: string[], input = ''): Promise<Ran> {
  const set = ['stdin', 'stdout', 'stderr'].map(
    (name) => `Object.assign(process.${name},{isTTY:true,columns:100})`,
  )
  const script = `data:text/javascript,${encodeURIComponent(set.join(';'))}`
  return social(args, { input, env: { NODE_OPTIONS: `--import=${script}` } })
}

describe('a flag', () => {
  it('for a list takes several values, and can be repeated', async () => {
    await social([...search, '--hashtags', 'a', 'b', '--hashtags', 'c'])
    expect(server.requests[0]?.body).toMatchObject({ filters: { hashtags: ['a', 'b', 'c'] } })
  })

  it('sets --timeout and --validation of the client', async () => {
    server.inject({ delay: 5000 })
    const late = await social([...search, '--timeout', '0.2', '--json'])
    expect([late.code, JSON.parse(late.err)]).toEqual([6, expect.objectContaining({ name: 'TimeoutError' })])
    const body = { requestId: 'r', posts: [{ id: 'half' }], meta: { returnedCount: 1, hasMore: false } }
    for (const [mode, code, out] of [['off', 0, '{"id":"half"}\n'] as const, ['lenient', 0, ''] as const]) {
      server.inject({ status: 200, body })
      expect(await social([...search, '--validation', mode])).toMatchObject({ code, out })
    }
  })

  it('--limit takes whole pages into a file, and cuts other output', async () => {
    const out = join(command.folder, 'whole.jsonl')
    await social([...search, '--limit', '21', '--out', out])
    expect(linesOf(readFileSync(out, 'utf8'))).toHaveLength(40)
    expect(linesOf((await social([...search, '--limit', '21'])).out)).toHaveLength(21)
  })
})

describe('a terminal', () => {
  it('is asked before --all and watch spend without --budget', async () => {
    const cost = 'microblog search --all costs 2 credits a page; how many pages there are is not known'
    for (const input of ['n\n', '\n', '']) {
      const { code, err } = await onTerminal([...search, '--all'], input)
      expect([code, err]).toEqual([
        130,
        expect.stringContaining(`${cost}. No --budget limits it. Continue? [y/N]`),
      ])
    }
    const watching = await onTerminal(['watch', 'coffee', '--every', '1h', '--max-pages', '2'], 'n\n')
    expect([watching.code, watching.err]).toEqual([130, expect.stringContaining('up to 96 credits a day')])
    expect(server.requests).toHaveLength(0)
    expect((await onTerminal([...search.slice(0, 2), 'nothing', '--all'], 'y\n')).code).toBe(0)
    expect(server.requests).toHaveLength(1)
  })

  it('is not asked about what is free, limited, simulated or accepted', async () => {
    const runs = [
      ['mentions', 'list', '--all'],
      [...search, '--all', '--budget', '2'],
      ['microblog', 'search', 'nothing', '--all', '--yes'],
      ['microblog', 'search', 'nothing', '--all', '--sandbox'],
    ]
    for (const args of runs) expect((await onTerminal(args, 'n\n')).err).not.toContain('[y/N]')
  })

  it('gets a table with bold names, unless --no-color is set, and lines of records elsewhere', async () => {
    const fields = ['--fields', 'id,author']
    expect((await onTerminal([...search, ...fields])).out).toMatch(/^\u001b\[1mid +author *\u001b\[/)
    expect((await onTerminal([...search, ...fields, '--no-color'])).out).toMatch(/^id +author/)
    expect((await social([...search, ...fields])).out).toMatch(/^\{"id":/)
  })

  it('keeps records, credits and what is more as the last line of a search', async () => {
    const last = async (...args: string[]) =>
      linesOf((await onTerminal(args)).err.replaceAll(/\r\u001b\[K/g, '\n')).at(-1)
    expect(await last(...search)).toBe('20 records · 2 credits · more: --all')
    expect(await last(...search, '--limit', '21')).toBe('21 records · 4 credits')
    expect(await last('microblog', 'search', 'nothing')).toBe('0 records · 2 credits')
    expect(await last('mentions', '--limit', '2')).toBe('2 records · 0 credits')
    const out = join(command.folder, 'last.jsonl')
    expect(await last(...search, '--out', out)).toBe(`${out}: 20 records · 2 credits · more: --all`)
    const { err } = await onTerminal([...search, '--all', '--budget', '3'])
    expect(err).toContain('20 records · 2 credits\nsocial-search: ')
  })

  it('gets no command that continues when page one fails', async () => {
    server.inject({ status: 403 })
    expect((await social(search)).err).not.toContain('To continue')
    server.inject({ status: 403, skip: 1 })
    expect((await social([...search, '--max-pages', '2'])).err).toContain('To continue')
  })

  it('gets cards from watch, and JSON Lines elsewhere', async () => {
    const args = ['watch', 'coffee', '--per-minute', 'off', '--every', '0.2', '--budget', '2']
    expect((await onTerminal([...args, '--no-color'])).out).toMatch(/^.+ @\w+ · 20\d\d-/)
    expect((await social(args)).out).toMatch(/^\{"id":/)
  })

  it('gets progress on stderr, with records, credits and the reason for a wait, unless --quiet is set', async () => {
    server.inject({ status: 429, retryAfter: 1 })
    const args = [...search, '--max-pages', '2']
    const { err } = await onTerminal(args)
    for (const text of ['waiting (', '20 records · 2 credits', '40 records · 4 credits'])
      expect(err).toContain(text)
    expect((await onTerminal([...args, '--quiet'])).err).toBe('')
    expect((await social(args)).err).toBe('')
  })
})

describe('doctor', () => {
  it('compares the service’s description, and does not check mentions:write', async () => {
    const { out } = await social(['doctor'])
    expect(out).toContain('ok    scope mentions:read')
    expect(out).not.toContain('mentions:write')
    server.inject({ status: 200, body: { openapi: '3.1.0', paths: {} } })
    expect(await social(['doctor'])).toMatchObject({
      code: 4,
      out: expect.stringContaining('FAIL  contract'),
    })
  })
})

describe('login', () => {
  let config: string
  beforeEach(() => (config = mkdtempSync(join(command.folder, 'config-'))))
  const home = () => ({ XDG_CONFIG_HOME: config, HOME: config })

  it('stores a key that SOCIAL_SEARCH_API_KEY goes before', async () => {
    const args = ['login', '--no-check', '--base-url', server.baseUrl]
    await run(command, args, { env: home(), input: 'a_key_of_nobody' })
    expect((await run(command, search, { env: home() })).code).toBe(3)
    expect((await social(search, { env: home() })).code).toBe(0)
  })

  it('requests every scope that reads and offline_access, and any free port, unless flags name others', async () => {
    const issuer = createServer((_, response) => response.end(JSON.stringify(metadata)))
    const origin = await listening(issuer)
    const metadata = {
      ...{ issuer: origin, authorization_endpoint: `${origin}/a`, token_endpoint: `${origin}/t` },
    }
    const addressOf = async (...flags: string[]) => {
      const args = ['login', '--base-url', server.baseUrl, '--issuer', origin, '--client-id', 'x']
      const { code, err } = await run(command, [...args, '--timeout', '0.1', ...flags], {
        env: home(),
        input: null,
      })
      const { searchParams } = new URL(/^http.*$/m.exec(err)?.[0] ?? '')
      return [code, searchParams.get('scope'), searchParams.get('redirect_uri')]
    }
    const scopes = 'search:read mentions:read listeners:read feeds:read org:read offline_access'
    const anyPort = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) as unknown
    expect(await addressOf()).toEqual([3, scopes, anyPort])
    const free = createServer()
    const { port } = new URL(await listening(free))
    await closed(free)
    expect(await addressOf('--port', port, '--scopes', 'org:read,search:read')).toEqual([
      ...[3, 'org:read search:read', `http://127.0.0.1:${port}/callback`],
    ])
    await closed(issuer)
  })
})

describe('watch', () => {
  const watch = (...args: string[]) => [
    'watch',
    'coffee',
    '--yes',
    '--per-minute',
    'off',
    '--every',
    '0.2',
    ...args,
  ]

  it('spends --budget anew in each run', async () => {
    const state = join(command.folder, 'budget.json')
    for (const pages of [1, 2]) {
      expect((await social(watch('--state', state, '--budget', '2'))).code).toBe(5)
      expect(server.requests).toHaveLength(pages)
    }
  })

  it('passes a batch again if it was killed before the command has exited', async () => {
    const state = join(command.folder, 'killed.json')
    const seen = join(command.folder, 'killed.jsonl')
    const killOnceSeen = (child: ChildProcess): void => {
      const timer = setInterval(() => {
        if (!existsSync(seen)) return
        clearInterval(timer)
        child.kill('SIGKILL')
      }, 5)
    }
    // The command goes on after the watch was killed, and ends on its own.
    const slow = `cat > ${seen}.new && mv ${seen}.new ${seen} && sleep 1`
    const killed = await social(watch('--state', state, '--exec', slow), { during: killOnceSeen })
    expect([killed.code, existsSync(state)]).toEqual([null, false])
    const { out } = await social(watch('--state', state, '--budget', '2'))
    expect(linesOf(out).map(idOf)).toEqual(linesOf(readFileSync(seen, 'utf8')).map(idOf))
  })
})

describe('mcp', () => {
  it('needs --budget, serves the operations of --allow, and keeps to --max-per-call and --confirm-above', async () => {
    expect(await social(['mcp'])).toMatchObject({ code: 2, err: expect.stringContaining('--budget') })
    const flags = ['--budget', '100', '--allow', 'microblog.search']
    const resultsOf = async (...more: string[]) => {
      const { code, out } = await session([...flags, ...more])
      expect(code).toBe(0)
      return linesOf(out).map((line) => (JSON.parse(line) as { result: { isError?: boolean } }).result)
    }
    const [, tools, called] = await resultsOf()
    expect(tools).toMatchObject({ tools: [{ name: 'microblog_search' }] })
    expect([called?.isError ?? false, server.ledger.spent]).toEqual([false, 2])
    // This client cannot ask a person.
    for (const flag of ['--max-per-call', '--confirm-above'])
      expect((await resultsOf(flag, '1'))[2]?.isError).toBe(true)
    expect(server.ledger.spent).toBe(2)
  })

  /** Calls a search, in one session on stdio. */
  function session(flags: string[]): Promise<Ran> {
    const clientInfo = { name: 'test', version: '1' }
    const messages = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'tools/call', params: { name: 'microblog_search', arguments: { query: 'coffee' } } },
    ]
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    return social(['mcp', ...flags], {
      input: null,
      during(child) {
        child.stdin?.write(lines.join(''))
        let text = ''
        child.stdout?.on('data', (data: Buffer) => {
          text += String(data)
          if (linesOf(text).length >= 3) child.stdin?.end()
        })
      },
    })
  }
})

describe('exit codes', () => {
  it('are 1 when nothing listens at the address', async () => {
    const free = createServer()
    const address = await listening(free)
    await closed(free)
    const { code, err } = await social([...search, '--base-url', `${address}/v1`])
    expect([code, err]).toEqual([1, expect.stringContaining('nothing was sent')])
  })
})
