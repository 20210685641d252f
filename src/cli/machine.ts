import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientOptions } from '../index.ts'
import { SharedLimiter, sqliteStore } from '../extensions/shared/index.ts'
import { within } from '../lib/abort.ts'
import { messageOf } from '../lib/thrown.ts'
import { CommandError, UsageError } from './command-errors.ts'
import type { SharedFlags } from './flags.ts'
import { addressOf } from './client.ts'
import { type PeriodTerms, PeriodBudget, periodTermsOf, termsText } from './period-budget.ts'
import { accountName } from './account.ts'
import { userFolder } from './login.ts'
import { needSqlite } from './database/open-database.ts'

/** How long a command waits for the file, in milliseconds. */
const openMs = 10_000

/** The limits and the budgets that a command shares with the others of this user on this machine. */
export interface Machine {
  /** The budgets of periods: of `--budget 200/day`, and of `social-search budget`. A call must fit into all of them. */
  readonly budgets: readonly PeriodBudget[]
  /** `--budget`, or else the budget that is set. */
  readonly budget: string | undefined
  readonly options: Pick<ClientOptions, 'limiter'>
  close(): Promise<void>
}

/**
 * Opens what a command shares with others.
 *
 * @param command What `social-search budget` calls it, such as `search`.
 */
export async function openMachine(flags: SharedFlags, command: string): Promise<Machine> {
  const { budget, perMinute, sandbox, costLabel, out } = flags
  if (costLabel !== undefined && out === undefined)
    throw new UsageError('--cost-label needs --out, the .db file that counts by it')
  const flagged = budget === undefined ? undefined : periodTermsOf('--budget', budget)
  if (costLabel !== undefined && !/^[\w.@:/-]{1,64}$/.test(costLabel))
    throw new UsageError(
      `--cost-label must be a name of letters, digits and any of _.@:/- (at most 64), got ${costLabel}`,
    )
  const { baseUrl, apiKey } = addressOf(flags)
  // The sandbox costs nothing, unless one wants to try a budget.
  const opened =
    sandbox === true && flagged === undefined ? undefined : await openMachineFile(flagged !== undefined)
  const set = sandbox === true || opened === undefined ? undefined : setTermsOf(opened.setText)
  if (opened === undefined) return { budgets: [], budget, options: {}, close: () => Promise.resolve() }
  const { store } = opened
  const owner = ownerOf(baseUrl)
  const terms = [flagged, set].filter((each) => each !== undefined)
  // Two limits of one period are one budget: the lower one.
  const [lowest] = terms.toSorted((one, other) => one.limit - other.limit)
  const budgets = terms
    .filter((each) => each === lowest || each.every !== lowest?.every)
    .map((each) => new PeriodBudget(store, owner, each, command))
  // The sandbox has no limits, and --per-minute is for one command.
  const limiter =
    sandbox === true || perMinute !== undefined
      ? undefined
      : new SharedLimiter({
          ...{ store, organization: JSON.stringify([baseUrl, apiKey]) },
          ...{ onUnavailable: 'local' as const, localShare: 1, logger: false as const },
        })
  return {
    budgets,
    budget: budget ?? (set && termsText(set)),
    options: limiter === undefined ? {} : { limiter },
    async close() {
      await limiter?.close()
      // What could not be stored stays reserved, and becomes uncertain.
      for (const each of budgets) await each.close().catch(() => {})
      store.close()
    },
  }
}

interface MachineFile {
  readonly store: ReturnType<typeof sqliteStore>
  /** What `social-search budget` has set, perhaps of a newer version; undefined or empty if none is. */
  readonly setText: string | undefined
}

/** Opens the file. Undefined if there is none and none can be made, so that no budget is set, unless it is needed. */
export async function openMachineFile(isNeeded: true): Promise<MachineFile>
export async function openMachineFile(isNeeded: boolean): Promise<MachineFile | undefined>
export async function openMachineFile(isNeeded: boolean): Promise<MachineFile | undefined> {
  // It outlives the logins.
  const folder = isNeeded ? userFolder('state') : userFolder('state', 'no home')
  if (folder === undefined) return undefined
  const path = join(folder, 'shared.sqlite')
  const isThere = existsSync(path)
  const late = (): never => {
    throw new Error(`${path} is locked by another program`)
  }
  let store: ReturnType<typeof sqliteStore> | undefined
  try {
    needSqlite('a budget of a period')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const opened = (store = sqliteStore(path))
    const read = (): Promise<string | undefined> =>
      opened.update(setKeyOf(accountName()), (found) => ({ result: found }))
    return { store, setText: await within(openMs, read, late) }
  } catch (error) {
    store?.close()
    if (!isNeeded && !isThere) return undefined
    throw error instanceof CommandError
      ? error
      : new CommandError('failed', `${messageOf(error)}; budgets are there`)
  }
}

/** Where the budget of an account is. */
export function setKeyOf(account: string | undefined): string {
  return account === undefined ? 'set-1' : `set-1:${account}`
}

/** Whose credits a budget counts: accounts may share an address. */
export function ownerOf(baseUrl: string): string {
  const account = accountName()
  return account === undefined ? baseUrl : `${baseUrl} ${account}`
}

/** The terms of the budget that is set. */
export function setTermsOf(text: string | undefined): PeriodTerms | undefined {
  try {
    return text ? periodTermsOf('the budget', text, true) : undefined
  } catch {
    throw new CommandError(
      'failed',
      'this version cannot read the budget that is set. Set it again, or switch it off: social-search budget off',
    )
  }
}
