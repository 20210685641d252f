import { describe, expect, it } from 'vitest'
import { type FailureKind, nextWait } from '../../../src/core/call/failure-table.ts'
import { type Effect, effectOf } from '../../../src/api/operation.ts'

const policy = { retriesUnknown: false, maxAttempts: Infinity, maxWaitMs: 60_000 }
const half = () => 0.5

/** Attempts that a call makes when every one fails alike. */
function attempts(kind: FailureKind, effect: Effect, options = policy): number {
  const failures = [{ kind, announced: null }]
  while (nextWait(failures, effect, options, half) !== null) failures.push({ kind, announced: null })
  return failures.length
}

describe('nextWait()', () => {
  it('retries like a read when retry.unknown is set', () => {
    expect(attempts('no-answer', 'metered', { ...policy, retriesUnknown: true })).toBe(3)
    expect(attempts('final', 'metered', { ...policy, retriesUnknown: true })).toBe(1)
  })

  it('doubles the backoff, from 0.5 s or from 1 s after a 429, and jitters all of it', () => {
    const waits = (kind: FailureKind) =>
      [1, 2, 3, 4].map((n) =>
        nextWait(
          Array.from({ length: n }, () => ({ kind, announced: null })),
          'read',
          policy,
          half,
        ),
      )
    expect(waits('rate-limited')).toEqual([500, 1000, 2000, 4000])
    expect(waits('unavailable').slice(0, 2)).toEqual([250, 500])
    expect(nextWait([{ kind: 'unavailable', announced: null }], 'read', policy, () => 0)).toBe(0)
  })

  it('adds jitter to an announced wait of zero, and to no other', () => {
    const wait = (announced: number) => nextWait([{ kind: 'rate-limited', announced }], 'read', policy, half)
    expect([wait(0), wait(1), wait(60_000), wait(60_001)]).toEqual([125, 1, 60_000, null])
  })
})

describe('effectOf()', () => {
  it('distinguishes reads, writes and paid calls', () => {
    const free = { kind: 'free' } as const
    expect(effectOf({ method: 'GET', price: free })).toBe('read')
    expect(effectOf({ method: 'PATCH', price: free })).toBe('write')
    expect(effectOf({ method: 'POST', price: { kind: 'perRequest', credits: 2, rate: null } })).toBe(
      'metered',
    )
  })
})
