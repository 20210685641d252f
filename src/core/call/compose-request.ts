import { check } from '../../api/schema/check.ts'
import type { Issue } from '../../api/issues.ts'
import type { Operation } from '../../api/operation.ts'
import { messageOf } from '../../lib/thrown.ts'
import type { BodyFormat } from '../http/body-format.ts'
import { isOption } from '../options/merge.ts'

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

const noIssues: readonly Issue[] = []

/**
 * Turns the input of a call into a request. It copies the input at once, and checks, prices and sends that copy: getters
 * and `toJSON()` may return something else each time. An id that could change the path becomes an issue; it is not
 * repaired.
 *
 * @param options Options of the call, to refuse one that stands among the params instead.
 */
export function composeRequest(
  operation: Operation,
  input: unknown,
  id: unknown,
  format: BodyFormat,
  options?: object,
): ComposedRequest {
  const { path, pathId, method, price } = operation
  try {
    const params = jsonOf(input, method, format)
    const copy = params === undefined ? input : format.parse(params)
    const issues = check(operation.request, copy)
    if (pathId) for (const { message } of check(pathId.schema, id)) issues.push({ path: 'id', message })
    const query = method === 'GET' ? queryOf(copy, issues) : ''
    if (issues.length === 0 && params === undefined)
      issues.push({ path: '', message: 'cannot be written as JSON' })
    if (issues.length === 0 && !operation.documented) {
      // The copy of a Map is an empty object.
      issues.push(...check(operation.request, input))
      if (options) issues.push(...misplacedOptions(operation, copy as object, options))
    }
    const isSafe = issues.length === 0
    const filled = isSafe && pathId ? path.replace(/\{\w+\}/, encodeURIComponent(String(id))) : path
    const ceiling = price.kind === 'perItem' ? price.ceiling : null
    const maxItems = ceiling && (copy as Record<string, unknown> | null)?.[ceiling.param]
    return { path: filled + query, params, maxItems, issues: isSafe ? noIssues : issues }
  } catch (error) {
    // A getter of the caller, for example.
    const issues = [{ path: '', message: `cannot be read: ${messageOf(error)}` }]
    return { path, params: undefined, maxItems: undefined, issues }
  }
}

/** Undefined if something would be lost in JSON. A BigInt and its text are the same in a query. */
function jsonOf(input: unknown, method: string, { stringify }: BodyFormat): string | undefined {
  const plain = (_: string, value: unknown): unknown => {
    if (
      ['function', 'symbol'].includes(typeof value) ||
      (typeof value === 'number' && !Number.isFinite(value))
    )
      throw new TypeError('JSON has no such value')
    return method === 'GET' && typeof value === 'bigint' ? String(value) : value
  }
  try {
    return method === 'GET' ? JSON.stringify(input, plain) : stringify(input, plain)
  } catch {
    return undefined
  }
}

/** An option among params that are not documented would be sent, and the call would do without it. */
function misplacedOptions(operation: Operation, params: object, options: object): Issue[] {
  const names = Object.keys(params).filter(
    (name) => isOption(name, operation) && !Object.hasOwn(options, name),
  )
  return names.map((name) => ({
    path: name,
    message: 'is an option, passed after the params; to send a param of this name, pass the option as well',
  }))
}

/** A copy of the input of a request; undefined if it cannot be written as JSON. */
export function paramsOf({ params }: ComposedRequest): Record<string, unknown> | undefined {
  return params === undefined ? undefined : (JSON.parse(params) as Record<string, unknown>)
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
