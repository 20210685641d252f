import { matchPath } from '../../api/match-path.ts'
import type { Operation } from '../../api/operation.ts'
import { type OperationId, operations } from '../../api/operations.ts'

/** An operation of the service. */
export type KnownOperation = Operation & { readonly id: OperationId }

const all: readonly KnownOperation[] = operations

/** Finds the operations at a path. Ignores what precedes the operation's own path, so the proxy can be mounted anywhere. */
export function operationsAt(path: string): { found: readonly KnownOperation[]; id: string } {
  for (let start = 0; start !== -1; start = path.indexOf('/', start + 1)) {
    const { routes, id } = matchPath(path.slice(start), all)
    // `/feeds/mentions` may be `/mentions` of a proxy mounted at `/feeds`: only ids with the prefix are feeds.
    const found = routes.filter(({ pathId }) => id.startsWith(pathId?.prefix ?? ''))
    if (found.length > 0) return { found, id }
  }
  return { found: [], id: '' }
}
