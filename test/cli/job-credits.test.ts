import fc from '../support/chance.ts'
import { existsSync, linkSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { exitCodes } from '../../src/cli/command-errors.ts'
import type { Fault } from '../support/sandbox.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { recordsOf } from '../support/command-line.ts'
import { allOf, change, posts, rowsOf } from '../support/posts-database.ts'
import { between, handlersOf, press, publishPost, sandbox, social, startAnew, useCommand } from './command.ts'

useCommand()

/** Runs when a request leaves, and when its answer is there. */
let onSend: () => void
let onAnswer: () => void

/** Starts a job that shares nothing with others. */
function start(): void {
  startAnew()
  // No folder.
  vi.stubEnv('XDG_STATE_HOME', '/dev/null')
  onSend = onAnswer = () => {}
  between(async (send) => {
    onSend()
    const response = await send()
    onAnswer()
    return response
  })
}
beforeEach(() => {
  useVirtualTime()
  start()
})
afterEach(() => void vi.useRealTimers())

/** Runs the job, or another one. */
async function ran(flags = '', line = 'search coffee --all --resume') {
  return (await settle(social(`${line} --per-minute off --yes --out job.db ${flags}`))).value!
}
const run = async (flags?: string, line?: string) => (await ran(flags, line)).code

/** What the file says of the job: how far it is, and what its calls have cost, or may have. */
function state(): { readonly records: number; readonly credits: number; readonly next: unknown } {
  const paid = '(SELECT ifnull(sum(credits + uncertain), 0) FROM social_search_purchases) AS paid'
  const [row] = existsSync('job.db')
    ? allOf('job.db', `SELECT state, ${paid} FROM social_search_searches`)
    : []
  type State = { next: unknown; records: number; credits: number; paid: number }
  const { next = {}, records = 0, credits = 0, paid: then = 0 } = parsed(row?.['state']) as Partial<State>
  return { next, records, credits: credits + Number(row?.['paid'] ?? 0) - then }
}

const parsed = (text: unknown): object => JSON.parse((text as string | null | undefined) ?? '{}') as object

/** The files of the job that stay after a kill. */
const files = () => readdirSync('.').filter((name) => name.startsWith('job.db') && !name.endsWith('.lock'))

/** What befalls the file of a job. It can still be read as `kept.db`. */
const misfortunes = {
  moved: () => renameSync('job.db', 'kept.db'),
  'moved with its log'() {
    for (const name of files()) renameSync(name, name.replace('job', 'kept'))
  },
  removed() {
    linkSync('job.db', 'kept.db')
    for (const name of files()) rmSync(name)
  },
  replaced() {
    misfortunes.moved()
    writeFileSync('job.db', '')
  },
}
const lines = { search: 'search coffee --all --resume', watch: 'watch coffee --min-interval 1' }

describe.each(Object.entries(lines))('a %s whose file is gone', (_, line) => {
  it.each(Object.entries(misfortunes))(
    'ends before it pays for another page, and loses none that it has paid for: %s',
    async (_, happen) => {
      for (const isSent of [true, false]) {
        start()
        onSend = () => {
          if (sandbox.requests.length !== 1) return
          const timestamp = new Date().toISOString()
          sandbox.publish({ microblog: posts(900, 920).map((post) => ({ ...post, timestamp })) })
          if (isSent) happen()
          else onAnswer = happen
        }
        const { code, err } = await ran('', line)
        expect([code, err]).toEqual([1, expect.stringContaining('was moved, removed or replaced')])
        const printed = recordsOf(err.match(/^\{.*/gm)?.join('\n') ?? '')
        const stored = allOf('kept.db', 'SELECT id FROM microblog_posts')
        expect([sandbox.requests.length, stored.length]).toEqual([2, 20])
        expect(new Set([...stored, ...printed].map(({ id }) => id)).size).toBe(40)
        const [costs] = allOf('kept.db', 'SELECT credits, uncertain FROM social_search_spent')
        expect(costs).toEqual({ credits: 2, uncertain: 2 })
        expect(existsSync('job.db')).toBe(happen === misfortunes.replaced)
      }
    },
  )
})

describe.each([
  ['search', 'search coffee --max-pages 2 --resume'],
  ['watch', 'watch coffee tea --once'],
])('a %s whose file another program locks', (_, line) => {
  /** Locks the file, for so many milliseconds. */
  function lock(ms: number): void {
    const other = new DatabaseSync('job.db')
    other.exec('BEGIN IMMEDIATE')
    const requests = sandbox.requests.length
    // The longest pauses.
    vi.spyOn(Math, 'random').mockReturnValue(1)
    setTimeout(() => {
      expect(sandbox.requests).toHaveLength(requests)
      other.close()
    }, ms)
  }

  it('waits, pays for nothing meanwhile, and for nothing twice', async () => {
    onAnswer = () => {
      if (sandbox.requests.length === 1) lock(60_000)
    }
    const err: unknown = expect.stringMatching(/is locked by another program; waiting[^]* 4 credits/)
    expect(await ran('', line)).toMatchObject({ code: 0, err })
    expect(sandbox.requests).toHaveLength(2)
    expect(rowsOf('job.db', 'SELECT id FROM microblog_posts')).toHaveLength(40)
  })

  it('prints the page that it cannot store when it is to end', async () => {
    onAnswer = () => {
      lock(60_000)
      press('SIGTERM')
    }
    const { code, err } = await ran('', line)
    expect([code, err]).toEqual([1, expect.stringContaining('another program has locked it')])
    expect([err.match(/^\{"id":/gm)?.length, sandbox.requests.length]).toEqual([20, 1])
  })
})

describe('--budget of a job', () => {
  it('has the highest cost of a page in the state while the page is under way, and afterwards its real cost', async () => {
    const url = publishPost(120)
    let underWay = 0
    onSend = () => (underWay = state().credits)
    // A finished job buys nothing, also without pages.
    for (let runs = 0; runs < 2; runs++) {
      expect(await run('', `comments ${url} --max-comments 150 --resume`)).toBe(0)
      expect([underWay, state().credits, sandbox.ledger.spent]).toEqual([150, 120, 120])
    }
  })

  it('fits the reactions of --expect, on all pages of all runs', async () => {
    const params = JSON.stringify({ postUrl: publishPost(0, 50), count: 20 })
    for (const flags of ['--max-pages 1', '--all'])
      expect(await run(flags, `reactions --params '${params}' --expect 50 --budget 50 --resume`)).toBe(0)
    expect(state()).toMatchObject({ next: null, credits: 50 })
    expect(sandbox.ledger.spent).toBe(50)
  })

  it.each<[string, Fault]>([
    ['that the service refuses', { status: 403 }],
    ['that is not sent', { status: 503, retryAfter: 3000 }],
  ])('does not count a request %s', async (_, fault) => {
    sandbox.inject(fault)
    expect(await run('--budget 2')).not.toBe(0)
    expect(state().credits).toBe(0)
    expect(await run('--budget 2')).toBe(exitCodes.budget)
    expect([sandbox.ledger.spent, state().credits]).toEqual([2, 2])
  })

  it('counts a page under way that a second Ctrl-C abandons', async () => {
    sandbox.inject({ delay: 5000 })
    onSend = () => {
      const [handle] = handlersOf('SIGINT')
      for (let presses = 0; presses < 2; presses++) handle?.('SIGINT')
    }
    expect(await run('--budget 2')).toBe(exitCodes.interrupted)
    expect(state().credits).toBe(2)
    onSend = () => {}
    expect(await run('--budget 2')).toBe(exitCodes.budget)
    expect(sandbox.ledger.spent).toBeLessThanOrEqual(2)
  })

  it('counts a page that a run without --resume has lost', async () => {
    expect(await run('', 'search coffee --max-pages 2')).toBe(0)
    const { next } = state()
    sandbox.inject({ reset: 'after' })
    expect(await run('', 'search coffee --max-pages 2')).not.toBe(0)
    expect(state()).toEqual({ next, records: 40, credits: 6 })
    expect(await run('--budget 8')).toBe(exitCodes.budget)
    expect(sandbox.ledger.spent).toBe(8)
  })

  it('begins anew in the state once a run without --resume has a page', async () => {
    await run('', 'search coffee --max-pages 3')
    sandbox.inject({ reset: 'after', skip: 1 })
    await run('', 'search coffee --max-pages 3')
    expect(state()).toMatchObject({ records: 20, credits: 4 })
  })

  it.each([
    ['rows of earlier jobs are deleted', 'DELETE FROM social_search_purchases WHERE number <= 3', 4],
    ['all rows are deleted', 'DELETE FROM social_search_purchases', 4],
    [
      'an earlier version has written the state',
      "UPDATE social_search_searches SET state = json_remove(state, '$.paid')",
      4,
    ],
  ])('counts what the job has cost when %s', async (_, sql, credits) => {
    await run('', 'search coffee --max-pages 3')
    await run('', 'search coffee --max-pages 2')
    change('job.db', sql)
    const { spent } = sandbox.ledger
    expect(await run(`--budget ${credits}`)).toBe(exitCodes.budget)
    expect(sandbox.ledger.spent).toBe(spent)
  })

  it.each([
    'DELETE FROM social_search_purchases',
    `UPDATE social_search_searches SET state = json_remove(state, '$.paid')`,
  ])('counts each page that is lost after %s', async (sql) => {
    await run('', 'search coffee --max-pages 5')
    change('job.db', sql)
    for (let times = 0; times < 3; times++) {
      sandbox.inject({ reset: 'after' })
      await run('--budget 12')
    }
    expect(sandbox.ledger.spent).toBe(12)
  })

  it.each([
    `json_remove(state, '$.next')`,
    `json_set(state, '$.credits', null)`,
    `json_set(state, '$.credits', -100)`,
  ])('is refused, and pays for nothing, when its state is %s', async (changed) => {
    await run('', 'search coffee --max-pages 2')
    change('job.db', `UPDATE social_search_searches SET state = ${changed}`)
    const { spent } = sandbox.ledger
    expect((await ran()).err).toContain('the state of a job cannot be read')
    expect(sandbox.ledger.spent).toBe(spent)
  })

  it('sends nothing if its cost cannot be stored', async () => {
    const fail = `CREATE TRIGGER fail BEFORE INSERT ON social_search_purchases BEGIN SELECT RAISE(ABORT, 'full'); END`
    onAnswer = () => {
      onAnswer = () => {}
      change('job.db', fail)
    }
    await run()
    expect(sandbox.requests).toHaveLength(1)
    expect(await run()).toBe(exitCodes.failed)
    expect(sandbox.requests).toHaveLength(1)
    // What could not be written has cost the most it may.
    expect(state().credits).toBe(2)
    change('job.db', 'DROP TRIGGER fail')
    expect(await run('--budget 4')).toBe(exitCodes.budget)
    expect([sandbox.ledger.spent, state().records]).toEqual([4, 40])
  })
})

const fault = fc.constantFrom<Fault>(
  ...(['after', 'before'] as const).map((reset) => ({ reset })),
  ...(['truncate', 'stall'] as const).map((cut) => ({ cut })),
  ...[400, 403, 429, 500, 502, 503].map((status) => ({ status })),
  ...[{ delay: 40_000 }, { status: 502, body: '<h1>Bad gateway</h1>' }],
  { body: { requestId: 'odd', posts: 'none' } },
)
/** The process dies at this request, before it arrives or after its answer. */
interface Kill {
  at: number
  isAnswered: boolean
}
const oneRun = fc.record({
  misfortune: fc.array(fc.record({ fault, skip: fc.nat(2) }), { maxLength: 2 }),
  kill: fc.option(fc.record<Kill>({ at: fc.integer({ min: 1, max: 3 }), isAnswered: fc.boolean() })),
})

it('a job keeps its budget, and stores each record that it counts once, through any sequence of failures and kills', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 14 }),
      fc.array(oneRun, { maxLength: 6 }),
      async (budget, runs) => {
        start()
        // Not asserted at once: the client would take an error of fetch for one of the network.
        const faults: string[] = []
        const check = (underWay = 0): void => {
          const { credits } = state()
          const least = sandbox.ledger.spent + underWay
          if (credits < least || credits > budget) faults.push(`${credits} is not from ${least} to ${budget}`)
        }
        const runOnce = async (kill: Kill | null): Promise<number | undefined> => {
          let requests = 0
          const life = { isOver: false, left: new Map<string, Buffer>() }
          const dieIf = (isDue: boolean): void => {
            if (isDue && kill?.at === requests) {
              life.isOver = true
              for (const file of files()) life.left.set(file, readFileSync(file))
            }
            if (life.isOver) throw new Error('the process is dead')
          }
          onSend = () => {
            requests++
            dieIf(false)
            check(2)
            dieIf(kill?.isAnswered === false)
          }
          onAnswer = () => {
            check()
            dieIf(kill?.isAnswered === true)
          }
          const code = await run(`--budget ${budget}`)
          if (life.isOver) for (const file of files()) rmSync(file)
          for (const [file, bytes] of life.left) writeFileSync(file, bytes)
          check()
          return code
        }
        for (const { misfortune, kill } of runs) {
          for (const { fault, skip } of misfortune) sandbox.inject({ ...fault, skip })
          await runOnce(kill)
        }
        // Some misfortune may be left.
        let code: number | undefined
        for (let run = 0; run < 20 && code !== exitCodes.budget; run++) code = await runOnce(null)
        expect(faults).toEqual([])
        expect(code).toBe(exitCodes.budget)
        expect(budget - state().credits).toBeLessThan(2)
        // Each record that the job counts is there, once.
        const rows = existsSync('job.db') ? rowsOf('job.db', 'SELECT id FROM microblog_posts') : []
        expect(rows).toHaveLength(state().records)
      },
    ),
    { numRuns: 25 },
  )
})
