import type { ChildProcess } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SandboxServer, serveSandbox } from '../../src/sandbox/node.ts'
import { type RunOptions, buildCommand, run } from './command.ts'

let command: { folder: string; file: string }
let server: SandboxServer
beforeAll(async () => (command = await buildCommand()))
afterAll(() => rmSync(command.folder, { recursive: true }))
beforeEach(async () => {
  // Two walks have the same cursors only if the clock stands.
  const now = new Date('2026-11-20T18:00:00Z')
  const limits = { perMinute: false, inFlight: false } as const
  server = await serveSandbox({ port: 0, now, latency: [1, 15], limits })
})
afterEach(() => server.close())

let files = 0
const environment = () => ({
  SOCIAL_SEARCH_BASE_URL: server.baseUrl,
  SOCIAL_SEARCH_API_KEY: server.apiKey,
})
const search = (query: string, options: RunOptions, ...args: string[]) =>
  run(command, ['microblog', 'search', query, '--per-minute', 'off', '--yes', ...args], {
    ...options,
    env: { ...environment(), ...options.env },
  })
const newFile = (name = 'jsonl') => join(command.folder, `posts-${++files}.${name}`)
/** What the names of files beside this one have after its name. */
const besides = (path: string) =>
  readdirSync(dirname(path)).flatMap((name) =>
    name !== basename(path) && name.startsWith(basename(path)) ? [name.slice(basename(path).length)] : [],
  )
const cursors = () => server.requests.map(({ body }) => (body as { cursor?: string }).cursor)

/** The output of a run that nothing disturbs. */
async function undisturbed(
  format = 'jsonl',
  ...args: string[]
): Promise<{ text: string; pages: (string | undefined)[] }> {
  const out = newFile(format)
  await search('typescript', {}, '--all', '--out', out, ...args)
  const pages = cursors()
  ;(server.requests as unknown[]).length = 0
  return { text: readFileSync(out, 'utf8'), pages }
}

describe('--resume', () => {
  it.each([
    ['jsonl', 30],
    ['csv', 10],
  ])(
    'writes each post once, in order, to %s, when the process is killed %i times, and buys only the interrupted page again',
    async (format, times) => {
      const { text, pages } = await undisturbed(format, '--count', '5')
      const out = newFile(format)
      const args = ['--all', '--count', '5', '--out', out, '--resume']
      let kills = 0
      for (; kills < times; kills++) {
        const before = server.requests.length
        const { code } = await search(
          'typescript',
          {
            during(child) {
              // Some die while they start, most while they buy, read or write pages.
              const isEarly = kills % 10 === 0
              const timer = setInterval(() => {
                if (!isEarly && server.requests.length === before) return
                clearInterval(timer)
                setTimeout(() => child.kill('SIGKILL'), Math.random() * (isEarly ? 100 : 20))
              }, 1)
              child.on('close', () => clearInterval(timer))
            },
          },
          ...args,
        )
        if (code === 0) break
      }
      await search('typescript', {}, ...args)
      expect(readFileSync(out, 'utf8')).toBe(text)
      const bought = cursors().filter((cursor, index, all) => index === 0 || cursor !== all[index - 1])
      expect(bought).toEqual(pages)
      expect(kills).toBe(times)
      expect(besides(out)).toEqual(['.state.json'])
    },
    120_000,
  )

  it('cuts a torn last line', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    await search('typescript', {}, '--max-pages', '2', '--out', out)
    appendFileSync(out, '{"id":"1","bo')
    expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
  })

  it('buys nothing after the last page', async () => {
    const out = newFile()
    await search('typescript', {}, '--all', '--out', out)
    const before = server.requests.length
    const { code } = await search('typescript', {}, '--all', '--out', out, '--resume')
    expect([code, server.requests.length]).toEqual([0, before])
  })

  it('continues after a budget, which covers all runs together', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const first = await search('typescript', {}, '--all', '--budget', '5', '--out', out)
    expect([first.code, server.requests.length]).toEqual([5, 2])
    expect(first.err).toContain('--resume')
    expect(text.startsWith(readFileSync(out, 'utf8'))).toBe(true)
    expect((await search('typescript', {}, '--all', '--budget', '5', '--out', out, '--resume')).code).toBe(5)
    expect(server.requests).toHaveLength(2)
    expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
  })

  it('keeps its budget over all runs, also if they lose answers or are killed at any moment', async () => {
    const out = newFile()
    const args = ['--all', '--count', '5', '--budget', '50', '--out', out, '--resume']
    const stored = (): number =>
      existsSync(`${out}.state.json`)
        ? (JSON.parse(readFileSync(`${out}.state.json`, 'utf8')) as { credits: number }).credits
        : 0
    let code: number | null = null
    for (let runs = 0; runs < 50 && code !== 5; runs++) {
      const before = server.requests.length
      const isKilled = runs % 3 > 0
      if (!isKilled) server.inject({ reset: 'after', skip: 1 })
      const during = (child: ChildProcess): void => {
        const pages = Math.floor(Math.random() * 3)
        const timer = setInterval(() => {
          if (server.requests.length < before + pages) return
          clearInterval(timer)
          setTimeout(() => child.kill('SIGKILL'), Math.random() * (pages === 0 ? 150 : 20))
        }, 1)
        child.on('close', () => clearInterval(timer))
      }
      const options = isKilled ? { during } : {}
      ;({ code } = await search('typescript', options, ...args))
      expect(server.ledger.spent).toBeLessThanOrEqual(stored())
      expect(stored()).toBeLessThanOrEqual(50)
    }
    expect([code, stored()]).toEqual([5, 50])
  })

  it('finishes and writes the page under way on Ctrl-C, and says how to continue', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const { code, err } = await search(
      'typescript',
      {
        during(child) {
          const timer = setInterval(() => {
            if (server.requests.length < 3) return
            clearInterval(timer)
            child.kill('SIGINT')
          }, 1)
        },
      },
      '--all',
      '--out',
      out,
    )
    expect(code).toBe(130)
    expect(err).toContain('To continue: the same command with --resume')
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n').length
    expect(lines).toBe(20 * server.requests.filter(({ charged }) => charged > 0).length)
    expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
  })

  it('says how to continue without a file, too', async () => {
    const { text } = await undisturbed()
    const first = await search('typescript', {}, '--all', '--budget', '5')
    const next = /--params '(.*)'/.exec(first.err)?.[1] ?? ''
    const rest = await run(
      command,
      ['microblog', 'search', '--all', '--yes', '--per-minute', 'off', '--params', next],
      { env: environment() },
    )
    expect(first.out + rest.out).toBe(text)
  })

  it('says how to continue with the rest of a limit', async () => {
    server.inject({ status: 403, skip: 1 })
    const { code, out, err } = await search('typescript', {}, '--limit', '30')
    expect([code, out.trimEnd().split('\n').length]).toEqual([3, 20])
    expect(err).toMatch(/To continue: .* --limit 10 --params '/)
  })

  it.each<[string, (out: string) => void, string[], string]>([
    ['the state of another query', () => {}, ['coffee', '--resume'], 'another job: params differs'],
    ['other fields', () => {}, ['typescript', '--resume', '--fields', 'id'], 'fields differs'],
    ['an output that exists', () => {}, ['typescript'], 'pass --resume'],
    ['a missing state', (out) => rmSync(`${out}.state.json`), ['typescript', '--resume'], 'is missing'],
    [
      'an invalid state',
      (out) => writeFileSync(`${out}.state.json`, '[]'),
      ['typescript', '--resume'],
      'not the state',
    ],
    [
      'an output that was shortened',
      (out) => truncateSync(out, 10),
      ['typescript', '--resume'],
      'something else has changed it',
    ],
  ])('refuses %s, and buys nothing', async (_, change, [query = '', ...args], message) => {
    const out = newFile()
    await search('typescript', {}, '--out', out)
    change(out)
    const before = [server.requests.length, readFileSync(out, 'utf8')]
    const { code, err } = await search(query, {}, '--all', '--out', out, ...args)
    expect(err).toContain(message)
    expect([code, server.requests.length, readFileSync(out, 'utf8')]).toEqual([2, ...before])
  })
})

describe('--out', () => {
  it('buys no page that the disk has no room for, and goes on when it has', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const limited = join(command.folder, 'limited.sh')
    // The first page fits, and the space for the next one does not.
    writeFileSync(limited, `ulimit -f 300; exec '${process.execPath}' '${command.file}' "$@"`)
    const args = ['microblog', 'search', 'typescript', '--per-minute', 'off', '--all', '--yes', '--out', out]
    await search('typescript', {}, '--max-pages', '2', '--out', out)
    const full = await run({ folder: command.folder, file: limited }, args.concat('--resume'), {
      env: environment(),
      program: '/bin/sh',
    })
    expect([full.code, server.requests.length]).toEqual([1, 2])
    expect(full.err).toContain('EFBIG')
    expect(full.err).toContain('To continue: the same command with --resume')
    expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
    expect(besides(out)).toEqual(['.state.json'])
  })

  it('pays once when two commands start at once, also with --resume and through links', async () => {
    const { pages } = await undisturbed()
    for (let round = 0; round < 8; round++) {
      ;(server.requests as unknown[]).length = 0
      const out = newFile()
      const link = `${out}.link.jsonl`
      symlinkSync(out, link)
      server.inject({ delay: 1500 })
      const pids: (number | undefined)[] = []
      const options = { during: (child: ChildProcess) => void pids.push(child.pid) }
      const args = round % 2 === 0 ? ['--all'] : ['--all', '--resume']
      const both = await Promise.all(
        [out, link].map((path) => search('typescript', options, ...args, '--out', path)),
      )
      expect(both.map(({ code }) => code).sort()).toEqual([0, 2])
      const refused = both.findIndex(({ code }) => code === 2)
      expect(both[refused]?.err).toContain(`${out} is in use by process ${pids[1 - refused]}`)
      expect(cursors()).toEqual(pages)
    }
  }, 120_000)

  it.skipIf(!existsSync('/proc/self/stat'))(
    'is free at once when its process was killed, also if its pid belongs to another process now',
    async () => {
      const { text } = await undisturbed()
      const out = newFile()
      server.inject({ delay: 60_000 })
      const during = (child: ChildProcess): void => {
        const timer = setInterval(() => {
          if (server.requests.length === 0) return
          clearInterval(timer)
          child.kill('SIGKILL')
        }, 1)
      }
      await search('typescript', { during }, '--all', '--out', out)
      const lock = `${out}.lock`
      for (const name of readdirSync(lock))
        renameSync(join(lock, name), join(lock, name.replace(/^\d+/, String(process.pid))))
      expect(readdirSync(lock)).not.toEqual([])
      expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
      expect(readFileSync(out, 'utf8')).toBe(text)
      expect(besides(out)).toEqual(['.state.json'])
    },
  )

  it('creates the target of a dangling link, and keeps the link', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const link = `${out}.link.jsonl`
    symlinkSync(basename(out), link)
    expect((await search('typescript', {}, '--max-pages', '1', '--out', link)).code).toBe(0)
    expect((await search('typescript', {}, '--all', '--out', link, '--resume')).code).toBe(0)
    expect([readlinkSync(link), readFileSync(out, 'utf8')]).toEqual([basename(out), text])
    expect(existsSync(`${link}.state.json`)).toBe(false)
  })

  it('leaves the files of a user as they are, whatever their names', async () => {
    const out = newFile()
    const own = newFile('txt')
    writeFileSync(own, 'own')
    for (const name of ['.reserve', '.state.json.tmp']) symlinkSync(own, out + name)
    expect((await search('typescript', {}, '--all', '--out', out)).code).toBe(0)
    expect(besides(out).sort()).toEqual(['.reserve', '.state.json', '.state.json.tmp'])
    expect(readFileSync(own, 'utf8')).toBe('own')
    const other = newFile()
    writeFileSync(`${other}.lock`, 'own')
    const before = server.requests.length
    const { code, err } = await search('typescript', {}, '--out', other)
    expect([code, err, server.requests.length]).toEqual([2, expect.stringContaining('.lock'), before])
    expect(readFileSync(`${other}.lock`, 'utf8')).toBe('own')
  })

  it('fails before it buys if the file cannot be written, and leaves nothing behind', async () => {
    const { code, err } = await search(
      'typescript',
      {},
      '--all',
      '--out',
      join(command.folder, 'none/posts.jsonl'),
    )
    expect([code, server.requests.length]).toEqual([2, 0])
    expect(err).toContain('does not exist')
  })

  it('makes no file for an invalid --budget', async () => {
    const out = newFile()
    expect((await search('typescript', {}, '--out', out, '--budget', '-1')).code).toBe(2)
    expect([existsSync(out), besides(out)]).toEqual([false, []])
  })
})
