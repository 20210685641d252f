import fc from '../support/chance.ts'
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { exitCodes } from '../../src/cli/command-errors.ts'
import { RecordDatabase } from '../../src/cli/database/record-database.ts'
import { type JobState, OperationJob } from '../../src/cli/operation-job.ts'
import { run } from '../../src/cli/run.ts'
import { microblogSearch } from '../../src/api/endpoints/microblog.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operationOf } from '../../src/api/operations.ts'
import { SocialSearch } from '../../src/index.ts'
import { type Fault, type Sandbox, createSandbox } from '../support/sandbox.ts'
import { settle, useVirtualTime } from '../support/clock.ts'
import { newFolder } from '../support/folder.ts'
import { allOf } from '../support/posts-database.ts'

let folder: string
beforeEach(() => {
  useVirtualTime()
  folder = newFolder()
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

let jobs = 0

/** A job of several runs, in this process, against a sandbox of its own. */
class Job {
  readonly sandbox: Sandbox = createSandbox({ limits: { perMinute: false } })
  readonly #name = `job-${++jobs}.`
  readonly out: string
  /** Runs when a request leaves, and when its answer is there. */
  onSend = (): void => {}
  onAnswer = (): void => {}

  constructor() {
    this.out = join(folder, `${this.#name}db`)
  }

  /** Runs the command; returns its exit code. */
  async run(
    flags: object = {},
    operation: Operation = microblogSearch,
    subject = 'coffee',
  ): Promise<number | undefined> {
    const { sandbox, out } = this
    // No folder: the job shares nothing with others.
    vi.stubEnv('XDG_STATE_HOME', '/dev/null')
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', sandbox.apiKey)
    vi.stubGlobal('fetch', async (...request: ConstructorParameters<typeof Request>) => {
      this.onSend()
      const response = await sandbox.fetch(new Request(...request))
      this.onAnswer()
      return response
    })
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', `https://run-${++jobs}.example/v1`)
    const shared = { perMinute: 'off', all: true, yes: true, resume: true, out, ...flags }
    return (await settle(run(new OperationJob(operation, subject, shared), shared))).value
  }

  get state(): JobState {
    const nothing = { next: {}, records: 0, credits: 0 }
    if (!existsSync(this.out)) return nothing
    const [row] = allOf(this.out, 'SELECT state FROM social_search_jobs')
    return row === undefined ? nothing : (JSON.parse(String(row['state'])) as JobState)
  }

  /** Its files that stay after a kill. */
  get files(): string[] {
    return readdirSync(folder)
      .filter((name) => name.startsWith(this.#name) && !name.endsWith('.lock'))
      .map((name) => join(folder, name))
  }
}

describe('--budget of a job', () => {
  it('has the highest cost of a page in the state while the page is under way, and afterwards its real cost', async () => {
    const job = new Job()
    const { professionalnet } = new SocialSearch(job.sandbox.clientOptions())
    const { value } = await settle(professionalnet.posts.search({ query: 'data' }).then(({ posts }) => posts))
    const comments = operationOf('professionalnet.posts.comments')
    const before = job.sandbox.ledger.spent
    let underWay = 0
    job.onSend = () => (underWay = job.state.credits)
    const url = value?.[0]?.share_url ?? ''
    await job.run({ all: false, maxComments: '150' }, comments, url)
    expect(underWay).toBe(150)
    expect(job.state.credits).toBe(job.sandbox.ledger.spent - before)
    // A finished job buys nothing, also without pages.
    expect(await job.run({ all: false, maxComments: '150' }, comments, url)).toBe(0)
    expect(job.state.credits).toBe(job.sandbox.ledger.spent - before)
  })

  it('fits the reactions of --expect, on all pages of all runs', async () => {
    const job = new Job()
    const client = new SocialSearch(job.sandbox.clientOptions())
    const { value: post } = await settle(
      client.professionalnet.posts
        .search({ query: 'data' })
        .then(({ posts }) => posts.find(({ social_details }) => social_details.numLikes > 40)),
    )
    const before = job.sandbox.ledger.spent
    const reactions = operationOf('professionalnet.posts.reactions')
    const total = String(post?.social_details.numLikes)
    const flags = {
      params: JSON.stringify({ postUrl: post?.share_url, count: 20 }),
      expect: total,
      budget: total,
    }
    expect(await job.run({ ...flags, all: false, maxPages: '1' }, reactions)).toBe(0)
    expect(await job.run(flags, reactions)).toBe(0)
    expect(job.state).toMatchObject({ next: null, credits: Number(total) })
    expect(job.sandbox.ledger.spent - before).toBe(Number(total))
  })

  it.each<[string, Fault]>([
    ['that the service refuses', { status: 403 }],
    ['that is not sent', { status: 503, retryAfter: 3000 }],
  ])('does not count a request %s', async (_, fault) => {
    const job = new Job()
    job.sandbox.inject(fault)
    expect(await job.run({ budget: '2' })).not.toBe(0)
    expect(job.state.credits).toBe(0)
    expect(await job.run({ budget: '2' })).toBe(exitCodes.budget)
    expect([job.sandbox.ledger.spent, job.state.credits]).toEqual([2, 2])
  })

  it('knows that a page was charged whose answer is invalid', async () => {
    const job = new Job()
    job.sandbox.inject({ body: { requestId: 'r', posts: [{ id: 'paid' }], meta: {} }, status: 200 })
    await job.run()
    const costs =
      'SELECT credits, uncertain, last_look FROM social_search_spent JOIN social_search_searches USING (search)'
    expect(allOf(job.out, costs)).toEqual([{ credits: 2, uncertain: 0, last_look: null }])
  })

  it('buys nothing more when its file was moved, and shows the page that has no file', async () => {
    const job = new Job()
    job.onAnswer = () => {
      if (job.sandbox.requests.length === 2) renameSync(job.out, `${job.out}.old`)
    }
    expect(await job.run()).toBe(exitCodes.failed)
    expect(job.sandbox.requests).toHaveLength(2)
    const said = vi
      .mocked(process.stderr.write)
      .mock.calls.map(([text]) => String(text))
      .join('')
    expect(said).toContain('was moved, removed or replaced while this run wrote to it')
    expect(said.match(/^\{"id":/gm)).toHaveLength(20)
  })

  it('counts a page under way that a second Ctrl-C abandons', async () => {
    const job = new Job()
    job.sandbox.inject({ delay: 5000 })
    const before = new Set(process.listeners('SIGINT'))
    job.onSend = () => {
      for (const listener of process.listeners('SIGINT'))
        if (!before.has(listener)) for (let press = 0; press < 2; press++) listener('SIGINT')
    }
    expect(await job.run({ budget: '2' })).toBe(exitCodes.interrupted)
    expect(job.state.credits).toBe(2)
    job.onSend = () => {}
    expect(await job.run({ budget: '2' })).toBe(exitCodes.budget)
    expect(job.sandbox.ledger.spent).toBeLessThanOrEqual(2)
  })

  it('sends nothing if the state cannot be stored', async () => {
    const job = new Job()
    const write = vi.spyOn(RecordDatabase.prototype, 'store')
    job.onAnswer = () => {
      job.onAnswer = () => {}
      write.mockImplementation(() => {
        throw new Error('ENOSPC')
      })
    }
    await job.run({ maxPages: '1', all: false })
    const { length } = job.sandbox.requests
    expect(await job.run()).toBe(exitCodes.failed)
    expect(job.sandbox.requests).toHaveLength(length)
    // The page that could not be written is counted.
    expect(job.state.credits).toBe(2)
    write.mockRestore()
    expect(await job.run({ budget: '4' })).toBe(exitCodes.budget)
    expect([job.sandbox.ledger.spent, job.state.records]).toEqual([4, 20])
  })
})

const fault = fc.constantFrom<Fault>(
  ...([
    { reset: 'after' },
    { reset: 'before' },
    { cut: 'truncate' },
    { cut: 'stall' },
    { delay: 40_000 },
  ] as const),
  ...[400, 403, 429, 500, 502, 503].map((status) => ({ status })),
  ...[{ status: 502, body: '<h1>Bad gateway</h1>' }, { body: { requestId: 'odd', posts: 'none' } }],
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

it('--budget of a job holds over any sequence of failures and kills, and the state never has less than was charged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 14 }),
      fc.array(oneRun, { maxLength: 6 }),
      async (budget, runs) => {
        const job = new Job()
        const { sandbox } = job
        // Not asserted at once: the client would take an error of fetch for one of the network.
        const faults: string[] = []
        const check = (underWay = 0): void => {
          const { credits } = job.state
          const least = sandbox.ledger.spent + underWay
          if (credits < least || credits > budget) faults.push(`${credits} is not from ${least} to ${budget}`)
        }
        const runOnce = async (kill: Kill | null): Promise<number | undefined> => {
          let requests = 0
          const life = { isOver: false, left: new Map<string, Buffer>() }
          const dieIf = (isDue: boolean): void => {
            if (isDue && kill?.at === requests) {
              life.isOver = true
              for (const file of job.files) life.left.set(file, readFileSync(file))
            }
            if (life.isOver) throw new Error('the process is dead')
          }
          job.onSend = () => {
            requests++
            dieIf(false)
            check(2)
            dieIf(kill?.isAnswered === false)
          }
          job.onAnswer = () => {
            check()
            dieIf(kill?.isAnswered === true)
          }
          const code = await job.run({ budget: String(budget) })
          if (life.isOver) for (const file of job.files) rmSync(file)
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
        expect(budget - job.state.credits).toBeLessThan(2)
      },
    ),
    { numRuns: 25 },
  )
})
