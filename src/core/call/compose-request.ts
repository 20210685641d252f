import type { Issue } from '../../contract/issues.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Dialect } from '../http/dialect.ts'

/** What goes over the wire. */
export interface Message {
  /** Path with its query, relative to the base URL. */
  readonly path: string
  /** JSON text, if there is a body. */
  readonly body: string | undefined
}

/**
 * Makes a message of a call's input, or tells what is wrong with it. An id that could lead elsewhere is refused, not
 * repaired.
 */
export function composeMessage(
  operation: Operation,
  params: unknown,
  id: unknown,
  dialect: Dialect,
): Message | readonly Issue[] {
  const { path, pathId, method } = operation
  const issues = operation.request(params)
  for (const { message } of pathId?.check(id) ?? []) issues.push({ path: 'id', message })
  const search = method === 'GET' ? queryOf(params, issues) : ''
  const body = method === 'GET' ? undefined : json(params, issues, dialect)
  if (issues.length > 0) return issues
  return { path: path.replace(/\{\w+\}/, encodeURIComponent(String(id))) + search, body }
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
