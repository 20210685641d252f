import { afterEach, expect, it, vi } from 'vitest'
import { parseTime, sleep } from '../../src/lib/time.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

it('sleep() resolves, and leaves no listener, when its time has passed before it could wait', async () => {
  const { signal } = new AbortController()
  const listeners = new Set<unknown>()
  vi.spyOn(signal, 'addEventListener').mockImplementation((_, listener) => void listeners.add(listener))
  vi.spyOn(signal, 'removeEventListener').mockImplementation((_, listener) => void listeners.delete(listener))
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 5))
  await sleep(1, signal)
  expect(listeners.size).toBe(0)
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
