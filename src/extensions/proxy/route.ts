import { matchPath } from '../../api/incoming-request.ts'
import type { Operation } from '../../api/operation.ts'
import { type OperationId, operations } from '../../api/operations.ts'
import type { ProxySettings } from './options.ts'
import { ProxyRefusal } from './request-refusal.ts'

/** An operation of the service. */
export type KnownOperation = Operation & { readonly id: OperationId }

const all: readonly KnownOperation[] = operations

/** The operation that a request calls, and the id in its path. */
export function route({ method, url }: Request, settings: ProxySettings) {
  const { found, id } = operationsAt(new URL(url).pathname)
  if (found.length === 0)
    throw new ProxyRefusal(404, 'not_found', 'unknown path; expected the path of an operation')
  const allowed = found.filter((operation) => settings.allow.has(operation.id))
  if (allowed.length === 0)
    throw new ProxyRefusal(403, 'operation_not_allowed', 'the proxy does not allow this operation')
  const operation = allowed.find((each) => each.method === method)
  if (operation !== undefined) return { operation, id }
  const allow = allowed.map((each) => each.method).join(', ')
  const message = `${method} is not a method of this path; expected ${allow}`
  throw new ProxyRefusal(405, 'method_not_allowed', message, { headers: { allow } })
}

/** Finds the operations at a path. Ignores what precedes the operation's own path, so the proxy can be mounted anywhere. */
function operationsAt(path: string): { found: readonly KnownOperation[]; id: string } {
  for (let start = 0; start !== -1; start = path.indexOf('/', start + 1)) {
    const { routes, id } = matchPath(path.slice(start), all)
    // `/feeds/mentions` may be `/mentions` of a proxy mounted at `/feeds`: only ids with the prefix are feeds.
    const found = routes.filter(({ pathId }) => id.startsWith(pathId?.prefix ?? ''))
    if (found.length > 0) return { found, id }
  }
  return { found: [], id: '' }
}
