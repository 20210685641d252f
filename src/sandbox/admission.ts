import type { Scope } from '../api/operation.ts'
import { type SandboxResponse, errorResponse } from './responses.ts'
import type { RateLimits } from './rate-limits.ts'
import { matchPath } from '../api/match-path.ts'
import type { Route } from './routes.ts'

/** Scopes of a new API key (service description, part 5). */
export const defaultScopes: readonly Scope[] = [
  'mentions:read',
  'listeners:read',
  'feeds:read',
  'org:read',
  'search:read',
]

/** The scopes of a credential, and those that the member behind it has lost. */
export interface KeyPermissions {
  readonly scopes: readonly Scope[]
  readonly lost: readonly Scope[]
}

/** A request that is admitted to its operation, or the response that refuses it. */
export type Admission =
  | { readonly route: Route; readonly id: string; readonly refusal: null }
  | { readonly route: Route | null; readonly refusal: SandboxResponse }

/** Checks a request's path, method, credential, scopes and limits, in this order, before its body is read. */
export function admit(
  request: { path: string; method: string; authorization: string | null; requestId: string },
  rules: { routes: readonly Route[]; keys: ReadonlyMap<string, KeyPermissions>; limits: RateLimits },
): Admission {
  const { path, method, authorization, requestId } = request
  const { routes: atPath, id } = matchPath(path, rules.routes)
  if (atPath.length === 0) return refuse(null, 404, `No operation at ${path}`)

  const route = atPath.find(({ operation }) => operation.method === method)
  if (route === undefined) {
    const allowed = atPath.map(({ operation }) => operation.method).join(', ')
    const admission = refuse(null, 405, `${method} is not a method of ${path}, which has ${allowed}`)
    admission.refusal.headers.set('allow', allowed)
    return admission
  }

  const permissions = rules.keys.get(/^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '')
  if (permissions === undefined) return refuse(route, 401, 'Missing or unknown credential')

  const { scopes, surface } = route.operation
  const missing = scopes.filter((scope) => !permissions.scopes.includes(scope))
  if (missing.length > 0) return refuse(route, 403, `The credential lacks the scope ${missing.join(', ')}`)

  const lost = scopes.filter((scope) => permissions.lost.includes(scope))
  if (lost.length > 0) {
    return refuse(route, 403, `The member behind the credential lacks the permission ${lost.join(', ')}`)
  }

  const retryAfter = rules.limits.admit(surface)
  if (retryAfter !== null) return refuse(route, 429, 'Too many requests', retryAfter)

  return { route, id, refusal: null }

  function refuse(to: Route | null, status: number, message: string, after?: number) {
    return { route: to, refusal: errorResponse(requestId, status, { message, retryAfter: after }) }
  }
}
