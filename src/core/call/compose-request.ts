import type { Issue } from '../../contract/issues.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Dialect } from '../http/dialect.ts'

/** A request, ready to be sent, unless there is something wrong with it. */
export interface ComposedRequest {
  /** Path with its query, relative to the base URL. */
  readonly path: string
  /** JSON text, if there is a body. */
  readonly body: string | undefined
  /** Most items that the input asks for, where that decides what the call may cost. */
  readonly maxItems: unknown
  /** What is wrong with the input; nothing is sent then. */
  readonly issues: readonly Issue[]
}

/**
 * Makes a request of a call's input. Its text is taken at once, so that what the caller does to the input later changes
 * nothing. An id that could lead elsewhere is refused, not repaired.
 */
export function composeRequest(
  operation: Operation,
  params: unknown,
  id: unknown,
  dialect: Dialect,
): ComposedRequest {
  const { path, pathId, method } = operation
  const issues = operation.request(params)
  for (const { message } of pathId?.check(id) ?? []) issues.push({ path: 'id', message })
  const query = method === 'GET' ? queryOf(params, issues) : ''
  const body = method === 'GET' ? undefined : json(params, issues, dialect)
  const isSafe = issues.length === 0
  const filled = isSafe ? path.replace(/\{\w+\}/, () => encodeURIComponent(String(id))) : path
  return { path: filled + query, body, maxItems: maxItemsOf(operation, params), issues }
}

function maxItemsOf({ price }: Operation, params: unknown): unknown {
  if (price.kind !== 'perItem' || price.ceiling === null) return undefined
  return (params as Record<string, unknown> | null)?.[price.ceiling.param]
}

function json(params: unknown, issues: Issue[], { stringify }: Dialect): string | undefined {
  if (issues.length > 0) return undefined
  try {
    return stringify(params)
  } catch {
    // A circle or a BigInt; only what is passed through unchecked can hold one.
    issues.push({ path: '', message: 'cannot be written as JSON' })
    return undefined
  }
}

/** Fields of the query: text, numbers and booleans, and lists of them, which repeat the field. */
function queryOf(query: unknown, issues: Issue[]): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue
    for (const [index, each] of (Array.isArray(value) ? value : [value]).entries()) {
      if (['string', 'boolean', 'bigint'].includes(typeof each) || Number.isFinite(each))
        search.append(name, String(each))
      else
        issues.push({
          path: Array.isArray(value) ? `${name}.${index}` : name,
          message: 'must be text, a finite number or a boolean',
        })
    }
  }
  return search.size === 0 ? '' : `?${search}`
}
