import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ClientOptions, CreditBudget, type LogFields, SocialSearch } from '../../../src/index.ts'
import { pass, settle } from '../../support/clock.ts'
import { miscounts } from '../../support/ledger.ts'
import { createSandbox } from '../../support/sandbox.ts'
import { query } from '../../support/search.ts'
import {
  type Step,
  failure,
  hang,
  makeClient,
  ok,
  rateLimited,
  unreachable,
  virtualService,
} from '../../support/service.ts'

const service = virtualService()
const stderr = vi.spyOn(console, 'warn')
afterEach(() => void stderr.mockReset())

/** A logger of the level `info`, as an operator has it. */
function infoLog() {
  const lines: (LogFields & { message: string })[] = []
  const write = (message: string, fields: LogFields) => void lines.push({ ...fields, message })
  return { lines, logger: { info: write, warn: write, error: write } }
}

describe('the log at the level info', () => {
  it('alone says what 30 minutes of 429 storms and lost answers have cost, and why', async () => {
    const sandbox = createSandbox()
    const { lines, logger } = infoLog()
    const budget = new CreditBudget(50)
    const client = new SocialSearch({ ...sandbox.clientOptions(), logger, budget })
    const errors: unknown[] = []
    for (let at = 0; at < 30; at++) {
      if (at % 3 === 0) sandbox.inject({ status: 429, retryAfter: 3, times: 3 })
      if (at % 4 === 1) sandbox.inject({ reset: 'after' })
      if (at % 7 === 2) sandbox.inject({ cut: 'truncate' })
      if (at % 9 === 4) sandbox.inject({ status: 503 })
      const { error } = await settle(client.microblog.search({ query: `coffee ${at % 5}` }))
      if (error !== undefined) errors.push(error)
      await pass(60_000)
    }

    const sum = (name: 'spent' | 'uncertain', some = lines) =>
      some.reduce((sum, line) => sum + Number(line[name] ?? 0), 0)
    const { spent, uncertain } = client.credits
    expect([sum('spent'), sum('uncertain')]).toEqual([spent, uncertain])
    expect(Math.min(spent, uncertain)).toBeGreaterThan(0)
    expect(budget.remaining).toBe(50 - spent - uncertain)
    expect(miscounts({ spent, uncertain }, sandbox.ledger.spent)).toEqual([])

    // Why: what is uncertain was lost, and what was paid for in vain has a code.
    const reasons = new Set(lines.filter((line) => Number(line['uncertain']) > 0).map(({ code }) => code))
    expect([...reasons]).toEqual(['connection'])
    const storm = lines.filter(({ status }) => status === 429)
    expect(storm.length).toBe(sandbox.requests.filter(({ status }) => status === 429).length)
    for (const line of storm)
      expect(line).toMatchObject({
        ...{ message: 'failed, retrying', operation: 'microblog.search', code: 'rate_limited' },
        ...{ charged: 'no', spent: 0, uncertain: 0, waitMs: 3000, requestId: expect.any(String) as string },
      })
    // A call is found by the id that its error has.
    for (const { callId, credits } of errors as { callId: number; credits: object }[]) {
      const own = lines.filter((line) => line['callId'] === callId)
      expect({ spent: sum('spent', own), uncertain: sum('uncertain', own) }).toMatchObject(credits)
    }
  })

  it('has one id of a call in its lines, its events and its error', async () => {
    const { lines, logger } = infoLog()
    const ids: number[] = []
    const note = ({ id }: { id: number }) => void ids.push(id)
    service.script(failure(503, 'unavailable'), unreachable)
    const observers = [{ onWait: note, onAttempt: note, onCall: note }]
    const { error } = await service.search({ logger, observers })
    expect(
      new Set([(error as { callId: number }).callId, ...ids, ...lines.map((line) => line['callId'])]).size,
    ).toBe(1)
    expect(lines).toHaveLength(2)
  })
})

describe('logger', () => {
  it('gets each attempt with its requestId', async () => {
    const { lines, logger } = infoLog()
    service.script(failure(502, 'upstream_error'), ok())
    await service.search({ logger: { ...logger, debug: logger.info } })
    const sending = { message: 'sending' }
    const retrying = {
      ...{ message: 'failed, retrying', operation: 'microblog.search', attempt: 1, status: 502 },
      ...{ code: 'upstream_error', requestId: 'req_upstream_error', charged: 'no', spent: 0, uncertain: 0 },
      waitMs: expect.any(Number) as number,
    }
    const answered = { message: 'answered', requestId: 'req_1', status: 200, charged: 'yes', spent: 2 }
    expect(lines).toMatchObject([sending, retrying, sending, answered])
  })

  it('gets the fields first if it is like pino, and the message first if it is like winston', async () => {
    const info = vi.fn()
    const like = { info, level: 'info', child: vi.fn() }
    const fields: unknown = expect.objectContaining({ status: 200 })
    await service.script(() => ok()).search({ logger: like })
    expect(info).toHaveBeenLastCalledWith(fields, 'answered')
    await service.search({ logger: { ...like, ...{ log: vi.fn() } } })
    expect(info).toHaveBeenLastCalledWith('answered', fields)
  })

  it('warns of an attempt that may have been charged, and of a retry of it', async () => {
    service.script(unreachable)
    const warn = vi.fn()
    const unknown: unknown = expect.objectContaining({ charged: 'unknown' })
    await service.search({ logger: { warn } })
    expect(warn).toHaveBeenCalledExactlyOnceWith('failed', unknown)
    await service.search({ logger: { warn }, retry: { unknown: true } })
    expect(warn).toHaveBeenCalledWith('failed, retrying', unknown)
    // By default, the error alone tells of it.
    await service.search({ logger: undefined })
    expect(stderr).not.toHaveBeenCalled()
    stderr.mockReturnValue()
    await service.search({ logger: undefined, retry: { unknown: true } })
    expect(stderr).toHaveBeenCalledWith(expect.stringContaining('failed, retrying'))
  })
})

/** What a client writes about searches within some time, by default to stderr. */
async function written(steps: Step[], calls: number, ms: number, options: Partial<ClientOptions> = {}) {
  stderr.mockReturnValue()
  service.script(...steps)
  const client = makeClient({ logger: undefined, ...options })
  for (let made = 0; made < calls; made++) client.microblog.search(query).catch(() => {})
  await pass(ms)
  onTestFinished(() => client.close())
  return { client, lines: () => stderr.mock.calls.map(([line]) => String(line)) }
}

describe('console.warn()', () => {
  const answers: Step[] = [() => ok()]

  it('gets one line of a client that says why a call waits for more than 5 seconds, and until when', async () => {
    const { client, lines } = await written(answers, 22, 500)
    const line =
      /^social-search-sdk: a call waits for more than 5 seconds: this minute's requests are used up \(operation: microblog\.search, surface: microblog, reason: pace, until: 2026-11-20T00:01:\S+Z\)$/
    expect(lines()).toEqual([expect.stringMatching(line)])
    await pass(70_000)
    const other = client.withOptions({ timeout: 1000 })
    for (let made = 0; made < 30; made++) other.microblog.search(query).catch(() => {})
    await pass(20_000)
    expect(lines()).toHaveLength(1)
  })

  it('gets it when a call has been queued for 5 seconds and the end is unknown', async () => {
    const { lines } = await written([hang], 3, 4900)
    expect(lines()).toEqual([])
    await pass(400)
    expect(lines()).toEqual([expect.stringMatching(/ other requests are running .*reason: slot\)$/)])
  })

  const unavailable = failure(503, 'unavailable', { error: { retryAfter: 7 } })
  it.each<[string, Step, string]>([
    ['a 429 closes the surface', rateLimited(10), 'rate_limited, until: 2026-11-20T00:00:10'],
    ['a retry is due', unavailable, 'retry, until: 2026-11-20T00:00:07'],
  ])('gets it when %s in more than 5 seconds', async (_, first, end) => {
    const { lines } = await written([first, ...answers], 1, 300)
    expect(lines()).toEqual([expect.stringContaining(end)])
  })

  it.each<[string, Step[], Partial<ClientOptions>?]>([
    ['waits are shorter', [rateLimited(4), ...answers]],
    ['logger is false', answers, { logger: false }],
    ['another logger is given', answers, { logger: {} }],
    ['the client is one of a sandbox', answers, { ...createSandbox().clientOptions(), limits: {} }],
  ])('gets nothing when %s', async (_, steps, options) => {
    const { lines } = await written(steps, options === undefined ? 10 : 22, 10_000, options)
    expect(lines()).toEqual([])
  })
})
