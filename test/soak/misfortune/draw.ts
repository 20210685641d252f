import { sleep } from '../../../bench/simulate/clock.ts'
import type { AnyCallOptions } from '../../../src/core/options/options.ts'
import {
  type AuthProvider,
  type ClientOptions,
  type CreditBudget,
  type Logger,
  SocialSearch,
} from '../../../src/index.ts'
import { type Random, createRandom } from '../../../src/extensions/sandbox/random.ts'
import { shows } from './checks.ts'
import { baseUrl, callHeader, simulatedFetch } from './network.ts'
import { type SoakOperation, soakOperations } from './operations.ts'
import {
  type AbortPlan,
  type CallRecord,
  type CallSettings,
  type ClientRecord,
  type Credential,
  type Mode,
  type Moment,
  type OrganizationRecord,
  type World,
} from './world.ts'

/** Options that a client, a variant of it and a call may have, with the settings that follow from them. */
interface DrawnOptions {
  readonly options: Pick<ClientOptions, 'validation' | 'retry' | 'timeout' | 'deadline'> & {
    readonly budget?: CreditBudget
  }
  readonly settings: CallSettings
}

const defaults: CallSettings = {
  ...{ validation: 'strict', retriesUnknown: false, maxAttempts: Infinity },
  ...{ timeoutMs: null, deadlineMs: null, budgets: [] },
}

/** Values of the option `retry`, and what follows from them. */
const retries: readonly [ClientOptions['retry'], maxAttempts: number][] = [
  [false, 1],
  [{ unknown: true }, Infinity],
  [{ unknown: true, maxAttempts: 2 }, 2],
  [{ maxAttempts: 2 }, 2],
  [{ maxAttempts: 9, maxWait: 1000 }, 9],
  [{ maxWait: 200_000 }, Infinity],
  [{}, Infinity],
]

/** Draws options on top of those that hold already. */
function drawOptions(random: Random, budgets: readonly CreditBudget[], base = defaults): DrawnOptions {
  const validation = random.pick(['strict', 'lenient', 'off'] as const)
  const [retry, maxAttempts] = random.pick(retries)
  const retriesUnknown = typeof retry === 'object' && retry.unknown === true
  const timeout = random.pick([1, 100, 1000, 5000])
  const deadline = random.pick([1, 500, 3000, 30_000, 120_000])
  const budget = budgets.length > 0 ? random.pick(budgets) : undefined
  const drawn: [chance: number, DrawnOptions['options'], Partial<CallSettings>][] = [
    [0.25, { validation }, { validation }],
    [0.3, { retry }, { retriesUnknown, maxAttempts }],
    [0.08, { timeout }, { timeoutMs: timeout }],
    [0.06, { deadline }, { deadlineMs: deadline }],
  ]
  if (budget) drawn.push([0.2, { budget }, { budgets: [...new Set([...base.budgets, budget])] }])
  const chosen = drawn.filter(([chance]) => random.chance(chance))
  return {
    options: Object.assign({}, ...chosen.map(([, option]) => option)) as DrawnOptions['options'],
    settings: Object.assign({}, base, ...chosen.map(([, , setting]) => setting)) as CallSettings,
  }
}

/** Options in a line of the trace. */
function said({ budget, ...options }: DrawnOptions['options']): string {
  const limit = budget === undefined ? '' : ` with a budget of ${budget.limit}`
  return `${JSON.stringify(options)}${limit}`
}

/** Makes the labels differ, so that a run that is repeated in one process does not find the limits of the first. */
let organizations = 0

export function drawOrganization(random: Random, name: string): OrganizationRecord {
  const isPaced = random.chance(0.7)
  const paces = isPaced ? [{}, {}, {}, { perMinute: 7 }] : [{ perMinute: false as const }, { perMinute: 60 }]
  return {
    ...{ name, label: `${name} of run ${++organizations}`, isPaced },
    limits: {
      ...random.pick<ClientOptions['limits'] & object>(paces),
      ...random.pick([{}, {}, {}, {}, { inFlight: 1 }]),
    },
    ...{ open: new Set(), arrivals: new Map(), closedUntil: new Map() },
  }
}

export function drawClient(
  random: Random,
  name: string,
  organization: OrganizationRecord,
  world: World,
): ClientRecord {
  const { budgets, trace, interfere } = world
  const { label, limits, isPaced } = organization
  const credential = drawCredential(random, world)
  const { options, settings } = drawOptions(random, budgets)
  const prices = random.chance(0.2) ? { 'microblog.search': 3, 'professionalnet.posts.search': 0.5 } : {}
  const client = new SocialSearch({
    ...{ baseUrl, fetch: simulatedFetch(world), organization: label, limits, prices },
    logger: watchingLogger(credential.secrets, world),
    ...(random.chance(0.5) && { observers: [{ onWait: interfere }] }),
    ...credential.options,
    ...options,
  })
  const more = drawOptions(random, budgets, settings)
  const variant = { client: client.withOptions(more.options), settings: more.settings }
  const pace = isPaced ? 'paced' : 'not paced'
  trace.add(
    `${name} of ${organization.name}: ${credential.kind}, ${JSON.stringify(limits)}, ${said(options)}, ${pace}`,
  )
  const variants = [{ client, settings }, ...(random.chance(0.4) ? [variant] : [])]
  return { name, organization, variants, prices, credential, closedAt: null, calls: [] }
}

/** A logger that looks for secrets in its lines. */
function watchingLogger(secrets: ReadonlySet<string>, { interfere, trace }: World): Logger {
  const log = (message: string, fields: object): void => {
    if (shows(JSON.stringify([message, fields]), secrets)) trace.fail(`a log line shows a secret: ${message}`)
    interfere()
  }
  return { debug: log, info: log, warn: log, error: log }
}

/** Comes back as it is. */
export const refreshFailed = new Error('no refresh now')

const kinds = ['key', 'function', 'slow function', 'refreshable', 'slow refresh', 'failing refresh'] as const

/** Draws a way in which a client gets its key or tokens. */
function drawCredential(random: Random, world: World): Credential {
  const secrets = new Set<string>()
  /** When the service stops accepting a token. */
  const ends = new Map<string, number>()
  const give = (name: string): string => {
    // Its characters are some that JSON and URLs write differently.
    const secret = `soak${name}${random.hex(12)}"\\/+&=${random.hex(4)}`
    secrets.add(secret)
    return secret
  }
  const giveToken = (): string => {
    const token = give('Token')
    if (random.chance(0.7)) ends.set(token, performance.now() + random.integer(0, 60_000))
    return token
  }
  const optionsOf = (): Credential['options'] => {
    if (kind === 'key') return { apiKey: give('Key') }
    if (kind !== 'function' && kind !== 'slow function')
      return { auth: refreshable(kind, giveToken, random, world) }
    const key = give('Key')
    const apiKey = (): string => (world.interfere(), key)
    return { apiKey: kind === 'function' ? apiKey : () => sleep(random.integer(0, 2000)).then(apiKey) }
  }
  const kind = random.pick(kinds)
  const options = optionsOf()
  return {
    ...{ kind, secrets, options, isRefreshable: options.auth !== undefined },
    isRevoked: (token) => performance.now() >= (ends.get(token) ?? Infinity),
  }
}

/** Gives another token after each refresh, and notes if the client asks twice. */
function refreshable(kind: string, give: () => string, random: Random, { trace }: World): AuthProvider {
  let token = give()
  let running = 0
  const refreshed = new Set<string>()
  return {
    token: () => token,
    refresh: async (refused) => {
      if (++running > 1) trace.fail('two refreshes at once')
      if (refreshed.has(refused)) trace.fail('a token was refreshed twice')
      try {
        if (kind === 'slow refresh') await sleep(random.integer(100, 10_000))
        if (kind === 'failing refresh' && random.chance(0.5)) throw refreshFailed
        refreshed.add(refused)
        token = give()
      } finally {
        running--
      }
    },
  }
}

const waiting: readonly Mode[] = ['await', 'withResponse']
const reading: readonly Mode[] = ['pages', 'items', 'toArray', 'together', 'resume', 'resume']

/** What costs credits most often, what changes data, or anything. */
function drawGroup(random: Random): readonly SoakOperation[] {
  const share = random.next()
  if (share < 0.4) return soakOperations.slice(0, 3)
  return share < 0.5 ? soakOperations.filter(({ method }) => method === 'PATCH') : soakOperations
}

/** A call that is ready to be made. */
export function drawCall(
  id: string,
  clients: readonly ClientRecord[],
  spreadMs: number,
  { seed, budgets, crowd }: World,
): CallRecord {
  const random = createRandom(`${seed}/${id}`)
  const owner = random.pick(clients)
  const { client, settings: base } = random.pick(owner.variants)
  const documented = crowd ?? random.pick(drawGroup(random))
  const operation = { ...documented, price: owner.prices[documented.id] ?? documented.price }
  const mode = random.pick(operation.paging === undefined ? waiting : [...waiting, ...reading])
  const { options, settings } = drawOptions(random, budgets, base)
  const plan = drawAbortPlan(random, () => (call.abortedAt = performance.now()))
  const walks: AnyCallOptions = {
    ...(random.chance(0.15) && { limit: random.integer(1, 8) }),
    ...(random.chance(0.15) && { maxPages: random.integer(1, 4) }),
  }
  const aborted = plan === null ? '' : `, aborted: ${plan.what}`
  const call: CallRecord = {
    ...{ id, operation, owner, client, settings, mode, plan, random },
    startsAt: random.integer(0, spreadMs),
    options: {
      ...options,
      headers: { [callHeader]: id },
      ...(random.chance(0.1) && { priority: random.integer(-1, 3) }),
      ...(reading.includes(mode) && walks),
      ...(plan && { signal: plan.controller.signal, observers: [{ onWait: () => plan.reach('wait') }] }),
    },
    what: `${operation.id} by ${owner.name}, ${mode}, ${JSON.stringify(walks)}, ${said(options)}${aborted}`,
    ...{ pages: random.integer(1, 5), requests: [], part: 0, delivered: [], error: null, credits: null },
    ...{ startedAt: 0, settledAt: null, abortedAt: null, isCutShort: Object.keys(walks).length > 0 },
    ...{ isSlowReader: false, isRejected: false, isPageInError: false },
  }
  owner.calls.push(call)
  return call
}

/** They come with each request of the call, so an abort may wait for the second or third. */
const momentsOfRequest: readonly Moment[] = ['sent', 'arrived', 'headers', 'body', 'end']

/** Draws whether and when a call is aborted: at a time, after some turns of promises, or at one of its moments. */
function drawAbortPlan(random: Random, onAbort: () => void): AbortPlan | null {
  if (!random.chance(0.3)) return null
  const controller = new AbortController()
  const reason = random.pick<unknown>([undefined, new Error('left'), 'left', 0, null, { code: 'left' }])
  const atRequest = random.pick(momentsOfRequest)
  const whens = ['start', 'soon', 'later', 'later', atRequest, atRequest, 'turn', 'wait', 'settled'] as const
  const when = random.pick(whens)
  const ms = random.integer(0, when === 'later' ? 90_000 : 1500)
  const turns = random.integer(0, 40)
  let passed = when === atRequest ? random.integer(0, 2) : 0
  const abort = (): void => {
    if (controller.signal.aborted) return
    onAbort()
    controller.abort(reason)
  }
  const abortInTurn = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    abort()
  }
  return {
    ...{ controller, abort, what: when === 'soon' || when === 'later' ? `after ${ms} ms` : when },
    reach: (moment) => {
      if (moment === when && passed-- === 0) abort()
      if (moment !== 'start') return
      if (when === 'soon' || when === 'later') setTimeout(abort, ms)
      if (when === 'turn') void abortInTurn()
    },
  }
}
