import { setImmediate } from 'node:timers/promises'
import type { Operation } from '../api/operation.ts'
import type { OpenRecord } from '../api/endpoints/undocumented.ts'
import {
  type Budget,
  type ClientOptions,
  type PagedOptions,
  type Observer,
  CreditBudget,
  SocialSearch,
} from '../index.ts'
import { clientTransport, PagedCall, resolveBaseUrl } from '../extend.ts'
import { createSandbox } from '../extensions/sandbox/index.ts'
import { redactorOf } from '../lib/redactor.ts'
import type { InterruptHandler } from './interrupt-handler.ts'
import { type SharedFlags, dateOf, numberOf, perMinuteOf, wholeNumberOf } from './flags.ts'
import { lowText, periodTermsOf } from './period-budget.ts'
import { accountName } from './account.ts'
import { type StoredLogin, storedLogin } from './login.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { say, showProgress, waitText } from './terminal.ts'

/**
 * Makes a client from the flags, the environment and the stored login.
 *
 * @param more Further options; `interrupt` is what may end the job.
 * @param budgets Budgets of all its calls.
 */
export function clientFor(
  flags: SharedFlags,
  { interrupt, ...more }: Partial<ClientOptions> & { interrupt?: InterruptHandler } = {},
  budgets: readonly Budget[] = [],
): SocialSearch {
  const { perMinute } = flags
  const options = {
    ...addressOf(flags),
    ...(flags.sandbox === true && sandboxOptions()),
    ...(perMinute !== undefined && { limits: { perMinute: perMinuteOf(perMinute) } }),
    logger: false as const,
    ...more,
    observers: [observer, ...(more.observers ?? [])],
  }
  const client = new SocialSearch(interrupt === undefined ? options : watchedBy(interrupt, options))
  return budgets.reduce((client, budget) => client.withOptions({ budget }), client)
}

const observer: Observer = {
  onWait: (wait) => showProgress(waitText(wait)),
  // The error says when it is used up.
  onBudget: (budget) => {
    if (budget.state === 'low') say(lowText(budget))
  },
}

/** Tells an interruption what is under way. */
function watchedBy({ watch, observer }: InterruptHandler, options: ClientOptions): ClientOptions {
  const { fetch = (request: Request) => globalThis.fetch(request), observers = [] } = options
  return { ...options, fetch: watch(fetch), observers: [...observers, observer] }
}

function sandboxOptions(): ClientOptions {
  const fixed = process.env['SOCIAL_SEARCH_SANDBOX_NOW']
  const now = fixed ? dateOf('SOCIAL_SEARCH_SANDBOX_NOW', fixed) : undefined
  // Every command finds the posts that the others find.
  const growth = { perHour: 30, since: new Date(Number(now ?? Date.now()) - 86_400_000) }
  const sandbox = createSandbox({ now, posts: 1000, limits: { perMinute: false }, growth })
  // Its pages take no time: without a turn of the event loop, no Ctrl-C is heard.
  const fetch = (request: Request) => setImmediate().then(() => sandbox.fetch(request))
  return { ...sandbox.clientOptions(), fetch, apiKey: sandbox.writeKey }
}

const noLogin = `
With an account:    social-search login --base-url URL
Without an account: social-search search coffee --sandbox`

/** The address of the commands; undefined if there is none. */
export function baseUrlOf(): string | undefined {
  return knownLogin().baseUrl
}

/** Where the key of the commands comes from. */
export function keyOrigin(): string {
  const account = accountName()
  if (account !== undefined) return `the account ${account}`
  return process.env['SOCIAL_SEARCH_API_KEY'] ? 'SOCIAL_SEARCH_API_KEY' : 'social-search login'
}

/** The address and the key of the commands. */
export function addressOf({ sandbox }: Pick<SharedFlags, 'sandbox'>): StoredLogin {
  if (sandbox === true) return { baseUrl: 'sandbox', apiKey: 'sandbox' }
  const { baseUrl, apiKey } = knownLogin()
  if (!baseUrl) throw new CommandError('credentials', `no address of the service${noLogin}`)
  if (!apiKey) throw new CommandError('credentials', `no key for this address${noLogin}`)
  return { baseUrl, apiKey }
}

/** What is known of address and key: those of the account, or of the environment, or else those that `login` has stored. */
function knownLogin(): { readonly baseUrl: string | undefined; readonly apiKey: string | undefined } {
  const account = accountName()
  const { SOCIAL_SEARCH_BASE_URL: address, SOCIAL_SEARCH_API_KEY: key } = process.env
  const stored = account === undefined && key ? null : storedLogin(account)
  const storedUrl = addressIn(stored?.baseUrl)
  if (account !== undefined) {
    const command = `social-search login --account ${account} --base-url URL`
    if (stored === null)
      throw new CommandError('credentials', `there is no account ${account}; log in: ${command}`)
    // Nothing of the environment mixes with it.
    return { baseUrl: storedUrl, apiKey: stored.apiKey }
  }
  const baseUrl = addressIn(address) ?? storedUrl
  // A stored key goes only to the address that it was stored with.
  return { baseUrl, apiKey: key || (storedUrl === baseUrl ? stored?.apiKey : undefined) }
}

/** An address, spelled one way: budgets and limits belong to it. */
function addressIn(text: string | undefined): string | undefined {
  const redactor = redactorOf({ apiKey: process.env['SOCIAL_SEARCH_API_KEY'] })
  return text ? resolveBaseUrl(text, redactor) : undefined
}

/**
 * The budget of one run; undefined if `--budget` names none, or the credits of a period.
 *
 * @param spent Credits that earlier runs of the same job have spent.
 */
export function budgetOf({ budget }: SharedFlags, spent = 0): CreditBudget | undefined {
  if (budget === undefined || periodTermsOf('--budget', budget) !== undefined) return undefined
  const credits = numberOf('--budget', budget)
  if (credits < 0) throw new UsageError(`--budget must be at least 0, got ${credits}`)
  return new CreditBudget(Math.max(0, credits - spent))
}

/** How far a walk goes: one page, unless a flag says more. */
export function walkOptions({ all, maxPages, limit }: SharedFlags): Pick<PagedOptions, 'maxPages' | 'limit'> {
  if (maxPages === undefined && limit === undefined) return all === true ? {} : { maxPages: 1 }
  if (all === true) throw new UsageError('--all contradicts --max-pages and --limit; leave out one of them')
  return {
    ...(maxPages !== undefined && { maxPages: wholeNumberOf('--max-pages', maxPages) }),
    ...(limit !== undefined && { limit: wholeNumberOf('--limit', limit) }),
  }
}

/** The pages of a walk, or the only answer of an operation without pages; none after the last page. */
export async function* pagesOf(
  client: SocialSearch,
  operation: Operation,
  { params, id, state }: { params: object; id: string | undefined; state?: { next: object | null } },
  options: PagedOptions,
): AsyncGenerator<OpenRecord> {
  if (state?.next === null) return
  const transport = clientTransport(client.transport)
  if (operation.paging === undefined)
    yield (await transport.request(operation, params, options, id)).body as OpenRecord
  else yield* new PagedCall<OpenRecord, unknown>(transport, operation, params, options).resume(state).pages()
}
