import { setImmediate } from 'node:timers/promises'
import {
  type Budget,
  type ClientOptions,
  type ObservedAttempt,
  type ObservedBudget,
  CreditBudget,
  SocialSearch,
} from '../index.ts'
import { createSandbox } from '../extensions/sandbox/index.ts'
import { SharedLimiter } from '../extensions/shared/index.ts'
import { count } from '../lib/count.ts'
import { utcText } from '../lib/period.ts'
import { addressOf } from './account.ts'
import { UsageError } from './command-errors.ts'
import { type SharedFlags, dateOf } from './flags.ts'
import { type SharedFile, PeriodBudget, openSharedFile, ownerOf, setTermsOf } from './period-budget.ts'
import { toStderr } from './terminal.ts'

/** What a command sends its calls with. */
export interface OpenClient {
  /** Its calls must fit into the budgets of periods. */
  readonly client: SocialSearch
  /** What `--budget` names, or else the budget that is set. */
  readonly budget: Budget | undefined
  close(): Promise<void>
}

/**
 * Makes the client of a command, which shares limits and budgets with the other commands of this user on this machine.
 *
 * @param command What `social-search budget` calls it, such as `search`.
 */
export async function openClient(
  flags: SharedFlags,
  command: string,
  options: Partial<ClientOptions> = {},
): Promise<OpenClient> {
  const { budget: flagged, perMinute, sandbox, costLabel, out } = flags
  if (costLabel !== undefined && out === undefined)
    throw new UsageError('--cost-label needs --out, the .db file that counts by it')
  const { baseUrl, apiKey } = addressOf(flags)
  const isOfPeriod = flagged?.every !== undefined
  // The sandbox costs nothing, unless one wants to try a budget.
  const file = sandbox === true && !isOfPeriod ? undefined : await openSharedFile(isOfPeriod)
  const budgets = file === undefined ? [] : budgetsIn(file, ownerOf(baseUrl), flags)
  let noted = Promise.resolve()
  const note = (credits: number, time: number): void => {
    for (const budget of budgets)
      noted = noted.then(() => budget.noteSpending(command, credits, time)).catch(() => {})
  }
  // What a killed command may have spent is shown, too.
  if (isOfPeriod) note(0, Date.now())
  const spending = {
    onAttempt({ sent, credits: { spent } }: ObservedAttempt): void {
      if (spent > 0 && sent !== null) note(spent, Date.parse(sent))
    },
  }
  // The sandbox has no limits.
  const limiter =
    file === undefined || sandbox === true
      ? undefined
      : new SharedLimiter({
          ...{ store: file.store, organization: JSON.stringify([baseUrl, apiKey]) },
          // If running commands differ, the highest number counts, since each command grants slots to all of them. Two at once never
          // send a million.
          limits: perMinute === undefined ? {} : { perMinute: perMinute || 1_000_000 },
          // Without the file, this command does not know what the others send.
          logger: {
            warn: (_message, { reason }) => {
              if (reason !== undefined)
                toStderr(`waiting for the limits that commands share: ${String(reason)}`)
            },
          },
        })
  const observers = [spending, ...(options.observers ?? [])]
  const client = clientFor(flags, { ...options, observers, ...(limiter && { limiter }) })
  return {
    client: budgets.reduce((client, budget) => client.withOptions({ budget }), client),
    budget: flagged !== undefined && !isOfPeriod ? new CreditBudget(flagged.limit) : budgets[0],
    async close() {
      await limiter?.close()
      await noted
      // What could not be stored stays reserved, and becomes uncertain.
      for (const each of budgets) await each.close().catch(() => {})
      file?.store.close()
    },
  }
}

/** The budgets that calls must fit into: that of `--budget 200/day`, and that of `social-search budget`. */
function budgetsIn(file: SharedFile, owner: string, { budget, sandbox }: SharedFlags): PeriodBudget[] {
  const { store } = file
  const set = sandbox === true ? undefined : setTermsOf(file)
  const named = [
    ...(budget?.every === undefined ? [] : [new PeriodBudget(store, owner, budget)]),
    ...(set === undefined ? [] : [new PeriodBudget(store, owner, set, true)]),
  ]
  // Two limits of one period are one budget: the lower one.
  const [lowest] = named.toSorted((one, other) => one.limit - other.limit)
  return named.filter((each) => each === lowest || each.terms.every !== lowest?.terms.every)
}

/** Makes a client from the flags, the environment and the stored login. */
export function clientFor(flags: SharedFlags, given: Partial<ClientOptions>): SocialSearch {
  const { perMinute, sandbox } = flags
  return new SocialSearch({
    ...addressOf(flags),
    ...(sandbox === true && sandboxOptions()),
    // A limiter has its own.
    ...(perMinute !== undefined && given.limiter === undefined && { limits: { perMinute } }),
    logger: false as const,
    ...given,
    observers: [{ onBudget: sayLow }, ...(given.observers ?? [])],
  })
}

/** Says what is left of a budget that is low: `40 of 200 credits of --budget are left until 2026-11-25 00:00 UTC`. */
function sayLow({ state, name = '--budget', limit, remaining, endsAt }: ObservedBudget): void {
  // The error says when it is used up.
  if (state !== 'low') return
  const whose = name === '--budget' ? name : `the ${name}`
  const left = `${remaining} of ${count(limit, 'credit')} of ${whose} ${remaining === 1 ? 'is' : 'are'} left`
  toStderr(endsAt === null ? left : `${left} until ${utcText(endsAt)}`)
}

function sandboxOptions(): Partial<ClientOptions> {
  const fixed = process.env['SOCIAL_SEARCH_SANDBOX_NOW']
  const now = fixed ? dateOf('SOCIAL_SEARCH_SANDBOX_NOW', fixed) : undefined
  // Every command finds the posts that the others find.
  const growth = { perHour: 30, since: new Date(Number(now ?? Date.now()) - 86_400_000) }
  const sandbox = createSandbox({ now, posts: 1000, limits: { perMinute: false }, growth })
  // Its pages take no time: without a turn of the event loop, no Ctrl-C is heard.
  const fetch = (request: Request) => setImmediate().then(() => sandbox.fetch(request))
  return { ...sandbox.clientOptions(), fetch, apiKey: sandbox.writeKey }
}
