import { type ContractDifference, compareContract } from '../../src/index.ts'
import { describeService } from '../../src/sandbox/description.ts'

// A description is parsed JSON, which tests change at will.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any

/** The sandbox's description, to be changed. */
export const described = (): Json => structuredClone((describeService() as { body: Json }).body)

export function differencesAfter(change: (description: Json) => unknown): ContractDifference[] {
  const description = described()
  change(description)
  return compareContract(description)
}
