import { existsSync, readdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../src/extensions/sandbox/index.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { sandboxFlag } from '../support/sandbox.ts'
import { failed } from '../support/command-line.ts'
import { change, rowsOf } from '../support/posts-database.ts'
import { between, handlersOf, inTurn, press, sandbox, social, useCommand } from './command.ts'

useCommand()
// A job that has ended leaves Ctrl-C to the process.
afterEach(() => expect(handlersOf('SIGINT')).toEqual([]))

it('Ctrl-C during --sandbox ends the job after the page under way', async () => {
  const run = social(`search coffee --all ${sandboxFlag} --out x.db`)
  // A signal is heard when the event loop turns.
  const pages = () => (existsSync('x.db') ? rowsOf('x.db', 'SELECT id FROM microblog_posts').length : 0)
  const wait = (): void => {
    if (pages() > 0) press()
    else setImmediate(wait)
  }
  wait()
  expect(await run).toMatchObject(failed(130, 'To continue: the same command with --resume'))
  expect(pages() % 20).toBe(0)
})

it('a command calls the global fetch itself, so what was lost before it was sent is free', async () => {
  const asked: unknown[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    asked.push(typeof url)
    return sandbox.fetch(new Request(url, init))
  })
  await social('search coffee')
  expect(asked).toEqual(['string'])
})

const kept = 'stopped; everything you paid for is printed or saved'

describe('Ctrl-C during a request', () => {
  let presses = 1
  beforeEach(() => {
    presses = 1
    between((send) => {
      for (let left = presses; left > 0; left--) press()
      return send()
    })
  })

  const invalid = { body: { requestId: 'r', posts: [{ id: 'paid' }], meta: {} }, status: 200 }
  const lost = { reset: 'after' } as const
  const change = 'mentions set-state men_1 --params {"state":"done"}'

  const done = [
    ...['search coffee --max-pages 1', 'search coffee --limit 20', 'search coffee --count 20 --out x.db'],
    ...['mentions count', 'watch coffee --once', 'watch coffee --once --out w.db'],
  ]
  const [search, watch, watches] = [
    'search coffee',
    'watch coffee --once',
    'watch coffee tea --once --out w.db',
  ]
  const maybe = 'You may have been charged 2 credits'

  it.each<[what: string, code: number, said: string, lines: string[], fault?: Fault]>([
    ['ends with 0 when the job was done with that page', 0, '', done],
    ['ends with 130 when there was more to do', 130, kept, [`${search} --all --yes`, watches]],
    ['ends the job without waiting for a retry', 130, kept, [search], { status: 429, retryAfter: 1 }],
    ['loses no paid response that is invalid', 4, '"id":"paid"', [search, watch], invalid],
    ['ends with 6 when the response is lost', 6, maybe, [search, watch, watches], lost],
    ['ends with 6 when a change may have been applied', 6, 'may have been applied', [change], lost],
  ])('%s', async (_, code, said, lines, fault) => {
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', sandbox.writeKey)
    for (const line of lines) {
      const { length } = sandbox.requests
      if (fault !== undefined) sandbox.inject(fault)
      const run = await social(line)
      expect([line, run.code, run.err]).toEqual([line, code, expect.stringContaining(said)])
      expect(sandbox.requests).toHaveLength(length + 1)
      if (code === 6) expect(run.err).not.toContain('stopped')
    }
  })

  it('ends the job at once when it is pressed twice, and says that the page may have been charged', async () => {
    presses = 2
    await inTurn([search, 130, 'the page under way is not saved, and may have been charged'])
  })
})

describe('Ctrl-C while another program has the file', () => {
  let other: DatabaseSync
  beforeEach(async () => {
    await social('search coffee --out p.db')
    // Without a log, readers and writers wait for each other.
    change('p.db', 'PRAGMA journal_mode = DELETE')
    other = new DatabaseSync('p.db')
    useVirtualTime()
    // The longest pauses.
    vi.spyOn(Math, 'random').mockReturnValue(1)
  })
  afterEach(() => {
    vi.useRealTimers()
    other.close()
  })

  const none = 'stopped; there is no new new.csv'
  const [writer, reader, all] = ['BEGIN IMMEDIATE', 'BEGIN; SELECT * FROM microblog_posts', 'BEGIN EXCLUSIVE']
  const forgetOld = 'watch coffee --once --keep 90d --budget 20 --out p.db'

  it.each<[line: string, lock: string, said: string]>([
    ['export p.db new.csv --new', writer, none],
    ['export p.db new.csv --new', reader, none],
    ['export p.db new.csv --new', all, none],
    ['export p.db new.csv', all, none],
    ['search coffee --resume --out p.db', writer, kept],
    ['search coffee --resume --out p.db', all, kept],
    [forgetOld, writer, kept],
    [forgetOld, all, kept],
  ])('ends %s, and changes nothing: %s', async (line, lock, said) => {
    const [{ length }, before] = [sandbox.requests, readdirSync('.')]
    other.exec(lock)
    setTimeout(press, 5000)
    const { value, ms } = await settle(social(line))
    expect([value?.code, value?.err]).toEqual([130, expect.stringContaining(said)])
    expect([ms, sandbox.requests.length, readdirSync('.')]).toEqual([5000, length, before])
    other.exec('ROLLBACK')
    expect(await settle(social('export p.db new.csv --new'))).toMatchObject({
      value: { code: 0, err: 'new.csv: 20 rows\n' },
    })
  })
})
