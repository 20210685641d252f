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
  const { path, idPrefix, pathId, method } = operation
  const issues = operation.request(params)
  if (idPrefix !== undefined) issues.push(...idIssues(id, idPrefix))
  if (pathId !== undefined) issues.push(...pathId(id).map(({ message }) => ({ path: 'id', message })))
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

/** The characters of an id are not documented, apart from its prefix; these would change the path, or hide in it. */
const unsafe = /[/\\%?#\s\p{Cc}]|\.\./u

function idIssues(id: unknown, prefix: string): Issue[] {
  const issue = (message: string): Issue[] => [{ path: 'id', message }]
  if (typeof id !== 'string') return issue(`must be a string, got ${id === null ? 'null' : typeof id}`)
  if (!id.startsWith(prefix) || id.length === prefix.length)
    return issue(`must start with ${prefix}, with more after it, got ${named(id)}`)
  if (!id.isWellFormed()) return issue('must be well-formed Unicode')
  return unsafe.test(id) ? issue(`must not contain / \\ % ? # .. or white space, got ${named(id)}`) : []
}

/** Part of a long text is not repeated: of a secret, it could not be recognized as one. */
function named(id: string): string {
  return id.length <= 32 ? JSON.stringify(id) : `${id.length} characters`
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
