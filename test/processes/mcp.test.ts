import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { linesOf } from '../support/command-line.ts'
import { allOf, change } from '../support/posts-database.ts'
import { afterRequests, command, server, social, useCommand } from './command.ts'

useCommand()

interface Result {
  readonly isError?: boolean
  readonly structuredContent?: object
}

const clientInfo = { name: 'test', version: '1' }
const search = { name: 'microblog_search', arguments: { query: 'coffee' } }
const archiveSearch = { ...search, name: 'archive_search' }
const begin = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
  { method: 'notifications/initialized' },
]
const call = (params: object = search) => ({ id: 3, method: 'tools/call', params })

function send({ stdin }: ChildProcess, messages: readonly object[]): void {
  for (const message of messages) stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

/** Lists the tools and calls a search, in one session on stdio. */
async function session(flags: string, params: object = search) {
  const { code, out, err } = await social(`mcp ${flags}`, {
    input: null,
    during(child) {
      send(child, [...begin, { id: 2, method: 'tools/list' }, call(params)])
      let text = ''
      child.stdout?.on('data', (data: Buffer) => {
        text += String(data)
        if (text.includes('"id":3')) child.stdin?.end()
      })
    },
  })
  expect(code).toBe(0)
  const [server, tools, called] = linesOf(out).map((line) => (JSON.parse(line) as { result: Result }).result)
  return { server, tools, called, report: JSON.parse(err) as object }
}

/** For `during`: calls a search, and acts once the service has its request. */
const underWay = (act: (child: ChildProcess) => unknown) => (child: ChildProcess) => {
  send(child, [...begin, call()])
  afterRequests(1, act)(child)
}

describe('mcp', () => {
  it('serves the operations of --allow, keeps to --confirm-above, and names its version', async () => {
    const flags = '--budget 100 --allow microblog.search'
    const answers = await session(flags)
    expect(answers).toMatchObject({
      server: { serverInfo: { name: 'social-search', version: packageJson.version } },
      tools: { tools: [{ name: 'microblog_search' }] },
    })
    expect([answers.called?.isError ?? false, server.ledger.spent]).toEqual([false, 2])
    // This client cannot ask a person.
    expect((await session(`${flags} --confirm-above 1`)).called?.isError).toBe(true)
    expect(server.ledger.spent).toBe(2)
  })

  it.each([
    ['SIGTERM', 143, { spent: 0, uncertain: 2 }],
    ['the end of its input', 0, { spent: 2, uncertain: 0 }],
  ])('tells at %s what a call under way may have cost', async (end, code, report) => {
    server.inject({ delay: 1000 })
    const result = await social('mcp --budget 4/day', {
      input: null,
      during: underWay((child) => (end === 'SIGTERM' ? child.kill(end) : child.stdin?.end())),
    })
    expect([result.code, JSON.parse(result.err)]).toEqual([code, report])
  })

  it('says where it keeps what is bought, which is there when it is killed', async () => {
    server.inject({ delay: 1000 })
    const result = await social('mcp --budget 4/day --cost-label acme --out bought.db', {
      input: null,
      during: underWay((child) => void child.kill('SIGKILL')),
    })
    expect(result.err).toBe('bought.db keeps what is bought: each call with its params, cost and time\n')
    const purchases = allOf(join(command.folder, 'bought.db'), 'SELECT * FROM social_search_purchases')
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\d /) as string
    expect(purchases).toMatchObject([{ label: 'acme', credits: 0, uncertain: 2, at }])
  })

  it('searches the file of --archive for free, and refuses one that does not exist', async () => {
    await social('search coffee --max-pages 1 --out posts.db')
    // A long description of a file would delay the start.
    change(join(command.folder, 'posts.db'), "UPDATE social_search_searches SET params = 'not read'")
    const { called } = await session('--budget 2 --archive posts.db', archiveSearch)
    expect(called?.structuredContent).toMatchObject({ ok: true, returned: 20, credits: { spent: 0 } })
    expect(server.ledger.spent).toBe(2)
    const missing = await social('mcp --budget 2 --archive missing.db')
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('missing.db does not exist')])
  })

  it('ends at a signal while another program has the file of --archive', async () => {
    await social('search coffee --max-pages 1 --out locked.db')
    const path = join(command.folder, 'locked.db')
    change(path, 'PRAGMA journal_mode = DELETE')
    const other = new DatabaseSync(path)
    let at = Infinity
    const during = (child: ChildProcess): void => {
      send(child, begin)
      child.stdout?.once('data', () => {
        other.exec('BEGIN EXCLUSIVE')
        send(child, [call(archiveSearch)])
        void sleep(1000).then(() => {
          at = performance.now()
          child.kill('SIGINT')
        })
      })
    }
    const { code, err } = await social(`mcp --budget 2 --archive ${path}`, { input: null, during })
    other.close()
    expect([code, JSON.parse(err)]).toEqual([130, { spent: 0, uncertain: 0 }])
    expect(performance.now() - at).toBeLessThan(2000)
  })

  it('spends one budget of a day with commands that run at the same time', async () => {
    const [{ called }, ...runs] = await Promise.all([
      session('--budget 4/day'),
      social('search coffee --budget 4/day'),
      social('watch coffee --once --budget 4/day'),
    ])
    const refused = [called?.isError === true, ...runs.map(({ code }) => code === 5)].filter(Boolean)
    expect([refused, server.ledger.spent]).toEqual([[true], 4])
  })
})
