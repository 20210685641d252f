import { parseArgs } from 'node:util'
import { promises } from './promises.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { strategies } from './strategies.ts'
import type { Strategy } from './strategy.ts'

/** What to simulate. */
export interface Plan {
  readonly scenarios: readonly Scenario[]
  readonly strategies: readonly Strategy[]
  readonly calls: number
  readonly seeds: number
  /** Whether to check only the promises of our own pacer. */
  readonly isQuick: boolean
  /** Whether to write the results of the run. */
  readonly isWhole: boolean
}

/**
 * Reads the command line.
 *
 * @throws {Error} with a message for the user.
 */
export function readPlan(args: string[]): Plan {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string' },
      calls: { type: 'string' },
      scenario: { type: 'string', multiple: true },
      strategy: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
    },
  })
  const { quick, scenario, strategy } = values
  if (quick && (scenario ?? strategy ?? values.calls) !== undefined) {
    throw new Error('--quick measures what is promised: it goes with --seeds only')
  }
  return {
    scenarios: chosen('scenario', scenarios, quick ? promises.map((promise) => promise.scenario) : scenario),
    strategies: chosen(
      'strategy',
      strategies,
      quick ? promises.map((promise) => promise.strategy) : strategy,
    ),
    calls: wholeNumber('calls', values.calls ?? '200'),
    seeds: wholeNumber('seeds', values.seeds ?? (quick ? '10' : '20')),
    isQuick: quick,
    isWhole: args.length === 0,
  }
}

function chosen<T extends { readonly name: string }>(
  option: string,
  all: readonly T[],
  names: readonly string[] | undefined,
): readonly T[] {
  const unknown = names?.find((name) => !all.some((item) => item.name === name))
  if (unknown !== undefined) {
    throw new Error(
      `unknown ${option} "${unknown}"; expected one of: ${all.map(({ name }) => name).join('; ')}`,
    )
  }
  return all.filter(({ name }) => names?.includes(name) ?? true)
}

/**
 * Reads the number of an option.
 *
 * @throws {Error} with a message for the user.
 */
export function wholeNumber(option: string, text: string, least = 1): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < least) {
    throw new Error(`--${option} must be a whole number of at least ${least}, got ${JSON.stringify(text)}`)
  }
  return number
}
