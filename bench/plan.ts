import { parseArgs } from 'node:util'
import { join, resolve } from 'node:path'
import { root } from './folders.ts'

/** How much is measured. */
export interface Plan {
  quick: boolean
  /** Folder of the built package. */
  dist: string
  /** The same of another checkout. */
  against: string | undefined
  callRounds: number
  /** Calls before the first that counts. */
  warmUp: number
  startRounds: number
  queueRounds: number
  walkRounds: number
  /** Calls that wait. */
  crowds: readonly number[]
  /** Time that one contestant may queue in all; larger crowds are left out where it is used up. */
  queueBudgetMs: number
  /** Items that are walked. */
  walks: readonly number[]
}

/** @throws {TypeError} for arguments that nobody knows */
export function readPlan(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      million: { type: 'boolean', default: false },
      against: { type: 'string' },
    },
  })
  const { quick, million, against } = values
  const walks = quick ? [20_000] : [100_000]
  return {
    quick,
    dist: join(root, 'dist'),
    against: against === undefined ? undefined : resolve(against),
    callRounds: quick ? 15 : 60,
    warmUp: quick ? 500 : 2_500,
    startRounds: quick ? 4 : 15,
    queueRounds: quick ? 1 : 3,
    walkRounds: quick ? 1 : 5,
    crowds: quick ? [100, 2_000, 20_000] : [100, 1_000, 2_000, 10_000, 20_000, 100_000],
    queueBudgetMs: quick ? 12_000 : 30_000,
    walks: million ? [...walks, 1_000_000] : walks,
  }
}
