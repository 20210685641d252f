import { matchPath } from '../contract/match-path.ts'
import type { Operation } from '../contract/operation.ts'
import { type OperationId, operations } from '../contract/operations.ts'

/** An operation of the service. */
export type KnownOperation = Operation & { readonly id: OperationId }

const all: readonly KnownOperation[] = operations

/** The operations at a path, whatever the proxy is mounted at: what comes before the operation's own path is not looked at. */
export function operationsAt(path: string): { found: readonly KnownOperation[]; id: string } {
  for (let start = 0; start !== -1; start = path.indexOf('/', start + 1)) {
    const { routes, id } = matchPath(path.slice(start), all)
    // Without the prefix of its ids, `/feeds/mentions` would be a feed rather than what is mounted at `/feeds`.
    const found = routes.filter(({ idPrefix = '' }) => id.startsWith(idPrefix))
    if (found.length > 0) return { found, id }
  }
  return { found: [], id: '' }
}
