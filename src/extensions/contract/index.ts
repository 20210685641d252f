import { compareOperation } from './compare-operation.ts'
import { type ContractDifference, type Finding, finding } from './difference.ts'
import { keyOf, readOperations } from './read-operations.ts'
import { own } from './resolve.ts'
import { descriptionGet } from '../../api/description.ts'
import type { OpenRecord } from '../../api/undocumented.ts'
import type { Operation } from '../../api/operation.ts'
import { operations } from '../../api/operations.ts'
import { publishedRates, rateDifferences } from '../../api/credit-rates.ts'

export type { ContractDifference, ContractDifferenceKind } from './difference.ts'

/**
 * Compares the service's description, as `client.openapi()` returns it, with the contract of this package: operations,
 * requests, responses, error statuses and credit rates. Does not compare the bodies of errors. Sends nothing, and never
 * throws.
 *
 * @returns Every difference, in the order of this package's operations; an empty list where there is none.
 * @example
 * const differences = compareContract(await client.openapi())
 * for (const { kind, operation, path } of differences) console.log(kind, operation, path)
 */
export function compareContract(description: OpenRecord): ContractDifference[] {
  const differences: ContractDifference[] = []
  const report = (operation: string | null, ...findings: readonly Finding[]): void =>
    void differences.push(...findings.map((each) => ({ ...each, operation })))
  const version = own(description, 'openapi')
  if (typeof version !== 'string' || !/^3\.1\.\d/.test(version))
    report(null, finding('unreadable', 'openapi', '3.1', version))

  const { written, unreadable } = readOperations(description)
  report(null, ...unreadable)
  for (const operation of operations as readonly Operation[]) {
    const { id, method, path } = operation
    const key = keyOf(method, path)
    const theirs = written.get(key)
    written.delete(key)
    if (theirs !== undefined) report(id, ...compareOperation(operation, theirs))
    // A description that does not mention itself is there all the same.
    else if (id !== descriptionGet.id) report(id, finding('operation_missing', `${method} ${path}`, id, null))
  }
  for (const { name } of written.values()) report(null, finding('operation_unknown', name, null, name))
  for (const { rate, assumed, published } of rateDifferences(publishedRates(description)))
    report(null, finding('credit_rate', rate, assumed, published))
  return differences
}
