import { check } from '../../api/schema/check.ts'
import type { Issue } from '../../api/issues.ts'
import type { Operation } from '../../api/operation.ts'
import type { Charged, ErrorContext } from '../../errors/index.ts'
import type { Dialect } from '../http/dialect.ts'
import { effectOf } from '../retry/policy.ts'

/** A request, ready to be sent unless it has issues. */
export interface ComposedRequest {
  /** Path with its query, relative to the base URL. */
  readonly path: string
  /** The input as JSON text, the body unless it is a GET; undefined if it cannot be serialized. */
  readonly params: string | undefined
  /** Requested items, if the price depends on them. */
  readonly maxItems: unknown
  /** Problems of the input; with any of them, nothing is sent. */
  readonly issues: readonly Issue[]
}

/** Shared by valid requests. */
const noIssues: readonly Issue[] = []

/**
 * Turns the input of a call into a request. It serializes the input at once, so later changes to the input have no
 * effect. An id that could change the path becomes an issue; it is not repaired.
 */
export function composeRequest(
  operation: Operation,
  input: unknown,
  id: unknown,
  { stringify }: Dialect,
): ComposedRequest {
  const { path, pathId, method, price } = operation
  const issues = check(operation.request, input)
  if (pathId) for (const { message } of check(pathId.schema, id)) issues.push({ path: 'id', message })
  const query = method === 'GET' ? queryOf(input, issues) : ''
  let params: string | undefined
  try {
    params = method === 'GET' ? JSON.stringify(input, withTextForBigint) : stringify(input)
  } catch {
    // A circular reference or a BigInt, in a field that is not validated.
    if (issues.length === 0) issues.push({ path: '', message: 'cannot be written as JSON' })
  }
  const isSafe = issues.length === 0
  const filled = isSafe && pathId ? path.replace(/\{\w+\}/, encodeURIComponent(String(id))) : path
  const ceiling = price.kind === 'perItem' ? price.ceiling : null
  const maxItems = ceiling && (input as Record<string, unknown> | null)?.[ceiling.param]
  return { path: filled + query, params, maxItems, issues: isSafe ? noIssues : issues }
}

/** A copy of the input of a request; undefined if it cannot be written as JSON. */
export function paramsOf({ params }: ComposedRequest): Record<string, unknown> | undefined {
  return params === undefined ? undefined : (JSON.parse(params) as Record<string, unknown>)
}

/** What every error of a request has: `next` holds the params of the failed page, if the operation has pages. */
export function contextOf(
  operation: Operation,
  request: ComposedRequest,
  tookEffect: Charged = 'no',
): ErrorContext {
  const { id, paging, price } = operation
  const context = {
    operation: id,
    next: paging && paramsOf(request),
    hasCeiling: price.kind === 'perItem',
  }
  if (effectOf(operation) !== 'write') return { ...context, charged: tookEffect }
  return { ...context, applied: tookEffect === 'no' ? tookEffect : 'unknown' }
}

/** What is known of all attempts together. */
export function worstOf(all: readonly Charged[]): Charged {
  return all.includes('yes') ? 'yes' : all.includes('unknown') ? 'unknown' : 'no'
}

/** A BigInt and its text are the same in a query. */
function withTextForBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

/** Builds the query string. A list repeats its field. */
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
