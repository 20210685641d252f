import type { Scope } from '../../api/operation.ts'
import { undocumentedRead } from '../../api/endpoints/undocumented.ts'
import { operations } from '../../api/operations.ts'
import { matchPath } from '../../api/incoming-request.ts'
import { SandboxError } from './responses.ts'
import { type Route, basePath } from './routes.ts'
import type { RequestEntry } from './types.ts'
import type { Settings } from './options.ts'

/** Every scope of the service, some more than once. */
export const allScopes: readonly Scope[] = operations.flatMap(({ scopes }) => scopes)

/** Scopes of a new API key: those that read (service description, part 5). */
export const defaultScopes = allScopes.filter((scope) => scope.endsWith(':read'))

/** The route of an admitted request, and the id in its path. */
export interface Admitted extends Route {
  readonly pathId: string
  /** The answer to a path that the service lacks, unless a test has injected another one. */
  readonly refusal?: SandboxError
}

/**
 * Checks a request's path, method, credential, scopes and limits, in this order, before its body is read. Notes the
 * operation in the request's entry. Returns its route, or why it is refused.
 *
 * @param rules `isAnyAwaited`: an injected answer is meant for the next request, whatever its path.
 */
export function routeFor(
  entry: RequestEntry,
  authorization: string | null,
  rules: {
    routes: readonly Route[]
    keys: ReadonlyMap<string, readonly Scope[]>
    limits: RateLimits
    isAnyAwaited: boolean
  },
): Admitted | SandboxError {
  const { path, method } = entry
  const { routes: atPath, id: pathId } = matchPath(path, rules.routes)
  const known = atPath.find(({ operation }) => operation.method === method)
  const refusal = known === undefined ? refusalOf(entry, atPath) : undefined
  if (refusal !== undefined && !(rules.isAnyAwaited && path.startsWith(`${basePath}/`))) return refusal
  const route = known ?? unknownRoute
  const { id, scopes, surface } = route.operation
  entry.operation = known ? id : null

  const held = rules.keys.get(/^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '')
  if (held === undefined) return new SandboxError(401, { message: 'Missing or unknown credential' })

  const missing = scopes.filter((scope) => !held.includes(scope)).join(', ')
  if (missing !== '') return new SandboxError(403, { message: `The credential lacks the scope ${missing}` })

  const retryAfter = rules.limits.count(surface)
  return retryAfter === null
    ? { ...route, pathId, ...(refusal && { refusal }) }
    : new SandboxError(429, { message: 'Too many requests', retryAfter })
}

/** Why the service has no operation for a request. */
function refusalOf({ path, method }: RequestEntry, atPath: readonly Route[]): SandboxError {
  if (atPath.length === 0) return new SandboxError(404, { message: `No operation at ${path}` })
  const allow = atPath.map(({ operation }) => operation.method).join(', ')
  const message = `${method} is not a method of ${path}, which has ${allow}`
  return new SandboxError(405, { message, headers: { allow } })
}

/** What stands for a path that the service lacks. No limit of a rate, price or scope of it is known. */
const unknownRoute: Route = {
  operation: { ...undocumentedRead, id: '', summary: '', path: '', scopes: [] },
  path: '',
  handle: () => ({}),
}

/** Enforces the organization's limits: requests in flight, and requests per window on each surface. */
export class RateLimits {
  readonly #limits: Settings['limits']
  // Keep the requests themselves: aborting a Request that was garbage-collected does not reach its signal, so a
  // stalled one would stay open forever.
  readonly #open = new Set<{ readonly request: Request }>()
  readonly #arrivals = new Map<string, number[]>()

  constructor(limits: Settings['limits']) {
    this.#limits = limits
  }

  /** How many requests are open. */
  get openCount(): number {
    return this.#open.size
  }

  /** Counts a request as open until the returned function is called. */
  enter(request: Request): () => void {
    const entry = { request }
    this.#open.add(entry)
    return () => void this.#open.delete(entry)
  }

  /** Counts a request towards its surface. Returns null if it is accepted, or the seconds until a retry. */
  count(surface: string | null): number | null {
    const { inFlight, perMinute, windowMs } = this.#limits
    if (inFlight !== false && this.openCount > inFlight) return 1
    if (surface === null || perMinute === false) return null
    const now = performance.now()
    const log = (this.#arrivals.get(surface) ?? []).filter((at) => now - at < windowMs)
    this.#arrivals.set(surface, log)
    // The window is full until this request leaves it.
    const blocker = log.at(-perMinute)
    if (blocker !== undefined) return Math.max(1, Math.ceil((blocker + windowMs - now) / 1000))
    log.push(now)
    return null
  }
}
