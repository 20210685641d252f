import { afterEach, expect, it, vi } from 'vitest'
import { within } from '../../src/lib/abort.ts'
import { durationText } from '../../src/lib/count.ts'
import { parseTime, sleep } from '../../src/lib/time.ts'
import { abortIn, settle, virtualTime } from '../support/clock.ts'
import { hang } from '../support/service.ts'

virtualTime()

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

it('within() takes what came in time when its process was stopped until later', async () => {
  const arriving = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 1300, 'in time'))
  const results = [arriving, hang].map((work) => within(1000, work, () => 'late'))
  // The process stands still for 5 s: a timer is due before it can read.
  const stopped = performance.now() + 5000
  vi.spyOn(performance, 'now').mockReturnValue(stopped)
  const { value } = await settle(Promise.all(results))
  vi.restoreAllMocks()
  expect(value).toEqual(['in time', 'late'])
})

it('within() does not call late() when it is left in the moment in which the time is up', async () => {
  const late = vi.fn()
  const reason = new Error('left')
  const result = within(100, hang, late, abortIn(100, reason))
  // At once, without a pause in which the result could settle.
  vi.advanceTimersByTime(100)
  await expect(result).rejects.toBe(reason)
  expect(late).not.toHaveBeenCalled()
})

it('within() aborts the work when it is left, with the reason', async () => {
  const work = vi.fn<(signal: AbortSignal) => Promise<never>>(hang)
  await settle(within(100, work, () => {}, abortIn(50, 'left')))
  expect(work.mock.lastCall?.[0].reason).toBe('left')
})

it.each([
  [0, '0 s'],
  [1001, '2 s'],
  [60_001, '1 min'],
  [119_000, '2 min'],
  [7_140_000, '1 h 59 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 days'],
])('durationText() writes %i milliseconds as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

it('sleep() resolves, and leaves no listener, when its time has passed before it could wait', async () => {
  const { signal } = new AbortController()
  const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 5))
  await settle(sleep(1, signal))
  expect(remove.mock.calls.map(([, listener]) => listener)).toEqual(
    add.mock.calls.map(([, listener]) => listener),
  )
})

it.each([
  ['2026-11-20T14:02:00Z', '2026-11-20T14:02:00.000Z'],
  ['2026-11-20T14:02:00', '2026-11-20T14:02:00.000Z'],
  ['2026-11-20T14:02:00.123456', '2026-11-20T14:02:00.123Z'],
  ['2026-11-20 14:02', '2026-11-20T14:02:00.000Z'],
  ['2026-11-20T14:02:00+09:00', '2026-11-20T05:02:00.000Z'],
  ['2026-11-20T14:02:00-0500', '2026-11-20T19:02:00.000Z'],
  ['2026-11-20T14:02:00+0000', '2026-11-20T14:02:00.000Z'],
  ['2026-11-20 14:02:00.123456+00', '2026-11-20T14:02:00.123Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2024-02-29T23:00:00-02', '2024-03-01T01:00:00.000Z'],
])('parseTime() reads %s the same in every time zone', (text, time) => {
  for (const zone of ['America/New_York', 'Asia/Kathmandu']) {
    vi.stubEnv('TZ', zone)
    expect(new Date(parseTime(text)).toISOString()).toBe(time)
  }
})

it.each([
  ...['2026-11-20 10:00 (tea)', 'Edited 3', '2w', '', '2026-13-20T10:00', undefined, null, 5],
  ...['2026-02-29', '2026-02-29T10:00:00Z', '1900-02-29', '2026-04-31 10:00', '2026-11-00', '2026-00-31'],
])('parseTime() takes %s for no time', (text) => {
  expect(parseTime(text)).toBeNaN()
})
