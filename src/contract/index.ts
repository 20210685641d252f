import { compareOperation } from './compare-operation.ts'
import type { ContractDifference } from './difference.ts'
import { keyOf, readOperations } from './read-operations.ts'
import { own } from './resolve.ts'
import { descriptionGet } from '../api/description.ts'
import type { OpenRecord } from '../api/undocumented.ts'
import type { Operation } from '../api/operation.ts'
import { operations } from '../api/operations.ts'
import { publishedRates, rateDifferences } from '../api/published-rates.ts'

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
  const report = (difference: ContractDifference): void => void differences.push(difference)
  const version = own(description, 'openapi')
  if (typeof version !== 'string' || !/^3\.1\.\d/.test(version))
    report({
      kind: 'unreadable',
      operation: null,
      path: 'openapi',
      assumed: '3.1',
      published: version ?? null,
    })

  const published = readOperations(description, report)
  for (const operation of operations as readonly Operation[]) {
    const { id, method, path } = operation
    const key = keyOf(method, path)
    const theirs = published.get(key)
    published.delete(key)
    if (theirs !== undefined) {
      for (const finding of compareOperation(operation, theirs, description))
        report({ ...finding, operation: id })
      // A description that does not mention itself is there all the same.
    } else if (id !== descriptionGet.id) {
      report({
        kind: 'operation_missing',
        operation: id,
        path: `${method} ${path}`,
        assumed: id,
        published: null,
      })
    }
  }
  for (const { name } of published.values())
    report({ kind: 'operation_unknown', operation: null, path: name, assumed: null, published: name })

  for (const { rate, ...values } of rateDifferences(publishedRates(description)))
    report({ kind: 'credit_rate', operation: null, path: rate, ...values })
  return differences
}
