import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RedisClock, correctTime, readTime } from '../../src/redis/clock.ts'
import { admin } from './workers.ts'

describe('the time of a script', () => {
  /** All times are in milliseconds from the clock of Redis. */
  async function timeOf(
    state: { time: number; shift?: number },
    known: readonly [epoch: string, least: number, most: number],
  ) {
    const script = `
      local state = KEYS[1]
      local time = redis.call('TIME')
      local clock = time[1] * 1000 + math.floor(time[2] / 1000)
      redis.call('HSET', state, 'epoch', 'current', 'time', clock + ARGV[4], 'shift', ARGV[5])
      ARGV[2], ARGV[3] = clock + ARGV[2], clock + ARGV[3]
      ${readTime}${correctTime}
      return { now - clock, redis.call('HGET', state, 'shift'), redis.call('HGET', state, 'time') - clock }`
    const reply = await admin.eval(script, 1, 'test:state', ...known, state.time, state.shift ?? 0)
    const [time, shift, kept] = (reply as unknown[]).map((ms) => Math.round(Number(ms) / 100) * 100)
    expect([shift, kept]).toEqual([time, time])
    return time
  }

  it.each([
    ['is the clock of Redis when it fits', { time: -5000 }, ['current', -40, 200], 0],
    ['stays shifted', { time: -9000, shift: -7000 }, ['current', -7040, -6800], -7000],
    [
      'passes as for the process when the clock jumps ahead',
      { time: -60_000 },
      ['current', -59_000, -58_800],
      -59_000,
    ],
    [
      'passes as for the process when the clock jumps back',
      { time: 60_000 },
      ['current', 61_000, 61_200],
      61_000,
    ],
    ['never goes back', { time: 500 }, ['current', 200, 900], 500],
    ['is the clock of Redis for a new process', { time: -60_000 }, ['', -Infinity, Infinity], 0],
    ['never goes back for a new process', { time: 60_000 }, ['', -Infinity, Infinity], 60_000],
    [
      'is the clock of Redis when the process knows lost data',
      { time: -60_000 },
      ['lost', -59_000, -58_800],
      0,
    ],
    ['is the clock of Redis when the process has slept', { time: -1000 }, ['current', -60_000, -59_800], 0],
  ] as const)('%s', async (_, state, known, expected) => {
    expect(await timeOf(state, known)).toBe(expected)
  })
})

describe('RedisClock', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  /** The clock of a process that gets each reply `ms` after its command. */
  function follow() {
    const log = vi.fn()
    const clock = new RedisClock(log)
    const reply = (time: number, ms: number) => {
      const sentAt = performance.now()
      vi.advanceTimersByTime(ms)
      clock.observe(time, time, sentAt)
    }
    const bounds = () => clock.bounds().map((ms) => ms - performance.now())
    return { log, reply, bounds }
  }

  it('knows the time as well as the fastest reply tells', () => {
    const { reply, bounds } = follow()
    const start = performance.now()
    reply(start + 5000, 300)
    expect(bounds()).toEqual([4700, 5000 + 300 + 100])
    reply(start + 5300, 20)
    expect(bounds()).toEqual([4980, 5000 + 20 + 100])
    reply(start + 5320 + 350, 700)
    expect(bounds()).toEqual([4980, 5000 + 20 + 100])
  })

  it('follows the time that other processes know, and that of lost data', () => {
    const { reply, bounds } = follow()
    reply(performance.now() + 5000, 20)
    reply(performance.now() + 9000, 20)
    expect(bounds()).toEqual([8980, 9000 + 20 + 100])
    reply(performance.now() + 1000, 20)
    expect(bounds()).toEqual([980, 1000 + 20 + 100])
  })

  it('logs jumps, and not that clocks drift or commands are slow', () => {
    const { log, reply } = follow()
    const now = () => performance.now()
    reply(now(), 20)
    reply(now(), 5000)
    reply(now() + 5000, 5000)
    vi.advanceTimersByTime(43_200_000)
    reply(now() + 4000, 20)
    expect(log).not.toHaveBeenCalled()
    reply(now() + 9000, 20)
    reply(now() - 1000, 20)
    const jumps = log.mock.calls.map(([level, message, fields]) => [level, message, fields])
    expect(jumps).toEqual([
      ['warn', 'the clock of redis has jumped', { milliseconds: 4980 }],
      ['warn', 'the clock of redis has jumped', { milliseconds: -9980 }],
    ])
  })
})
