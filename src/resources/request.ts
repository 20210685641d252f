import type { Operation } from '../api/operation.ts'
import { type OpenBody, undocumentedRead } from '../api/endpoints/undocumented.ts'
import type { AnyCallOptions } from '../core/options/options.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import { type Transport, clientTransport } from '../core/call/transport.ts'
import { operations } from '../api/operations.ts'
import { assertOptions, milliseconds, nonEmptyText, requireOption } from '../errors/check-options.ts'
import { ofProcess } from '../lib/runtime.ts'

/** An endpoint that this version does not know. `credits` is the price of a success; 0 if it is free. */
export type Endpoint = {
  /**
   * Path below the base URL, such as `/data/microblog/trends`. It must be plain: no `..`, `%`, query or host. With `{id}` in place
   * of ids, it is the name of the call in errors, credits and telemetry: `GET /mentions/{id}`.
   */
  path: string
  /**
   * The search surface whose rate limit it shares; null for none. Default: the network of a path below `/data`, otherwise
   * none.
   */
  surface?: string | null | undefined
  /** Timeout of one attempt, in milliseconds. Default 30,000. */
  timeout?: number | undefined
} & (
  | { method: 'GET'; credits?: number | undefined }
  | { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; credits: number }
)

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Segments of characters that no server or runtime reads in another way. */
const plainPath = /^(\/(?!\.{1,2}(\/|$))[\w.~!$&'()*+,;=:@-]+)+$/

/** Paths of more words than these share one name. */
const mostNames = 200
const mostSurfaces = 20

/** Calls an endpoint that the table of operations does not have. */
export function request(
  transport: Transport,
  endpoint: Endpoint,
  params: object = {},
  options: AnyCallOptions = {},
): ApiCall<Partial<OpenBody>> {
  const calls = clientTransport(transport)
  const call = async () =>
    // What it stores would answer a second call, which may be meant to change something.
    calls.request(operationOf(endpoint), params, { ...options, cache: options.cache ?? false })
  return new ApiCall(call())
}

/** @throws {ConfigurationError} */
function operationOf(endpoint: Endpoint): Operation {
  assertOptions<Endpoint & { method: string; credits?: number | undefined }>(endpoint, {
    ...{ method: true, path: true, credits: true, surface: true, timeout: true },
  })
  const { method, path, timeout, credits = method === 'GET' ? 0 : undefined } = endpoint
  requireOption(method, methods.includes(method), `method must be one of ${methods.join(', ')}`)
  const isPlain = typeof path === 'string' && plainPath.test(path) && !path.includes('..')
  requireOption(path, isPlain, 'path must start with / and be plain: no .., %, query or host')
  requireOption(
    credits,
    Number.isFinite(credits) && Number(credits) >= 0,
    'credits must be a number of at least 0; only GET may omit it',
  )
  const template = templateOf(path)
  const { surface = surfaceOf(template) } = endpoint
  return {
    ...undocumentedRead,
    ...{ id: nameOf(method, template), summary: '', method, path, scopes: [] },
    mayBeEmpty: true,
    surface: surface === null ? null : nonEmptyText('surface', surface),
    price: credits ? { kind: 'perRequest', credits, rate: null } : { kind: 'free', isAssumed: true },
    ...(timeout !== undefined && { timeoutMs: milliseconds('timeout', timeout) }),
  }
}

/** Words without digits, or one that ends with few, as a version does: `reports`, `set-state`, `openapi.json`, `v2`, `top10`. */
const words = /^(?:[a-z]+\d{0,2}|[a-z][a-z.~!$&'()*+,;=:_-]*)$/i

const longestWords = 40

/** A path with `{id}` in place of each id: a number, a UUID, a date, an address, a token, an id with a prefix such as `men_`. */
function templateOf(path: string): string {
  const all: readonly Operation[] = operations
  const isWords = (segment: string): boolean =>
    segment.length <= longestWords &&
    words.test(segment) &&
    !all.some(({ pathId }) => pathId?.prefix !== undefined && segment.startsWith(pathId.prefix))
  return path.replaceAll(/[^/]+/g, (segment) => (isWords(segment) ? segment : '{id}'))
}

/** Names of one kind in a process: ledgers, spans, metrics and limiters keep each for good. */
function boundedName(kind: string, most: number, name: string, otherwise: string): string {
  const names = ofProcess(`${kind} 1`, () => new Set<string>())
  if (names.size < most) names.add(name)
  return names.has(name) ? name : otherwise
}

function nameOf(method: string, template: string): string {
  const name = `${method} ${template}`
  return boundedName('endpoints', mostNames, name, `${method} /{path}`)
}

/** The network of a path below `/data`. */
function surfaceOf(template: string): string | null {
  const network = /^\/data\/([^/]+)\//.exec(template)?.[1]
  return network === undefined ? null : boundedName('networks', mostSurfaces, network, '{network}')
}
