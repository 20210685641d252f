import { describe, expect, it } from 'vitest'
import { judgeDay } from '../../../src/cli/database/describe.ts'

const time = { from: '2026-11-01T00:00:00Z', lastCheck: '2026-11-21T12:00:00Z', gaps: [] }
const days = (last: number, before: number) =>
  new Map(Array.from({ length: 20 }, (_, age) => [age, age === 0 ? last : before + (age % 3)]))

describe('judgeDay()', () => {
  it('calls a day unusual that no day before was like, and chance does not explain', () => {
    expect(judgeDay(days(11, 10), time)).toEqual({ records: 11, usual: 11, unusual: null })
    expect(judgeDay(days(15, 10), time)?.unusual).toBeNull()
    expect(judgeDay(days(40, 10), time)?.unusual).toBe('more')
    expect(judgeDay(days(0, 30), time)?.unusual).toBe('fewer')
  })

  it('does not call a day with a gap too quiet, and says nothing within the first week', () => {
    const gaps = [{ from: null, to: '2026-11-21T10:00:00Z' }]
    expect(judgeDay(days(0, 30), { ...time, gaps })?.unusual).toBeNull()
    expect(judgeDay(days(40, 10), { ...time, from: '2026-11-15T00:00:00Z' })).toBeNull()
  })
})
