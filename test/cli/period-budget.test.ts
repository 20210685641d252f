import { beforeEach, describe, expect, it, vi } from 'vitest'
import { failed } from '../support/command-line.ts'
import { sandbox, social, useCommand } from './command.ts'

useCommand()
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-24T22:30:00Z') })
  return () => void vi.useRealTimers()
})

const search = 'search coffee --per-minute off'

describe('--budget 4/day', () => {
  it('holds for all commands of the day in UTC, and the refusal says what to do', async () => {
    const runs = [await social(`${search} --budget 4/day`), await social(`posts coffee --budget 4/day`)]
    expect(runs.map(({ code }) => code)).toEqual([0, 5])
    expect(runs[1]?.err).toBe(
      'social-search: not sent: it may cost 4 credits, and --budget 4/day has 2 left until 2026-11-25 00:00 UTC; wait, or raise --budget\n',
    )
    expect((await social(`${search} --budget 4/day`)).code).toBe(0)
    expect((await social(`${search} --budget 4/day`)).code).toBe(5)
    vi.setSystemTime(new Date('2026-11-25T00:00:01Z'))
    expect((await social(`${search} --budget 4/day`)).code).toBe(0)
    expect(sandbox.ledger.spent).toBe(6)
  })

  it('is refused with another period', async () => {
    const message =
      '--budget must be credits, or credits a period such as 20/hour, 200/day or 6000/month, got 4/week'
    expect(await social(`${search} --budget 4/week`)).toMatchObject(failed(2, message))
  })
})
