import { undocumentedRead } from '../../api/endpoints/undocumented.ts'
import type { Scope } from '../../api/operation.ts'
import { operations } from '../../api/operations.ts'
import { matchPath } from '../../api/incoming-request.ts'
import { SandboxError } from './responses.ts'
import type { Route } from './routes.ts'
import type { RequestEntry } from './types.ts'
import type { Settings } from './options.ts'

/** Every scope of the service, some more than once. */
export const allScopes: readonly Scope[] = operations.flatMap(({ scopes }) => scopes)

/** Scopes of a new API key: those that read (service description, part 5). */
export const defaultScopes = allScopes.filter((scope) => scope.endsWith(':read'))

/** The route of a request, and the id in its path. */
export function routeFor({ path, method }: RequestEntry, routes: readonly Route[]) {
  const { routes: atPath, id } = matchPath(path, routes)
  const route = atPath.find(({ operation }) => operation.method === method)
  return { route: route ?? unknownRoute(path, method), id }
}

/** What the service lacks, unless a test has injected an answer. No limit of a rate, price or scope of it is known. */
function unknownRoute(path: string, method: string): Route {
  return {
    operation: { ...undocumentedRead, id: '', summary: '', path, scopes: [] },
    path,
    handle: () => {
      throw new SandboxError(404, { message: `No operation ${method} ${path}` })
    },
  }
}

/** Why a request is refused before its body is read; undefined if it is not. */
export function refusalOf(
  { operation }: Route,
  authorization: string | null,
  keys: ReadonlyMap<string, readonly Scope[]>,
  limits: RateLimits,
): SandboxError | undefined {
  const held = keys.get(/^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '')
  if (held === undefined) return new SandboxError(401, { message: 'Missing or unknown credential' })
  const missing = operation.scopes.filter((scope) => !held.includes(scope)).join(', ')
  if (missing !== '') return new SandboxError(403, { message: `The credential lacks the scope ${missing}` })
  const retryAfter = limits.count(operation.surface)
  if (retryAfter === null) return undefined
  return new SandboxError(429, { message: 'Too many requests', retryAfter })
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
