import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxServer, serveSandbox } from '../../src/sandbox/node.ts'
import { type Ran, buildCommand, run } from './command.ts'

/** ESC, C1, DEL, and what turns the direction of text; a carriage return overwrites a line. */
const hostile = 'coffee\u001b[2J\u009b2J\u0085\u007f\u202e\u2066\u200f\u061c\u2028\rx'
const shown = 'coffee\\u001b[2J\\u009b2J\\u0085\\u007f\\u202e\\u2066\\u200f\\u061c\\u2028\\u000dx'
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

let command: { folder: string; file: string }
let server: SandboxServer
beforeAll(async () => {
  command = await buildCommand()
  server = await serveSandbox({
    ...{ port: 0, limits: { perMinute: false, inFlight: false } },
    content: { microblog: [{ id: '1', author: 'a', body: hostile }] },
  })
})
afterAll(async () => {
  rmSync(command.folder, { recursive: true })
  await server.close()
})

type Stream = 'stdout' | 'stderr'

/** Makes the command take the named streams for terminals. */
function terminalEnv(terminals: Stream[], color: boolean): Record<string, string> {
  const set = terminals.map((name) => `Object.assign(process.${name},{isTTY:true,columns:200})`)
  return {
    ...{ SOCIAL_SEARCH_BASE_URL: server.baseUrl, SOCIAL_SEARCH_API_KEY: server.apiKey },
    ...(!color && { NO_COLOR: '1' }),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(set.join(';'))}`,
  }
}

function social(args: string[], terminals: Stream[], color = false): Promise<Ran> {
  return run(command, args, {
    env: terminalEnv(terminals, color),
    during(child) {
      if (args[0] === 'watch') child.stdout?.once('data', () => child.kill('SIGINT'))
    },
  })
}

const search = ['microblog', 'search', 'coffee', '--fields', 'body', '--format']
const json = JSON.stringify(hostile)

describe('stdout', () => {
  it.each([
    ['jsonl', `{"body":${json}}\n`],
    ['json', `[\n  {"body":${json}}\n]\n`],
    ['csv', `body\n"${hostile}"\n`],
    ['table', `body\n${hostile.replace('\u2028\r', ' ')}\n`],
  ])('gets the exact characters in %s through a pipe, also if stderr is a terminal', async (format, text) => {
    expect((await social([...search, format], ['stderr'])).out).toBe(text)
  })

  it.each(['jsonl', 'json'])('gets valid %s with escapes if it is a terminal', async (format) => {
    const { out } = await social([...search, format], ['stdout'])
    expect(out).not.toMatch(steering)
    expect([JSON.parse(out)].flat()).toEqual([{ body: hostile }])
  })

  it.each([
    ['csv', `body\n"${shown}"\n`],
    ['table', `body\n${shown.replace('\\u2028\\u000d', ' ')}\n`],
  ])('gets visible escapes in %s if it is a terminal', async (format, text) => {
    expect((await social([...search, format], ['stdout'])).out).toBe(text)
  })

  it('gets a bold title of a table from the command, and no other control character', async () => {
    const { out } = await social([...search, 'table'], ['stdout'], true)
    expect(out).toMatch(/^\u001b\[1mbody\u001b\[22m\n/)
    expect(out.replaceAll(/\u001b\[(1|22)m/g, '')).not.toMatch(steering)
  })

  it('gets a search of posts as cards by default, and as a table for --fields or --format table', async () => {
    const card = await social(['microblog', 'search', 'coffee'], ['stdout'], true)
    expect(card.out).toContain(`\n${shown.replace('\\u2028', '\\u2028')}\n`)
    expect(card.out.replaceAll(/\u001b\[(1|2|22)m/g, '')).not.toMatch(steering)
    expect(card.out).toContain('https://')
    for (const more of [
      ['--fields', 'id,author'],
      ['--format', 'table', '--fields', 'id,author'],
    ])
      expect((await social(['microblog', 'search', 'coffee', ...more], ['stdout'])).out).toBe(
        'id  author\n1   a\n',
      )
  })

  it('gets dates in the time zone of the machine in a table, and the exact ones as JSON', async () => {
    const args = ['microblog', 'search', 'coffee', '--fields', 'timestamp', '--format']
    const [table, lines] = await Promise.all(
      ['table', 'jsonl'].map((format) =>
        run(command, [...args, format], { env: { ...terminalEnv(['stdout'], false), TZ: 'Asia/Tokyo' } }),
      ),
    )
    const { timestamp } = JSON.parse(lines?.out ?? '') as { timestamp: string }
    const inTokyo = new Date(Date.parse(timestamp) + 9 * 3_600_000).toISOString()
    expect(table?.out).toBe(`timestamp\n${inTokyo.slice(0, 16).replace('T', ' ')}\n`)
  })

  it('gets escapes from watch if it is a terminal, and the exact characters through a pipe', async () => {
    const watch = ['watch', 'coffee', '--yes', '--per-minute', 'off']
    const [terminal, pipe] = await Promise.all([social(watch, ['stdout']), social(watch, ['stderr'])])
    expect(terminal.out).not.toMatch(steering)
    expect(terminal.out).toContain(`\n${shown}\n`)
    expect(pipe.out).toContain(json)
  })
})

describe('stderr', () => {
  it('shows records and credits while the command waits', async () => {
    const args = ['microblog', 'search', 'typescript', '--max-pages', '2', '--per-minute', '1', '--sandbox']
    const { err } = await run(command, args, {
      env: terminalEnv(['stderr'], false),
      during(child) {
        child.stderr?.on('data', (data: Buffer) => {
          if (String(data).includes('waiting')) child.kill('SIGINT')
        })
      },
    })
    expect(err).toMatch(/20 records · 2 credits · waiting \(.+\) until \d\d:\d\d:\d\d/)
  })

  it.each([
    ['the message of an error', `unknown operation ${hostile}`, ['quote', hostile]],
    ['an error as JSON', `"unknown operation ${json.slice(1, -1)}`, ['quote', hostile, '--json']],
  ])(
    'gets escapes in %s if it is a terminal, and the exact characters through a pipe',
    async (_, text, args) => {
      const [terminal, pipe] = await Promise.all([social(args, ['stderr']), social(args, ['stdout'])])
      expect(terminal.err).not.toMatch(steering)
      expect(terminal.err).toContain(
        `unknown operation ${shown.replace('\\u000d', args.includes('--json') ? '\\r' : '\\u000d')}`,
      )
      expect(pipe.err).toContain(text)
    },
  )

  it.each([[], ['--json']])(
    'gets escapes in a paid answer if it is a terminal, and the exact characters through a pipe, with %s',
    async (...flags) => {
      const invalid = { requestId: 'r', posts: [{ id: hostile }], meta: {} }
      server.inject({ body: invalid, status: 200, times: 2 })
      const args = [...search, 'jsonl', ...flags]
      const [terminal, pipe] = await Promise.all([social(args, ['stderr']), social(args, ['stdout'])])
      expect(terminal.err).not.toMatch(steering)
      expect(pipe.err).toContain(JSON.stringify(invalid))
      const body = JSON.parse(terminal.err.trimEnd().split('\n').at(-1) ?? '') as { body?: unknown }
      expect(flags.length === 0 ? body : body.body).toEqual(invalid)
    },
  )
})
