import { parseArgs } from 'node:util'
import { join, resolve } from 'node:path'
import { root } from './folders.ts'

const sections = ['bundle', 'start', 'calls', 'queue', 'walk'] as const
type Section = (typeof sections)[number]

/** Which sections to measure, and how much. */
export interface Plan {
  sections: readonly Section[]
  /** Whether to measure every section in full. */
  isWhole: boolean
  /** Folder of the built package. */
  dist: string
  /** Folder of the built package of another checkout. */
  against: string | undefined
  /** Number of new processes for each contestant, and rounds in each. */
  callProcesses: number
  callRounds: number
  /** Warm-up calls. */
  warmUp: number
  startRounds: number
  queueRounds: number
  walkRounds: number
  /** Queued calls. */
  crowds: readonly number[]
  /** Total time for one contestant to queue; when it is used up, larger numbers are skipped. */
  queueBudgetMs: number
  /** Items in the walk. */
  walks: readonly number[]
}

/** @throws {TypeError} for unknown arguments */
export function readPlan(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      million: { type: 'boolean', default: false },
      against: { type: 'string' },
      only: { type: 'string', multiple: true },
    },
  })
  const { quick, million, against, only } = values
  const unknown = only?.find((name) => !sections.some((section) => section === name))
  if (unknown !== undefined)
    throw new TypeError(`unknown section ${unknown}; expected one of ${sections.join(', ')}`)
  const walks = quick ? [20_000] : [100_000]
  return {
    sections: sections.filter((section) => only?.includes(section) ?? true),
    isWhole: !quick && only === undefined,
    dist: join(root, 'dist'),
    against: against === undefined ? undefined : resolve(against),
    callProcesses: quick ? 1 : 3,
    callRounds: quick ? 5 : 10,
    warmUp: quick ? 500 : 1_500,
    startRounds: quick ? 4 : 10,
    queueRounds: quick ? 1 : 9,
    walkRounds: quick ? 1 : 20,
    crowds: quick ? [100, 2_000, 20_000] : [100, 1_000, 2_000, 10_000, 20_000, 100_000],
    queueBudgetMs: quick ? 12_000 : 30_000,
    walks: million ? [...walks, 1_000_000] : walks,
  }
}
