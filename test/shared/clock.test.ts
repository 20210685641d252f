import { describe, expect, it } from 'vitest'
import { changeState } from '../../src/extensions/shared/change.ts'
import { timeOf } from '../../src/extensions/shared/clock.ts'
import type { LimiterState } from '../../src/extensions/shared/state.ts'

const rules = { inFlight: 2, perMinute: 3, spanMs: 60_020, leaseMs: 15_000 }
const state = { epoch: 'a', time: 1000, shift: 100 }
const bounds = { epoch: 'a', least: 1400, most: 1600 }

describe('timeOf()', () => {
  it.each([
    ['follows the clock and its shift', state, 1400, bounds, 1500],
    ['is right when a clock was set back, for a process that knows better', state, 500, bounds, 1400],
    ['is right when a clock was set forward, for a process that knows better', state, 9000, bounds, 1400],
    ['follows the clock at the bounds of what a process knows', state, 1500, bounds, 1600],
    ['follows the clock for a process that knows nothing', state, 9000, undefined, 9100],
    [
      'follows the clock for a process that knows another epoch',
      state,
      9000,
      { ...bounds, epoch: 'b' },
      9100,
    ],
    [
      'follows the clock for a process that was behind the latest change',
      { ...state, time: 1601 },
      9000,
      bounds,
      9100,
    ],
    ['never goes back', state, 500, undefined, 1000],
    ['is in whole milliseconds', { ...state, shift: 0.4 }, 1500, undefined, 1500],
    [
      'goes on after a loss, for a process that knows it',
      undefined,
      9000,
      { ...bounds, least: 1400.4 },
      1400,
    ],
  ] as const)('%s', (_, state, clock, bounds, time) => {
    expect(timeOf(state, clock, bounds, 5)).toBe(time)
  })

  it('begins with the first time when nobody knows any', () => {
    expect([timeOf(undefined, 9000, undefined, 5), timeOf(undefined, 9000, undefined)]).toEqual([5, 0])
  })
})

/** A state that process 1 has made, at 1,000 ms, when the clock said `clock`. */
function made(clock = 0): LimiterState {
  const report = () => ({
    ...{ process: '1', slots: 1, closures: [['b', 5000] as [string, number]] },
    arrivals: [['a', [1500]] as [string, number[]]],
    ...{ places: [['a', 900] as [string, number]], asks: [] },
  })
  const seen = { state: undefined, bounds: { epoch: 'a', least: 1000, most: 1000 } }
  return changeState(undefined, clock, seen, report, rules, 'a').state
}

/** The next change, by process 2, which has seen `copy` and knows that it is `least` now. */
function next(
  text: LimiterState | undefined,
  clock: number,
  copy: LimiterState,
  least: number,
): LimiterState {
  const report = () => ({
    process: '2',
    slots: 0,
    closures: [],
    arrivals: [],
    places: [],
    asks: [],
  })
  const seen = { state: structuredClone(copy), bounds: { epoch: copy.epoch, least, most: least } }
  return changeState(JSON.stringify(text), clock, seen, report, rules, 'b').state
}

describe('changeState()', () => {
  it('keeps how far the time is ahead of the clock, so that the next process reads the same time', () => {
    const before = made(40)
    expect(before).toMatchObject({ time: 1000, shift: 960 })
    expect(next(before, 140, before, 1100)).toMatchObject({ time: 1100, shift: 960 })
    expect(next(before, 9000, before, 1100)).toMatchObject({ time: 1100, shift: 1100 - 9000 })
  })

  it('numbers a state after a loss higher than those before, if the clock went on or back', () => {
    const before = made(7000)
    expect(before.version).toBe(7001)
    expect(next(undefined, 8000, before, 1200).version).toBe(8001)
    expect(next(undefined, 10, before, 1200).version).toBe(7002)
  })

  it('restores the times of a process as they were after a loss that nobody has restored yet', () => {
    const after = next(undefined, 8000, made(7000), 1200)
    expect(after).toMatchObject({ time: 1200, bornAt: 1200, quietUntil: 4200, closures: { b: 5000 } })
    expect(after.processes['1']).toMatchObject({
      ...{ until: 16_000, slots: 1, arrivals: { a: [1500] }, places: { a: { since: 900 } } },
    })
  })

  it('restores the times of a process by the time of a new epoch, which a new process has begun', () => {
    const before = made(7000)
    const begun: LimiterState = { ...made(), epoch: 'c', time: 50, bornAt: 0, quietUntil: 0 }
    Object.assign(begun, { shift: 50 - 8000, processes: {}, closures: { b: 100 } })
    const after = next(begun, 8000, before, 1200)
    expect(after).toMatchObject({ epoch: 'c', time: 50, quietUntil: 3000, closures: { b: 3850 } })
    const ahead = 50 - 1200
    expect(after.processes['1']).toMatchObject({
      ...{
        until: 16_000 + ahead,
        slots: 1,
        arrivals: { a: [1500 + ahead] },
        places: { a: { since: 900 + ahead } },
      },
    })
  })

  it('restores no part of a process that has told a later one in a new epoch', () => {
    const told = { until: 16_000 + 50 - 1200, slots: 0, arrivals: {}, places: {} }
    const begun: LimiterState = { ...made(), epoch: 'c', time: 50, shift: 50 - 8000, processes: { 1: told } }
    expect(next(begun, 8000, made(7000), 1200).processes['1']).toEqual(told)
  })
})
