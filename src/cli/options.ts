import type { Operation } from '../api/operation.ts'
import type { OpenRecord } from '../api/undocumented.ts'
import {
  type Budget,
  type ClientOptions,
  type PagedOptions,
  type Wait,
  CreditBudget,
  SocialSearch,
} from '../index.ts'
import { clientTransport, type Validation, PagedCall } from '../extend.ts'
import { createSandbox } from '../extensions/sandbox/index.ts'
import { type SharedFlags, millisecondsOf, numberOf, wholeNumberOf } from './flags.ts'
import { periodTermsOf } from './period-budget.ts'
import { sessionOf, storedLogin } from './stored-login.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { showProgress, waitText } from './terminal.ts'

/**
 * Makes a client from the flags, the environment and the stored login.
 *
 * @param budgets Budgets of all its calls.
 * @param since When posts of `--sandbox` begin to come. Default now.
 */
export function clientFor(
  flags: SharedFlags,
  more: Partial<ClientOptions> = {},
  budgets: readonly Budget[] = [],
  since?: Date,
): SocialSearch {
  return budgets.reduce(
    (client, budget) => client.withOptions({ budget }),
    plainClientFor(flags, more, since),
  )
}

function plainClientFor(flags: SharedFlags, more: Partial<ClientOptions>, since?: Date): SocialSearch {
  const { perMinute, timeout, validation } = flags
  const options = {
    ...(perMinute !== undefined && {
      limits: { perMinute: perMinute === 'off' ? false : wholeNumberOf('--per-minute', perMinute) } as const,
    }),
    ...(timeout !== undefined && { timeout: millisecondsOf('--timeout', timeout) }),
    ...(validation !== undefined && { validation: validation as Validation }),
    logger: false as const,
    onWait: (wait: Wait) => showProgress(flags, waitText(wait)),
    ...more,
  }
  const account = addressOf(flags)
  if (flags.sandbox === true) {
    const sandbox = createSandbox({ limits: { perMinute: false }, growth: { perHour: 60, since } })
    // With the same name each time, the next command finds what this one stores with `--cache`.
    const named = { apiKey: sandbox.writeKey, organization: 'sandbox' }
    return new SocialSearch({ ...sandbox.clientOptions(), ...named, ...options })
  }
  return new SocialSearch({ ...account, ...options })
}

/**
 * The address and the credential of the commands with these flags.
 *
 * @param hasSandbox Whether the command has `--sandbox`, to advise it.
 */
export function addressOf(
  flags: Pick<SharedFlags, 'baseUrl' | 'profile' | 'sandbox'>,
  hasSandbox = true,
): Pick<ClientOptions, 'baseUrl' | 'auth' | 'organization'> & { readonly apiKey?: string } {
  const { profile } = flags
  if (flags.sandbox === true) {
    if (flags.baseUrl !== undefined)
      throw new UsageError('--sandbox contradicts --base-url; leave out one of them')
    return { baseUrl: 'sandbox' }
  }
  const logIn = 'social-search login --base-url URL'
  const hint = hasSandbox
    ? `\nWith an account:    ${logIn}\nWithout an account: add --sandbox`
    : `. Log in: ${logIn}`
  // A profile goes before the variables.
  const environment = profile === undefined ? process.env : {}
  const { SOCIAL_SEARCH_BASE_URL: address, SOCIAL_SEARCH_API_KEY: key } = environment
  const stored = key ? null : storedLogin()
  if (profile !== undefined && stored === null)
    throw new CommandError(
      'credentials',
      `no login is named ${profile}. Log in: social-search login --profile ${profile}`,
    )
  const baseUrl = flags.baseUrl ?? (address || stored?.baseUrl)
  if (!baseUrl) throw new CommandError('credentials', `no address of the service${hint}`)
  // A stored key or token goes only to the address that it was stored with.
  const login = stored?.baseUrl === baseUrl ? stored : null
  const apiKey = key || login?.apiKey
  if (apiKey) return { baseUrl, apiKey }
  if (login !== null) return { baseUrl, auth: sessionOf(login), organization: login.organization }
  throw new CommandError('credentials', `no key for this address${hint}`)
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

export type WalkOptions = Pick<PagedOptions, 'maxPages' | 'limit'>

/** How far a walk goes: one page, unless a flag says more. */
export function walkOptions({ all, maxPages, limit }: SharedFlags): WalkOptions {
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
  options: PagedOptions & { readonly ceiling?: number | undefined },
): AsyncGenerator<OpenRecord> {
  if (state?.next === null) return
  const transport = clientTransport(client.transport)
  if (operation.paging === undefined)
    yield (await transport.request(operation, params, options, id)).body as OpenRecord
  else yield* new PagedCall<OpenRecord, unknown>(transport, operation, params, options).resume(state).pages()
}
