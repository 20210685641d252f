import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Random } from '../../../src/sandbox/random.ts'
import type { Interference } from './interference.ts'
import { CallersError } from './budgets.ts'

type Result = StandardSchemaV1.Result<unknown>

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const ways: Record<string, (value: unknown) => Result | Promise<Result>> = {
  passes: (value) => ({ value }),
  'passes late': (value) => later(400).then(() => ({ value })),
  refuses: () => ({ issues: [{ message: 'no', path: ['x', { key: 'y' }] }] }),
  'refuses late': () => later(400).then(() => ({ issues: [{ message: 'no' }] })),
  throws: () => {
    throw new CallersError('the schema threw')
  },
  rejects: () => Promise.reject(new CallersError('the schema rejected')),
  hangs: () => new Promise(() => {}),
  'returns nothing': () => undefined as never,
}

/** A caller's schema that may fail in every way, and its name; null for none. */
export function drawSchema(
  random: Random,
  { visit }: Interference,
): { name: string; schema: StandardSchemaV1 } | null {
  if (!random.chance(0.12)) return null
  const name = random.pick(Object.keys(ways))
  const way = ways[name] as (value: unknown) => Result | Promise<Result>
  const validate = (value: unknown): Result | Promise<Result> => {
    visit('schema')
    return way(value)
  }
  return { name: `a schema that ${name}`, schema: { '~standard': { version: 1, vendor: 'soak', validate } } }
}
