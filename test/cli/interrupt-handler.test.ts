import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CommandError } from '../../src/cli/command-errors.ts'
import { InterruptHandler } from '../../src/cli/interrupt-handler.ts'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox, sandboxFlag } from '../support/sandbox.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { failed } from '../support/command-line.ts'
import { rowsOf } from '../support/posts-database.ts'
import { sandbox, social, useCommand } from './command.ts'

const foreign = new Set(process.listeners('SIGINT'))
let interrupt: InterruptHandler
beforeEach(() => (interrupt = new InterruptHandler()))
afterEach(() => interrupt.end())

/** What Ctrl-C does, for this package's handlers alone. */
function pressCtrlC(): void {
  for (const listener of process.listeners('SIGINT')) if (!foreign.has(listener)) listener('SIGINT')
}

/** A search during whose first request Ctrl-C is pressed so often. */
function search(presses: number, retryAfter: number | null) {
  const sandbox = createSandbox()
  if (retryAfter !== null) sandbox.inject({ status: 429, retryAfter })
  const client = new SocialSearch({
    ...sandbox.clientOptions(),
    observers: [interrupt.observer],
    fetch: interrupt.watch((request) => {
      for (let press = 0; press < presses; press++) pressCtrlC()
      return sandbox.fetch(request)
    }),
  })
  return { sandbox, page: client.microblog.search({ query: 'coffee' }, { signal: interrupt.signal }) }
}

describe('Ctrl-C during --sandbox', () => {
  useCommand()

  it('ends the job after the page under way', async () => {
    const run = social(`search coffee --all ${sandboxFlag} --out x.db`)
    // A signal is heard when the event loop turns.
    const pages = () => (existsSync('x.db') ? rowsOf('x.db', 'SELECT id FROM microblog_posts').length : 0)
    const wait = (): void => {
      if (pages() > 0) pressCtrlC()
      else setImmediate(wait)
    }
    wait()
    expect(await run).toMatchObject(failed(130, 'To continue: the same command with --resume'))
    expect(pages() % 20).toBe(0)
  })
})

describe('Ctrl-C during a request', () => {
  useCommand()

  beforeEach(() => {
    vi.stubGlobal('fetch', (...request: ConstructorParameters<typeof Request>) => {
      pressCtrlC()
      return sandbox.fetch(new Request(...request))
    })
  })

  it.each([
    ['search coffee', 4],
    ['watch coffee --once', 4],
  ])('loses no paid response that is invalid: %s', async (line, code) => {
    sandbox.inject({ body: { requestId: 'r', posts: [{ id: 'paid' }], meta: {} }, status: 200 })
    expect(await social(line)).toMatchObject(failed(code, '"id":"paid"'))
  })

  it.each([
    'search coffee --max-pages 1',
    'search coffee --limit 20',
    'search coffee --count 20 --out x.db',
    'mentions count',
    'watch coffee --once',
    'watch coffee --once --out w.db',
  ])('ends with 0 when the job was done with that page: %s', async (line) => {
    expect((await social(line)).code).toBe(0)
  })

  it.each(['search coffee --all --yes', 'watch coffee tea --once --out w.db'])(
    'ends with 130 when there was more to do: %s',
    async (line) => expect((await social(line)).code).toBe(130),
  )

  it.each([
    ['search coffee', 'charged'],
    ['watch coffee --once', 'charged'],
    ['mentions set-state men_1 --params {"state":"done"}', 'applied'],
  ])('ends with 6 when the response is lost: %s', async (line, effect) => {
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', sandbox.writeKey)
    sandbox.inject({ reset: 'after' })
    const run = await social(line)
    expect(run).toMatchObject(
      failed(
        6,
        effect === 'applied' ? 'The change may have been applied' : 'You may have been charged 2 credits',
      ),
    )
    expect(run.err).not.toContain('stopped')
  })
})

describe('Ctrl-C', () => {
  it('ends the job at once when the request under way has failed, without waiting for a retry', async () => {
    const { sandbox, page } = search(1, 1)
    await expect(page).rejects.toThrow('stopped; everything you paid for is printed or saved')
    expect([sandbox.requests.length, sandbox.ledger.spent]).toEqual([1, 0])
  })

  it('lets a page under way be read and written, and then ends the job', async () => {
    const { page } = search(1, null)
    expect((await page).posts).toHaveLength(20)
    expect(interrupt.signal.aborted).toBe(false)
    interrupt.pageIsRead()
    expect(interrupt.signal.reason).toBeInstanceOf(CommandError)
  })

  it('ends the job at once when it is pressed twice, and says that the page may have been charged', async () => {
    const { page } = search(2, null)
    await expect(page).rejects.toThrow('the page under way is not saved, and may have been charged')
  })

  it('ends the job at once when no request is under way', async () => {
    useVirtualTime()
    await settle(search(0, 0).page).finally(() => vi.useRealTimers())
    interrupt.pageIsRead()
    pressCtrlC()
    expect(interrupt.signal.reason).toBeInstanceOf(CommandError)
  })

  it('is left to the process when the job has ended', () => {
    interrupt.end()
    pressCtrlC()
    expect(interrupt.signal.aborted).toBe(false)
  })
})

describe('InterruptHandler.now', () => {
  it('is the time at the service, whatever the clock of this machine shows', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2028, 0, 1) })
    expect(interrupt.now).toBe(Date.UTC(2028, 0, 1))
    const date = 'Sat, 28 Nov 2026 12:00:00 GMT'
    await interrupt.watch(() => Promise.resolve(new Response('', { headers: { date } })))(
      new Request('https://a.example'),
    )
    vi.setSystemTime(Date.UTC(2028, 0, 1, 1))
    expect(new Date(interrupt.now).toISOString()).toBe('2026-11-28T13:00:00.000Z')
    vi.useRealTimers()
  })
})
