import { describe, expect, it } from 'vitest'
import { runVirtual, sleep } from '../../bench/simulate/clock.ts'
import { type Visit } from '../../bench/simulate/draws.ts'
import { measure } from '../../bench/simulate/measure.ts'
import { optimum } from '../../bench/simulate/optimum.ts'
import { ours } from '../../bench/simulate/ours.ts'
import { readPlan } from '../../bench/simulate/plan.ts'
import { type Scenario, scenarios } from '../../bench/simulate/scenarios.ts'
import { strategies } from '../../bench/simulate/strategies.ts'
import { createRandom } from '../../src/extensions/sandbox/random.ts'

const alone = named('alone')

function named(name: string): Scenario {
  return scenarios.find((scenario) => scenario.name === name)!
}

const run = (work: () => Promise<unknown>, limitMs = 600_000) =>
  runVirtual(work, limitMs, createRandom('test'))

describe('optimum()', () => {
  const steady = (ms: number, end: Visit['end'] = 'success') => ({
    phase: 30_000,
    visit: (): Visit => ({ ms, end, retryAfter: 1 }),
  })

  it('is limited by the slots when the window is not full', () => {
    // Five pairs in turn, after the way there and before the way back.
    expect(optimum(alone, steady(1_000), [10])).toBe(20 + 5_000 + 20)
  })

  it('is limited by the window when it is full', () => {
    expect(optimum(alone, steady(1_000), [21])).toBe(20 + 60_000 + 1_000 + 20)
  })

  it('knows when a fixed window ends', () => {
    expect(optimum({ ...alone, window: 'fixed' }, steady(1_000), [21])).toBe(30_000 + 1_000 + 20)
  })

  it('is limited by the fullest surface, or by the slots of all', () => {
    const two = { ...alone, operations: named('surfaces').operations.slice(0, 2) }
    expect(optimum(two, steady(1_000), [21, 1])).toBe(20 + 60_000 + 300 + 20)
    expect(optimum(two, steady(5_000), [20, 20])).toBe(20 + 100_000 + 20)
  })

  it('spends an admission on each failure', () => {
    const everyOther = {
      phase: 0,
      visit: (index: number): Visit => ({ ms: 1_000, end: index % 2 ? 'success' : 'reset', retryAfter: 1 }),
    }
    expect(optimum(alone, everyOther, [2])).toBe(20 + 2_000 + 20)
  })
})

describe('measure()', () => {
  it.each(scenarios)('finds no strategy that beats the optimum: $name', async (scenario) => {
    for (const strategy of strategies.filter((candidate) => candidate.applies(scenario))) {
      const { ratio } = await measure(scenario, strategy, 45, 3)
      expect(ratio, strategy.name).toBeGreaterThanOrEqual(1)
    }
  })

  it('measures the same with the same seed, and differs with another', async () => {
    const seen = async (seed: number) => (await measure(named('2-processes'), ours, 45, seed)).arrivals
    const first = await seen(1)
    expect(await seen(1)).toEqual(first)
    expect(await seen(2)).not.toEqual(first)
  })

  it('counts the calls that a cut-off run leaves open as failed', async () => {
    const stuck = { name: 'stuck', applies: () => true, start: () => () => sleep(1e9) }
    const outcome = await measure(alone, stuck, 5, 1)
    expect(outcome).toMatchObject({ isCutOff: true, failed: 5, ratio: Infinity })
  })
})

describe('runVirtual()', () => {
  it('stops a run that takes too long, and reports one that hangs or fails', async () => {
    expect(await run(() => sleep(1_000), 999)).toEqual({ ms: 999, isCutOff: true, timers: 0 })
    expect(await run(() => sleep(1_000), 1_001)).toEqual({ ms: 1_000, isCutOff: false, timers: 0 })
    await expect(run(() => new Promise(() => {}))).rejects.toThrow('hangs')
    await expect(run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })

  it('makes Math.random repeatable during a run, and restores it', async () => {
    const drawn: number[] = []
    const draw = () => Promise.resolve(drawn.push(Math.random()))
    await run(draw)
    await run(draw)
    expect(drawn[0]).toBe(drawn[1])
    expect(Math.random()).not.toBe(drawn[0])
  })
})

describe('readPlan()', () => {
  it('lists the valid names, and the bounds of a number', () => {
    expect(() => readPlan(['--scenario', 'moon'])).toThrow(
      'unknown scenario "moon"; expected one of: alone; ',
    )
    expect(() => readPlan(['--seeds', '0'])).toThrow('--seeds must be a whole number of at least 1, got "0"')
  })

  it('writes the results only for a run without options', () => {
    expect(readPlan([]).isWhole).toBe(true)
    expect(readPlan(['--seeds', '3']).isWhole).toBe(false)
  })
})
