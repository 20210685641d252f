import { describe, expect, it } from 'vitest'
import { type LimiterState, type OwnRequest, changeState } from '../../src/extensions/shared/limiter-state.ts'
import {
  type ReadTimes,
  type Snapshot,
  type VersionedState,
  timeOf,
} from '../../src/extensions/shared/versioned-state.ts'

const rules = { inFlight: 2, perMinute: 3, windowMs: 60_020, leaseMs: 15_000 }
const state = { stateId: 'a', version: 1, time: 1000, clockOffset: 100 }
const known: VersionedState = { stateId: 'a', version: 1, time: 1000 }
/** It was 1,000, and the clock said 900; now a process has read for 200 ms, 400 ms later. */
const seen: Snapshot<VersionedState> = { state: known, clock: 900, readAt: 0, receivedAt: 0 }
/** It has read the same for 50 ms, 300 ms before the next reading. */
const late: typeof seen = { ...seen, readAt: 50, receivedAt: 100 }
const other: typeof seen = { ...seen, state: { ...known, stateId: 'b' } }
const corrected = { ...state, clockOffset: -3_599_900 }
const [longAfter, drifted] = [
  { ...state, time: 2_000_000 },
  { clock: 2_003_400, readAt: 2e6, receivedAt: 2e6 },
]
const at = (clock: number, read: typeof seen | null = seen): [ReadTimes, typeof seen | undefined] => [
  { clock, readAt: 400, receivedAt: 600 },
  read ?? undefined,
]

const inFlight: OwnRequest = { surface: '', hasEnded: false, sent: undefined }
const ended: OwnRequest = { surface: 'a', hasEnded: true, sent: { at: 900, answered: 950 } }
const closing: OwnRequest = { surface: 'b', sent: undefined, hasEnded: true, closedUntil: 5000 }
const silent = { requests: new Map<string, OwnRequest>(), waiting: new Map<string, number>() }

describe('timeOf()', () => {
  it.each([
    ['follows the clock and its clockOffset', state, at(1400), 1500],
    ['is right when a clock was set back, for a process that knows better', state, at(-9000), 1400],
    ['is right when a clock was set forward, for a process that knows better', state, at(9000), 1600],
    ['is right when a clock was set forward by little more than a second', state, at(2700), 1600],
    ['is right when another process has corrected it', corrected, at(3_601_400), 1500],
    ['follows a clock that is less than a second off, so that no error adds up', state, at(2300), 2400],
    ['goes back with such a clock', { ...state, time: 1450 }, at(600), 700],
    ['does so for a process that knows nothing', { ...state, time: 1450 }, at(600, null), 700],
    ['follows the clock for a process that knows nothing', state, at(9000, null), 9100],
    ['follows the clock for a process that knows another state', state, at(9000, other), 9100],
    ['follows others that went on while a process slept', { ...state, time: 9000 }, at(9000), 9100],
    ['is that of the latest change when a clock was set back', { ...state, time: 2000 }, at(500, null), 2000],
    ['goes on after a loss, for a process that knows it', undefined, at(9000), 1400],
    ['goes on from when a process received the state, after a loss', undefined, at(9000, late), 1300],
    ['is a whole number after a loss', undefined, [{ ...at(9000)[0], readAt: 400.4 }, seen], 1400],
    ['is at least what has passed since a process received the state', state, at(-9000, late), 1300],
    ['is at most what has passed since a process read the state', state, at(9000, late), 1550],
    ['is a whole number after a jump', state, [{ ...at(9000)[0], receivedAt: 600.4 }, seen], 1600],
    ['follows a clock that drifts by a thousandth for a long time', longAfter, [drifted, seen], 2_003_500],
    ['begins with 0 when nobody knows any', undefined, at(9000, null), 0],
  ] as const)('%s', (_, state, [times, latest], time) => {
    expect(timeOf(state, times, latest)).toBe(time)
  })

  it('drifts by less than a millisecond in 15,000 updates of two processes whose clock is up to 30 ms off', () => {
    let text: string | undefined
    const known: Snapshot<LimiterState>[] = []
    const clockOffsets = new Set<number>()
    for (let i = 0; i < 15_000; i++) {
      const now = i * 100
      const clock = 1_700_000_000_000 + now + ((i * 7919) % 61) - 30
      const times = { clock, readAt: now, receivedAt: now + (i % 3) }
      const requests = new Map(i % 4 === 0 ? [['1', inFlight] as const] : [])
      const report = { ...silent, process: String(i % 2), requests }
      const changed = changeState(text, times, known[i % 2], report, rules, 'a')
      if (changed.isChanged) text = JSON.stringify(changed.state)
      known[i % 2] = { ...times, state: changed.state }
      clockOffsets.add(changed.state.clockOffset)
    }
    expect(clockOffsets.size).toBe(1)
  })
})

/** A state that process 1 has made, at 1,000 ms, when the clock said `clock`. */
function made(clock = 0): LimiterState {
  const report = {
    ...{ process: '1', waiting: new Map([['a', 1]]) },
    requests: new Map(Object.entries({ 1: inFlight, 2: ended, 3: closing })),
  }
  const begun = { stateId: 'a', version: clock, time: 0, clockOffset: 1000 - clock, createdAt: 0 }
  const empty = { grantsFrom: 1200, aliveUntil: {}, open: {}, arrivals: {}, queue: [], closedUntil: {} }
  const text = JSON.stringify({ ...begun, ...empty })
  return changeState(text, { clock, readAt: 1000, receivedAt: 1000 }, undefined, report, rules, 'a').state
}

/** The next change, by process 2, which has seen `copy` and knows that it is `now`. */
function next(text: LimiterState | undefined, clock: number, copy: LimiterState, now: number): LimiterState {
  const report = { ...silent, process: '2', requests: new Map([['3', inFlight]]) }
  const latest = { ...seen, state: structuredClone(copy), clock: copy.time - copy.clockOffset }
  const times = { clock, readAt: now - copy.time, receivedAt: now - copy.time }
  return changeState(JSON.stringify(text), times, latest, report, rules, 'b').state
}

describe('changeState()', () => {
  it('keeps how far the time is ahead of the clock, so that the next process reads the same time', () => {
    const before = made(40)
    expect(before).toMatchObject({ time: 1000, clockOffset: 960 })
    expect(next(before, 140, before, 1100)).toMatchObject({ time: 1100, clockOffset: 960 })
    expect(next(before, 9000, before, 1100)).toMatchObject({ time: 1100, clockOffset: 1100 - 9000 })
  })

  it('numbers a state after a loss higher than those before, if the clock went on or back', () => {
    const before = made(7000)
    expect(before.version).toBe(7001)
    expect(next(undefined, 8000, before, 1200).version).toBe(8001)
    expect(next(undefined, 10, before, 1200).version).toBe(7002)
  })

  it('restores what a process knows as it was after a loss that nobody has restored yet', () => {
    expect(next(undefined, 8000, made(7000), 1200)).toMatchObject({
      ...{ time: 1200, createdAt: 1200, grantsFrom: 4200, closedUntil: { b: 5000 } },
      ...{ aliveUntil: { 1: 16_000 }, open: { 1: { process: '1' } }, arrivals: { a: { 2: 950 } } },
      queue: [{ process: '1', surface: 'a', calls: 1 }],
    })
  })

  it('restores it by the time of a new state, which a new process has begun', () => {
    const times = { time: 50, createdAt: 0, grantsFrom: 0, version: 8001, clockOffset: 50 - 8000 }
    const empty = { aliveUntil: { 1: 100 }, open: {}, arrivals: {}, queue: [], closedUntil: { b: 100 } }
    const ahead = 50 - 1200
    expect(next({ stateId: 'c', ...times, ...empty }, 8000, made(7000), 1200)).toMatchObject({
      ...{ stateId: 'c', time: 50, grantsFrom: 3000, closedUntil: { b: 5000 + ahead } },
      ...{ aliveUntil: { 1: 16_000 + ahead }, open: { 1: { process: '1' } } },
      arrivals: { a: { 2: 950 + ahead } },
    })
  })

  it('restores requests of a process whose lease is over by the time of a new state', () => {
    const times = { stateId: 'c', time: 50, clockOffset: 50 - 8000 }
    const empty = { aliveUntil: {}, open: {}, arrivals: {}, queue: [] }
    const after = next({ ...made(), ...times, ...empty }, 8000, made(7000), 30_000)
    expect(Object.keys(after.open)).toEqual(['3'])
    const arrivals = { a: { 2: 950 + 50 - 30_000 } }
    expect(after).toMatchObject({ arrivals, queue: [], closedUntil: { b: 5000 } })
  })
})
