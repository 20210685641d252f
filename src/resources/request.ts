import type { Operation } from '../api/operation.ts'
import { type OpenBody, undocumentedRead } from '../api/endpoints/undocumented.ts'
import type { AnyCallOptions } from '../core/options/types.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import { type Transport, clientTransport } from '../core/call/transport.ts'
import { assertOptions, milliseconds, nonEmptyText, requireOption } from '../errors/check-options.ts'

/** An endpoint that this version does not know. `credits` is the price of a success; 0 if it is free. */
export type Endpoint = {
  /** Path below the base URL, such as `/data/microblog/trends`. It must be plain: no `..`, `%`, query or host. */
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

/** Calls an endpoint that the table of operations does not have. */
export function request(
  transport: Transport,
  endpoint: Endpoint,
  params: object = {},
  options: AnyCallOptions = {},
): ApiCall<OpenBody> {
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
    'credits must be the price of a success, a number of at least 0; only GET is free by default',
  )
  const { surface = /^\/data\/([^/]+)\//.exec(path)?.[1] ?? null } = endpoint
  return {
    ...undocumentedRead,
    ...{ id: `${method} ${path}`, summary: '', method, path, scopes: [] },
    surface: surface === null ? null : nonEmptyText('surface', surface),
    price: credits ? { kind: 'perRequest', credits, rate: null } : { kind: 'free', isAssumed: true },
    ...(timeout !== undefined && { timeoutMs: milliseconds('timeout', timeout) }),
  }
}
