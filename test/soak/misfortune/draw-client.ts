import { sleep } from '../../../bench/simulate/clock.ts'
import {
  type AuthProvider,
  type ClientOptions,
  type CreditBudget,
  type Logger,
  SocialSearch,
} from '../../../src/index.ts'
import type { Random } from '../../../src/extensions/sandbox/random.ts'
import { shows } from './leaks.ts'
import { baseUrl } from './network.ts'
import type { CallSettings, ClientRecord, Credential, OrganizationRecord, World } from './records.ts'

/** Options that a client, a variant of it and a call may have, with the settings that follow from them. */
export interface DrawnOptions {
  readonly options: Pick<ClientOptions, 'validation' | 'retry' | 'timeout' | 'deadline'> & {
    readonly budget?: CreditBudget
  }
  readonly settings: CallSettings
}

const defaults: CallSettings = {
  ...{ validation: 'strict', retriesUnknown: false, maxAttempts: Infinity },
  ...{ timeoutMs: null, deadlineMs: null, budgets: [] },
}

/** Draws options on top of those that hold already. */
export function drawOptions(random: Random, budgets: readonly CreditBudget[], base = defaults): DrawnOptions {
  const options: { -readonly [Name in keyof DrawnOptions['options']]: DrawnOptions['options'][Name] } = {}
  let settings = base
  const set = (option: DrawnOptions['options'], change: Partial<CallSettings>): void => {
    Object.assign(options, option)
    settings = { ...settings, ...change }
  }
  if (random.chance(0.25)) {
    const validation = random.pick(['strict', 'lenient', 'off'] as const)
    set({ validation }, { validation })
  }
  if (random.chance(0.3)) {
    const retry = random.pick([
      false,
      { unknown: true },
      { unknown: true, maxAttempts: 2 },
      { maxAttempts: 2 },
      { maxAttempts: 9, maxWait: 1000 },
      { maxWait: 200_000 },
      {},
    ] as const)
    const { unknown: retriesUnknown = false, maxAttempts = Infinity } = (retry || {}) as {
      unknown?: boolean
      maxAttempts?: number
    }
    set({ retry }, { retriesUnknown, maxAttempts: retry === false ? 1 : maxAttempts })
  }
  if (random.chance(0.08)) {
    const timeout = random.pick([1, 100, 1000, 5000])
    set({ timeout }, { timeoutMs: timeout })
  }
  if (random.chance(0.06)) {
    const deadline = random.pick([1, 500, 3000, 30_000, 120_000])
    set({ deadline }, { deadlineMs: deadline })
  }
  if (budgets.length > 0 && random.chance(0.2)) {
    const budget = random.pick(budgets)
    set({ budget }, { budgets: [...new Set([...settings.budgets, budget])] })
  }
  return { options, settings }
}

/** Makes the labels differ, so that a run that is repeated in one process does not find the limits of the first. */
let organizations = 0

export function drawOrganization(random: Random, name: string): OrganizationRecord {
  return {
    ...{ name, label: `${name} of run ${++organizations}`, isPaced: random.chance(0.7) },
    ...{ open: new Set(), arrivals: new Map(), closedUntil: new Map() },
  }
}

function drawLimits(random: Random, { isPaced }: OrganizationRecord): NonNullable<ClientOptions['limits']> {
  const pace = isPaced
    ? random.pick([{}, {}, {}, { perMinute: 7 }])
    : random.pick([{ perMinute: false }, { perMinute: 60 }])
  const slots = random.pick([{}, {}, {}, {}, { inFlight: 1 }])
  return { ...(pace as NonNullable<ClientOptions['limits']>), ...slots }
}

/** A logger that looks for secrets in its lines. */
function watchingLogger(secrets: ReadonlySet<string>, { interference, trace }: World): Logger {
  const log = (message: string, fields: object): void => {
    if (shows(JSON.stringify([message, fields]), secrets)) trace.fail(`a log line shows a secret: ${message}`)
    interference.visit('log')
  }
  return { debug: log, info: log, warn: log, error: log }
}

const limitsOf = new WeakMap<OrganizationRecord, NonNullable<ClientOptions['limits']>>()

export function drawClient(
  random: Random,
  name: string,
  organization: OrganizationRecord,
  world: World,
): ClientRecord {
  const { budgets, fetch, interference, trace } = world
  const credential = drawCredential(random, world)
  // All clients of an organization have the same limits.
  const drawn = drawLimits(random, organization)
  const limits = limitsOf.get(organization) ?? drawn
  limitsOf.set(organization, limits)
  const { options, settings } = drawOptions(random, budgets)
  const prices = random.chance(0.2) ? { 'microblog.search': 3, 'professionalnet.posts.search': 0.5 } : {}
  const logger = watchingLogger(credential.secrets, world)
  const observers = [{ onWait: () => interference.visit('onWait') }]
  const client = new SocialSearch({
    ...{ baseUrl, fetch, organization: organization.label, limits, logger },
    ...(random.chance(0.5) && { observers }),
    prices,
    ...credential.options,
    ...options,
  })
  const more = drawOptions(random, budgets, settings)
  const variants: ClientRecord['variants'] = random.chance(0.4)
    ? [
        { client, settings },
        { client: client.withOptions(more.options), settings: more.settings },
      ]
    : [{ client, settings }]
  trace.add(
    `${name} of ${organization.name}: ${credential.kind}, ${JSON.stringify(limits)}, ${said(options)}, ${organization.isPaced ? 'paced' : 'not paced'}`,
  )
  return {
    ...{ name, organization, variants, prices, credential, open: new Set(), closedAt: null, calls: [] },
    mostInFlight: limits.inFlight ?? 2,
  }
}

/** Options in a line of the trace. */
export function said({ budget, ...options }: DrawnOptions['options']): string {
  const limit = budget === undefined ? '' : ` with a budget of ${budget.limit}`
  return `${JSON.stringify(options)}${limit}`
}

/** Ways in which a client gets the key. */
const keys: Record<string, (key: string, random: Random, world: World) => Credential['options']> = {
  key: (apiKey) => ({ apiKey }),
  function: (key, _, { interference }) => ({ apiKey: () => interference.pass(key, 'token') }),
  'slow function': (key, random) => ({ apiKey: () => sleep(random.integer(0, 2000)).then(() => key) }),
}

/** Comes back as it is. */
export const refreshFailed = new Error('no refresh now')

const refreshes = ['refreshable', 'slow refresh', 'failing refresh']

/** A secret with characters that JSON and URLs write differently. */
function drawSecret(random: Random, name: string): string {
  return `soak${name}${random.hex(12)}"\\/+&=${random.hex(4)}`
}

/** Draws a way in which a client gets its key or tokens. */
function drawCredential(random: Random, world: World): Credential {
  const secrets = new Set<string>()
  /** When the service stops accepting a token. */
  const ends = new Map<string, number>()
  const give = (name: string): string => {
    const secret = drawSecret(random, name)
    secrets.add(secret)
    return secret
  }
  const giveToken = (): string => {
    const token = give('Token')
    if (random.chance(0.7)) ends.set(token, performance.now() + random.integer(0, 60_000))
    return token
  }
  const kind = random.pick([...Object.keys(keys), ...refreshes])
  const options = keys[kind]?.(give('Key'), random, world)
  return {
    ...{ kind, secrets, isRefreshable: options === undefined },
    options: options ?? { auth: refreshable(kind, giveToken, random, world) },
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
