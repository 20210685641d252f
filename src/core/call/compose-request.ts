import { check } from '../../api/schema/check.ts'
import { type FoundIssue, type Issue, firstIssues } from '../../api/issues.ts'
import { type Operation, effectOf } from '../../api/operation.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import type { Redactor } from '../../lib/redactor.ts'
import { isRecord, namesOf } from '../../lib/json.ts'
import { messageOf } from '../../lib/thrown.ts'
import type { BodyFormat } from '../http/answer.ts'
import type { ClientSettings } from '../options/client-settings.ts'
import { isOption } from '../options/options.ts'

/** A request, ready to be sent. */
export interface Composed {
  /** Path with its query, relative to the base URL. */
  readonly path: string
  /** JSON text; undefined if the params are in the query. */
  readonly body: string | undefined
  /** The input, copied. It never changes: whoever gets params gets a copy of their own, by {@link paramsOf}. */
  readonly params: Readonly<Record<string, unknown>>
  /** Those of the params that are not checked, copied. */
  readonly extra?: ExtraParams | undefined
}

/**
 * Turns the input of a call into a request. It copies the input at once, and checks, prices and sends that copy: getters
 * and `toJSON()` may return something else each time. An id that could change the path becomes an issue; it is not
 * repaired.
 *
 * @param options Options of the call, if the caller has written the params: to refuse one that stands among them instead.
 * @param extra Params that are sent unchecked beside the others, or in place of those of the same name.
 */
export function composeRequest(
  operation: Operation,
  input: unknown,
  id: unknown,
  { bodyFormat, redactor }: Pick<ClientSettings, 'bodyFormat' | 'redactor'>,
  options?: object,
  extra?: object,
): Composed | InvalidRequestError {
  const { path, pathId, method } = operation
  try {
    const written = requestJson(input, method, bodyFormat)
    const given = written === undefined ? input : bodyFormat.parseOwn(written)
    const { params, text, issues, unchecked } =
      extra === undefined || !isRecord(extra) || !isRecord(given)
        ? { params: given, text: written, issues: issuesOfParams(operation, given), unchecked: undefined }
        : addExtra(operation, given, extra, bodyFormat)
    if (options && !operation.documented) issues.push(...misplacedOptions(operation, given))
    if (pathId) for (const { message } of check(pathId.schema, id)) issues.push({ path: 'id', message })
    // What is wrong already is told once.
    const query = isInQuery(method) && issues.length === 0 ? queryOf(params, issues) : ''
    if (issues.length === 0 && text === undefined)
      issues.push({ path: '', message: 'cannot be written as JSON' })
    // The copy may lack what an object of a class holds.
    if (issues.length === 0 && !operation.documented) issues.push(...check(operation.request, input))
    if (issues.length > 0)
      return refusal(operation, issues, text === undefined ? undefined : params, redactor)
    const filled = pathId ? path.replace(/\{\w+\}/, encodeURIComponent(String(id))) : path
    const body = isInQuery(method) ? undefined : text
    return { path: filled + query, body, params: params as Composed['params'], extra: unchecked }
  } catch (error) {
    // A getter of the caller, for example.
    const issues = [{ path: '', message: `cannot be read: ${messageOf(error)}` }]
    return refusal(operation, issues, undefined, redactor)
  }
}

/** Checks params without the extra ones, and adds these. */
function addExtra(operation: Operation, given: ExtraParams, extra: object, bodyFormat: BodyFormat) {
  const { method, paging } = operation
  const written = requestJson(extra, method, bodyFormat)
  const unchecked = written === undefined ? {} : (bodyFormat.parseOwn(written) as ExtraParams)
  // A required param may be an extra one.
  const checked = withoutExtra(given, unchecked)
  const issues = issuesOfParams(operation, checked).filter(
    ({ path }) => !Object.hasOwn(unchecked, path) || isRecord(unchecked[path]),
  )
  if (written === undefined) issues.push({ path: 'extraParams', message: 'cannot be written as JSON' })
  if (paging && Object.hasOwn(unchecked, paging.param))
    issues.push({
      path: `extraParams.${paging.param}`,
      message: 'differs from page to page; pass it as a param',
    })
  const params = withExtra(given, unchecked)
  return { params, text: requestJson(params, method, bodyFormat), issues, unchecked }
}

/** What is wrong with params, by their documented bounds and by each other. */
function issuesOfParams(operation: Operation, params: unknown): FoundIssue[] {
  const issues = check(operation.request, params)
  return issues.length > 0 ? issues : (operation.contradictions?.(params) ?? [])
}

const misplaced = 'is an option: pass it after the params'

/** The error of a request with issues. It says which of them are options, and where a text goes in place of all params. */
function refusal(
  { id, paging, price, documented, method, request }: Operation,
  issues: readonly FoundIssue[],
  params: unknown,
  redactor: Redactor,
): InvalidRequestError {
  const [required] = typeof params === 'string' ? check(request, {}) : []
  const example = required?.path ? redactor.text(`; pass { ${required.path}: '${String(params)}' }`) : ''
  const told = firstIssues(issues, (text) => redactor.text(text)).map(({ path, message }) => {
    const isMisplaced = documented && isOption(path, { paging, price })
    return { path, message: isMisplaced ? misplaced : message + example }
  })
  const option = issues.find((issue) => issue.option)?.option
  const subject = method === 'PATCH' || method === 'PUT' ? 'the body' : 'params'
  const next = paging && (params as object | undefined)
  const effect = effectOf({ method, price }) === 'write' ? { applied: 'no' as const } : {}
  return new InvalidRequestError(told, { operation: id, next, attempts: [], ...effect, subject, option })
}

/** The params of a call, for the caller, who may change them; undefined if they cannot be written as JSON. */
export function paramsOf(request: Composed | InvalidRequestError): Record<string, unknown> | undefined {
  const params = request instanceof InvalidRequestError ? request.next : request.params
  return (params ?? undefined) && copyOf(params as Record<string, unknown>)
}

/** A copy of plain JSON, which may nest deeply. */
export function copyOf<T>(value: T): T {
  const root = { value }
  const open: object[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const name of namesOf(node)) {
      const child = (node as Readonly<Record<string | number, unknown>>)[name]
      if (typeof child !== 'object' || child === null) continue
      const copy: object = Array.isArray(child) ? [...(child as unknown[])] : { ...child }
      Object.assign(node, { [name]: copy })
      open.push(copy)
    }
  }
  return root.value
}

/** Whether the params of a request stand in its query, not in a body. */
function isInQuery(method: string): boolean {
  return method === 'GET' || method === 'DELETE'
}

/** Undefined if something would be lost in JSON. A BigInt and its text are the same in a query. */
function requestJson(input: unknown, method: string, { stringify }: BodyFormat): string | undefined {
  const plain = function (this: unknown, name: string, value: unknown): unknown {
    const given = (this as Readonly<Record<string, unknown>>)[name]
    // In place of an invalid date, JSON would have null.
    const isNoDate = given instanceof Date && Number.isNaN(given.getTime())
    if (isLostInJson(value) || isNoDate) throw new TypeError('JSON has no such value')
    return isInQuery(method) && typeof value === 'bigint' ? String(value) : value
  }
  try {
    return isInQuery(method) ? JSON.stringify(input, plain) : stringify(input, plain)
  } catch {
    return undefined
  }
}

/** Whether JSON leaves a value out, or writes another one: `{}` for a map, a set or a promise, null for NaN or a gap in a list. */
function isLostInJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.includes(undefined)
  if (typeof value === 'object' && value !== null)
    return !('toJSON' in value) && Object.prototype.toString.call(value) !== '[object Object]'
  return typeof value === 'number' ? !Number.isFinite(value) : ['function', 'symbol'].includes(typeof value)
}

/** An option among params that are not documented would be sent, and the call would do without it. */
function misplacedOptions(operation: Operation, params: unknown): FoundIssue[] {
  const names = Object.keys(Object(params) as object).filter((name) => isOption(name, operation))
  return names.map((path) => ({ path, message: misplaced, option: 'extraParams' }))
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

/** Plain JSON of the option `extraParams`. */
export type ExtraParams = Readonly<Record<string, unknown>>

/** Params with extra ones. Two objects of one name are combined; in place of anything else, the extra value is sent. */
export function withExtra(params: ExtraParams, extra: ExtraParams): Record<string, unknown> {
  const added = Object.entries(extra).map(([name, value]) => {
    const known = Object.hasOwn(params, name) ? params[name] : undefined
    return [name, isRecord(known) && isRecord(value) ? withExtra(known, value) : value] as const
  })
  // Unlike an assignment, it sets no prototype.
  return Object.fromEntries([...Object.entries(params), ...added])
}

/** Params without the extra ones, which are not checked: those of a next page have them. */
function withoutExtra(params: ExtraParams, extra: ExtraParams): Record<string, unknown> {
  const kept = Object.entries(params).flatMap(([name, value]) => {
    if (!Object.hasOwn(extra, name)) return [[name, value] as const]
    const inner = extra[name]
    if (!isRecord(inner)) return []
    if (!isRecord(value)) return [[name, value] as const]
    const rest = withoutExtra(value, inner)
    return Object.keys(rest).length === 0 ? [] : [[name, rest] as const]
  })
  return Object.fromEntries(kept)
}
