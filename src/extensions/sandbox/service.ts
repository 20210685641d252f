import { descriptionGet } from '../../api/endpoints/description.ts'
import { undocumentedRead } from '../../api/endpoints/undocumented.ts'
import { inputOf, matchPath } from '../../api/incoming-request.ts'
import { itemsOf } from '../../api/list-items.ts'
import { organizationLimits } from '../../api/limits.ts'
import type { Operation, Scope } from '../../api/operation.ts'
import { type OperationId, type ParamsOf, operations } from '../../api/operations.ts'
import { costOf } from '../../api/price.ts'
import { check } from '../../api/schema/check.ts'
import { assertOptions, requireOption } from '../../errors/check-options.ts'
import { randomId } from '../../lib/hash.ts'
import { isA } from '../../lib/thrown.ts'
import { sleep } from '../../lib/time.ts'
import { errorResponse, invalid, readBody, SandboxError } from './answers.ts'
import { catalogPath, createCatalog } from './catalog.ts'
import { findCompany, listMatching, madeUpCompanies } from './companies.ts'
import context from './context.json' with { type: 'json' }
import { describeService } from './description.ts'
import { type Fault, Faults, altered, connectionReset, cutShort, injectedBy } from './faults.ts'
import { microblogPosts, searchMicroblog, searchTechnews, technewsPosts } from './microblog.ts'
import { commentsOf, commentsOn, networkPosts, postsOf, reactionsOn, searchPosts } from './network.ts'
import { createFeeds, createMentions, getRecord, listRecords } from './organization.ts'
import { ownContentOf } from './own-content.ts'
import { createPostStore } from './post-store.ts'
import { createRandom } from './random.ts'
import type { RequestEntry, Sandbox, SandboxLedger, SandboxOptions } from './types.ts'

/** Prefix of every operation's path. */
const basePath = '/v1'

/** A sandbox for any address, with the handler that a server needs. */
export function createService(options: SandboxOptions) {
  const settings = resolveOptions(options)
  const { perMinute } = settings.limits
  const state = createState(settings)
  const { apiKey, writeKey, ledger, catalog, faults, requests } = state
  const handle = (request: Request): Promise<Response> => answer(request, state)

  /** The sandbox at an address. */
  function sandboxAt(origin: string): Sandbox {
    const baseUrl = origin + basePath
    return {
      fetch: handle,
      baseUrl,
      apiKey,
      writeKey,
      catalog: { baseUrl: origin + catalogPath, token: catalog.token },
      clientOptions: () => ({
        baseUrl,
        apiKey,
        fetch: handle,
        organization: `sandbox ${label()}`,
        ...(perMinute !== organizationLimits.perMinute && { limits: { perMinute } }),
        dangerouslyAllowBrowser: true,
        logger: false,
      }),
      ledger,
      requests,
      inject: (fault) => faults.add(fault),
      publish: settings.own.publish,
    }
  }
  return { sandboxAt, handle }
}

/** What the requests to a sandbox share. */
type State = ReturnType<typeof createState>

function createState(settings: Settings) {
  const { seed } = settings
  const [min, max] = settings.latency
  const latencies = createRandom(`${seed}/latencies`)
  const madeUpKey = (name: string): string => `sandbox_${createRandom(`${seed}/${name}`).hex(32)}`
  const [apiKey, writeKey] = [madeUpKey('key'), madeUpKey('write key')]
  const ledger = { spent: 0, byOperation: {} as Record<string, number> }
  return {
    ...{ apiKey, writeKey, ledger },
    requests: [] as RequestEntry[],
    keys: new Map<string, readonly Scope[]>([
      [apiKey, defaultScopes],
      [writeKey, allScopes],
      ...settings.keys.map(({ key, scopes }) => [key, scopes] as const),
    ]),
    handlers: createHandlers(settings, ledger),
    catalog: createCatalog(seed),
    limits: enforced(settings.limits),
    faults: new Faults(),
    ids: createRandom(`${seed}/ids`),
    latency: () => min + latencies.next() * (max - min),
  }
}

/** A request counts as open until its answer is made, since a test may never read it, or until one that breaks off has ended. */
async function answer(request: Request, state: State): Promise<Response> {
  request.signal.throwIfAborted()
  const { catalog, faults, handlers, keys, latency, ledger, limits } = state
  if (catalog.owns(new URL(request.url).pathname)) return catalog.handle(request, register(request, state))
  const release = limits.enter(request)
  try {
    // Everything that depends on the order of requests is decided before the first await.
    const entry = register(request, state)
    const { operation, id } = operationAt(entry)
    entry.operation = operation.id || null
    const refusal = refusalOf(operation, request.headers.get('authorization'), keys, limits)
    const fault = refusal ? {} : faults.take(operation.id)
    const delay = refusal ? 0 : latency() + (fault.delay ?? 0)

    entry.body = await readBody(request)
    // A caller that gives up ends the wait, but is charged: the service has the request.
    await sleep(delay, request.signal).catch(() => {})
    if (fault.reset === 'before') throw connectionReset('fetch failed')
    const response = respond(entry, operation, fault, ledger, () => {
      if (refusal) throw refusal
      const handler = handlers[operation.id as OperationId] as Handler | undefined
      if (handler) return handler(inputFor(operation, entry), id)
      throw new SandboxError(404, { message: `No operation ${entry.method} ${entry.path}` })
    })
    if (fault.reset === 'after') throw connectionReset('fetch failed')
    request.signal.throwIfAborted()
    const { status } = response
    const { headers, body } = altered(response.body, response.retryAfter, fault)
    entry.status = status
    if (fault.cut === undefined) release()
    const sent = fault.cut === undefined ? body : cutShort(body, fault.cut, request, release)
    return new Response([204, 205, 304].includes(status) ? null : sent, { status, headers })
  } catch (error) {
    release()
    throw error
  }
}

function register(request: Request, { ids, limits, requests }: State): RequestEntry {
  const { pathname, search } = new URL(request.url)
  const entry: RequestEntry = {
    at: performance.now(),
    method: request.method,
    path: pathname,
    query: search,
    headers: keptHeaders(request),
    operation: null,
    status: null,
    requestId: `req_${ids.hex(16)}`,
    inFlight: limits.open.size,
    body: undefined,
    charged: 0,
  }
  requests.push(entry)
  return entry
}

/** Answers a request, or with its fault, and charges for a success. */
function respond(
  entry: RequestEntry,
  operation: Operation,
  fault: Fault,
  ledger: State['ledger'],
  process: () => object,
) {
  const { byOperation } = ledger
  try {
    const injected = injectedBy(fault, operation.errors)
    const { status, data } = injected ?? { status: 200, data: process() }
    const credits = status < 300 ? (costOf(operation.price, data, () => itemsOf(operation, data)) ?? 0) : 0
    entry.charged = credits
    ledger.spent += credits
    if (credits > 0) byOperation[operation.id] = (byOperation[operation.id] ?? 0) + credits
    // Whether the service adds a request id to its description is not documented.
    const sent = operation === descriptionGet ? data : { requestId: entry.requestId, ...(data as object) }
    return { status, retryAfter: undefined, body: injected ? '' : JSON.stringify(sent) }
  } catch (error) {
    if (isA(error, SandboxError)) return errorResponse(entry.requestId, error)
    throw error
  }
}

let labels = 0

/** A label that no other client has. Edge workers refuse random values before the first request. */
function label(): string {
  try {
    return randomId(16)
  } catch {
    return String(++labels)
  }
}

function keptHeaders({ headers }: Request): Record<string, string> {
  const authorization = headers.get('authorization')?.replace(/^(\S+ )?.*$/, '$1[redacted]')
  return { ...Object.fromEntries(headers), ...(authorization !== undefined && { authorization }) }
}

/** A handler of any operation. */
type Handler = (input: unknown, id: string) => object

/**
 * The operation of a request, and the id in its path. What the service lacks has no name: a test may have injected an answer. No
 * limit of a rate, price or scope of it is known.
 */
function operationAt({ path, method }: RequestEntry): { operation: Operation; id: string } {
  const { routes, id } = matchPath(path.startsWith(basePath) ? path.slice(basePath.length) : '', operations)
  const unknown = { ...undocumentedRead, id: '', summary: '', path, scopes: [] }
  return { operation: routes.find((each) => each.method === method) ?? unknown, id }
}

/** @throws {SandboxError} for a request that the service refuses. */
function inputFor(operation: Operation, { body, query }: RequestEntry): unknown {
  if (operation.method !== 'GET' && body === undefined) throw invalid([{ path: '', message: 'must be JSON' }])
  const input = body === undefined ? inputOf(query, operation) : body
  const issues = check(operation.request, input)
  if (issues.length > 0) throw invalid(issues)
  return input
}

/** The most posts an hour about a query: one a second, as finely as times of posts are told apart. */
const maxPerHour = 3600

/** Options with defaults. */
type Settings = ReturnType<typeof resolveOptions>

/** Refuses unknown options, and fills in defaults. */
export function resolveOptions(options: SandboxOptions) {
  assertOptions(options, {
    ...{ seed: true, posts: true, now: true, growth: true, latency: true, limits: true },
    ...{ content: true, keys: true },
  })
  const { seed = 1, posts = 4000, growth = 0, latency = 0, limits = {}, content = {}, keys = [] } = options
  assertOptions(limits, { inFlight: true, perMinute: true, windowMs: true }, 'limits')
  const now = clockOf('now', options.now)
  const growing = typeof growth === 'number' ? { perHour: growth } : growth
  assertOptions(growing, { perHour: true, since: true }, 'growth')
  const { perHour, since = now } = growing
  const isRate = perHour >= 0 && perHour <= maxPerHour
  requireOption(perHour, isRate, `growth must be a number of posts an hour from 0 to ${maxPerHour}`)
  return {
    ...{ seed, posts, keys, now },
    growth: { perHour, since: clockOf('growth.since', since)() },
    latency: typeof latency === 'number' ? ([latency, latency] as const) : latency,
    limits: {
      inFlight: limits.inFlight ?? organizationLimits.inFlight,
      perMinute: limits.perMinute ?? organizationLimits.perMinute,
      windowMs: limits.windowMs ?? organizationLimits.windowMs,
    },
    own: ownContentOf(content, seed, now),
  }
}

function clockOf(name: string, now: SandboxOptions['now'] = () => Date.now()): () => number {
  return () => {
    const time = Number(typeof now === 'function' ? now() : now)
    return requireOption(time, time >= 0, `${name} must be a time since 1970`)
  }
}

/** Makes the body of each operation's success without its request id, or throws a `SandboxError`; `id` is the one in its path. */
type Handlers = { readonly [Id in OperationId]: (input: Exclude<ParamsOf<Id>, string>, id: string) => object }

/**
 * Makes the handlers of one sandbox, for input that has passed the check of its request. Changes made by its requests do not
 * affect other sandboxes.
 */
export function createHandlers(settings: Settings, ledger: SandboxLedger): Handlers {
  const { seed, posts, own } = settings
  const { listeners } = own
  const feeds = createFeeds(seed, listeners)
  const mentions = createMentions(settings, own.mentions, listeners)
  const microblog = createPostStore(settings, microblogPosts, posts, own.microblog)
  const technews = createPostStore(settings, technewsPosts, Math.ceil(posts / 5))
  const network = createPostStore(settings, networkPosts, Math.ceil(posts / 4), own.professionalnet)
  return {
    'microblog.search': (input) => searchMicroblog(microblog, input),
    'professionalnet.posts.search': (input) => searchPosts(network, input),
    'professionalnet.company.get': ({ url }) => findCompany([...own.companies, ...madeUpCompanies], url),
    'professionalnet.person.posts': (input) => postsOf(network, input),
    'professionalnet.person.comments': (input) => commentsOf(network, input),
    'professionalnet.posts.comments': (input) => commentsOn(network, input),
    'professionalnet.posts.reactions': (input) => reactionsOn(network, input),
    'professionalnet.industries.list': listMatching,
    'technews.search': (input) => searchTechnews(technews, input),
    'mentions.list': (input) => mentions.list(input),
    'mentions.get': (_, id) => mentions.get(id),
    'mentions.count': mentions.count,
    'mentions.setState': (input, id) => mentions.setState(id, input),
    'listeners.list': (input) => listRecords('listeners', listeners, input),
    'listeners.get': (_, id) => getRecord('listener', listeners, id),
    'feeds.list': (input) => listRecords('feeds', feeds, input),
    'feeds.get': (_, id) => getRecord('feed', feeds, id),
    // The shapes are made up.
    'organization.context': () => context,
    'organization.usage': () => ({ usage: { creditsSpent: ledger.spent, byOperation: ledger.byOperation } }),
    openapi: describeService,
  }
}

/** Every scope of the service, some more than once. */
const allScopes: readonly Scope[] = operations.flatMap(({ scopes }) => scopes)

/** Scopes of a new API key: those that read (service description, part 5). */
const defaultScopes = allScopes.filter((scope) => scope.endsWith(':read'))

/** Why a request is refused before its body is read; undefined if it is not. */
function refusalOf(
  { scopes, surface }: Operation,
  authorization: string | null,
  keys: ReadonlyMap<string, readonly Scope[]>,
  limits: ReturnType<typeof enforced>,
): SandboxError | undefined {
  const held = keys.get(/^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '')
  if (held === undefined) return new SandboxError(401, { message: 'Missing or unknown credential' })
  const missing = scopes.filter((scope) => !held.includes(scope)).join(', ')
  if (missing !== '') return new SandboxError(403, { message: `The credential lacks the scope ${missing}` })
  const retryAfter = limits.count(surface)
  if (retryAfter === null) return undefined
  return new SandboxError(429, { message: 'Too many requests', retryAfter })
}

/** Enforces the organization's limits: requests in flight, and requests per window on each surface. */
function enforced({ inFlight, perMinute, windowMs }: Settings['limits']) {
  // Keeps the requests themselves: aborting a Request that was garbage-collected does not reach its signal, so a
  // stalled one would stay open forever.
  const open = new Set<{ readonly request: Request }>()
  const arrivals = new Map<string, number[]>()
  return {
    open,
    /** Counts a request as open until the returned function is called. */
    enter(request: Request): () => void {
      const entry = { request }
      open.add(entry)
      return () => void open.delete(entry)
    },
    /** Counts a request towards its surface. Returns null if it is accepted, or the seconds until a retry. */
    count(surface: string | null): number | null {
      if (inFlight !== false && open.size > inFlight) return 1
      if (surface === null || perMinute === false) return null
      const now = performance.now()
      const log = (arrivals.get(surface) ?? []).filter((at) => now - at < windowMs)
      arrivals.set(surface, log)
      // The window is full until this request leaves it.
      const blocker = log.at(-perMinute)
      if (blocker !== undefined) return Math.max(1, Math.ceil((blocker + windowMs - now) / 1000))
      log.push(now)
      return null
    },
  }
}
