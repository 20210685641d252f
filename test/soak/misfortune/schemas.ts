import type { StandardSchemaV1 } from '@standard-schema/spec'
import { sleep } from '../../../bench/simulate/clock.ts'
import type { Random } from '../../../src/extensions/sandbox/random.ts'
import type { Interference } from './interference.ts'
import { failures } from './own-code.ts'

type Result = StandardSchemaV1.Result<unknown>

const ways: Record<string, (value: unknown) => Result | Promise<Result>> = {
  passes: (value) => ({ value }),
  'passes late': (value) => sleep(400).then(() => ({ value })),
  refuses: () => ({ issues: [{ message: 'no', path: ['x', { key: 'y' }] }] }),
  'refuses late': () => sleep(400).then(() => ({ issues: [{ message: 'no' }] })),
  'returns nothing': () => undefined as never,
  ...Object.fromEntries(Object.entries(failures).map(([name, fail]) => [name, () => fail('schema')])),
}

/** A caller's schema that may fail in every way, and its name; null for none. */
export function drawSchema(
  random: Random,
  { visit }: Interference,
): { name: string; schema: StandardSchemaV1 } | null {
  if (!random.chance(0.12)) return null
  const name = random.pick(Object.keys(ways))
  const validate = (value: unknown): Result | Promise<Result> => {
    visit('schema')
    return ways[name]?.(value) as Result
  }
  return { name: `a schema that ${name}`, schema: { '~standard': { version: 1, vendor: 'soak', validate } } }
}
