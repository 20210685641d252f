import { describe, expect, it } from 'vitest'
import { CreditBudget, type LogFields, type Observer, SocialSearch } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { createSandbox } from '../../support/sandbox.ts'

virtualTime()

interface Line extends LogFields {
  readonly message: string
}

/** A logger of the level `info`, as an operator has it. */
function infoLog() {
  const lines: Line[] = []
  const write = (message: string, fields: LogFields) => void lines.push({ ...fields, message })
  return { lines, logger: { info: write, warn: write, error: write } }
}

const minute = 60_000

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
      await settle(new Promise((resolve) => setTimeout(resolve, minute)))
    }

    const sum = (name: 'spent' | 'uncertain', some: readonly Line[] = lines) =>
      some.reduce((sum, line) => sum + Number(line[name] ?? 0), 0)
    const { spent, uncertain } = client.credits
    expect([sum('spent'), sum('uncertain')]).toEqual([spent, uncertain])
    expect([spent, uncertain].every((credits) => credits > 0)).toBe(true)
    expect(budget.remaining).toBe(50 - spent - uncertain)
    expect(sandbox.ledger.spent).toBeGreaterThanOrEqual(spent)
    expect(sandbox.ledger.spent).toBeLessThanOrEqual(spent + uncertain)

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
    for (const error of errors as { callId?: number; credits: { uncertain: number; spent: number } }[]) {
      const own = lines.filter(({ callId }) => callId === error.callId)
      expect([sum('spent', own), sum('uncertain', own)]).toEqual([
        error.credits.spent,
        error.credits.uncertain,
      ])
    }
  })

  it('warns of each failure that may have cost credits, and of no other', async () => {
    const sandbox = createSandbox()
    const { lines, logger } = infoLog()
    const warned: unknown[] = []
    const warn = (_: string, { code }: LogFields) => void warned.push(code)
    const client = new SocialSearch({ ...sandbox.clientOptions(), logger: { ...logger, warn } })
    sandbox.inject({ reset: 'after' })
    await settle(client.microblog.search({ query: 'coffee' }))
    sandbox.inject({ status: 200, body: 'not JSON' })
    await settle(client.microblog.search({ query: 'coffee' }))
    expect(warned).toEqual(['connection', 'invalid_response'])
    sandbox.inject({ status: 429, retryAfter: 1 })
    sandbox.inject({ reset: 'after' })
    await settle(client.mentions.count())
    await settle(client.microblog.search({ query: 'coffee' }))
    expect(warned).toHaveLength(2)
    expect(lines.map(({ code }) => code)).toEqual(['rate_limited', 'connection', undefined, undefined])
  })

  it('has one id of a call in its lines, its events and its error', async () => {
    const sandbox = createSandbox()
    const { lines, logger } = infoLog()
    const ids: number[] = []
    const note = ({ id }: { id: number }) => void ids.push(id)
    const observers: Observer[] = [{ onWait: note, onAttempt: note, onCall: note }]
    const client = new SocialSearch({ ...sandbox.clientOptions(), logger, observers })
    sandbox.inject({ status: 503 })
    sandbox.inject({ reset: 'after' })
    const { error } = await settle(client.microblog.search({ query: 'coffee' }))
    const { callId } = error as { callId: number }
    expect(new Set([callId, ...ids, ...lines.map((line) => line['callId'])]).size).toBe(1)
    expect(lines).toHaveLength(2)
  })
})
