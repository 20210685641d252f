import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientOptions } from '../index.ts'
import { type SharedStore, SharedLimiter, sqliteStore } from '../extensions/shared/index.ts'
import { within } from '../lib/abort.ts'
import { messageOf } from '../lib/thrown.ts'
import { CommandError } from './command-errors.ts'
import type { SharedFlags } from './flags.ts'
import { addressOf, baseUrlOf } from './client.ts'
import { type PeriodTerms, PeriodBudget, periodTermsOf, textOf, endTextOf } from './period-budget.ts'
import { accountFlag, accountName } from './account.ts'
import { storedAccounts, storedLogin, userFolder } from './login.ts'
import { needSqlite } from './database/open-database.ts'
import { rounded } from '../extend.ts'
import { count } from '../lib/count.ts'
import { createTable } from './table.ts'
import { print, say } from './terminal.ts'
import { planLines } from './watch-plan.ts'

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
  const { budget, perMinute, sandbox } = flags
  const flagged = budget === undefined ? undefined : periodTermsOf('--budget', budget)
  const { baseUrl, apiKey } = addressOf(flags)
  // The sandbox costs nothing, unless one wants to try a budget.
  const opened = sandbox === true && flagged === undefined ? undefined : await openFile(flagged !== undefined)
  if (opened === undefined) return { budgets: [], budget, options: {}, close: () => Promise.resolve() }
  const { store } = opened
  const set = sandbox === true ? undefined : setTermsOf(opened.setText)
  const owner = sandbox === true ? baseUrl : ownerOf(baseUrl)
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
    budget: budget ?? (set && textOf(set)),
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
async function openFile(isNeeded: true): Promise<MachineFile>
async function openFile(isNeeded: boolean): Promise<MachineFile | undefined>
async function openFile(isNeeded: boolean): Promise<MachineFile | undefined> {
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
function setKeyOf(account: string | undefined): string {
  return account === undefined ? 'set-1' : `set-1:${account}`
}

/** Whose credits a budget counts: accounts may share an address. */
function ownerOf(baseUrl: string): string {
  const account = accountName()
  return account === undefined ? baseUrl : `${baseUrl} ${account}`
}

/** The terms of the budget that is set. */
function setTermsOf(text: string | undefined): PeriodTerms | undefined {
  try {
    return text ? periodTermsOf('the budget', text, true) : undefined
  } catch {
    throw new CommandError(
      'failed',
      'this version cannot read the budget that is set. Set it again, or switch it off: social-search budget off',
    )
  }
}

/** Sets the budget of all commands of the account; an empty text removes it. */
async function storeSet(store: SharedStore, text: string): Promise<void> {
  await store.update(setKeyOf(accountName()), () => ({ value: text, result: undefined }))
}

const periods = ['hour', 'day', 'month'] as const

const noAddress =
  'To see what was spent, log in, or set SOCIAL_SEARCH_BASE_URL: each address has its own count\n'

/** Sets the budget of all commands, or shows the budgets and what has spent them. */
export async function budget(text: string | undefined): Promise<void> {
  if (text === undefined) await show()
  else await set(text)
}

async function set(text: string): Promise<void> {
  const terms = text === 'off' ? undefined : periodTermsOf('the budget', text, true)
  const { store } = await openFile(true)
  await storeSet(store, terms === undefined ? '' : textOf(terms))
  store.close()
  await print(
    terms === undefined
      ? 'No budget is set now\n'
      : `All commands${ofAccount()} together may spend ${count(terms.limit, 'credit')} each ${terms.every}, in UTC\n`,
  )
}

async function show(): Promise<void> {
  const baseUrl = baseUrlOf()
  const { store, setText } = await openFile(true)
  const set = setTermsOf(setText)
  const lines =
    set === undefined
      ? [
          `No budget is set for all commands${ofAccount()}. Set one: social-search budget 200/day${accountFlag()}\n`,
        ]
      : []
  if (baseUrl === undefined && set !== undefined) lines.push(`${textOf(set)} for all commands\n`)
  if (baseUrl === undefined) lines.push(noAddress)
  for (const every of periods) {
    if (baseUrl === undefined) break
    const spending = await PeriodBudget.spending(store, ownerOf(baseUrl), every)
    const isSet = set?.every === every
    if (!isSet && spending === undefined) continue
    const terms: PeriodTerms = isSet ? set : { every, limit: spending?.limit ?? 0, isSet }
    const summary = await new PeriodBudget(store, ownerOf(baseUrl), terms, '').summary()
    lines.push(textOfBudget(terms, summary, spending?.commands ?? {}))
    const watches = Object.values(await PeriodBudget.watches(store, ownerOf(baseUrl), every))
    for (const { name, plan } of watches) lines.push(`  ${name}: ${planLines(plan).join('\n    ')}\n`)
    if (watches.length > 1)
      lines.push(`  ${watches.length} watches share this budget, and each plans to spend all of it\n`)
  }
  store.close()
  await print(lines.join(''))
}

function ofAccount(): string {
  const account = accountName()
  return account === undefined ? '' : ` of the account ${account}`
}

/** Prints the stored logins, without their keys: a table on a terminal, otherwise JSON Lines. */
export async function accounts(): Promise<void> {
  const file = await openFile(false)
  const inUse =
    process.env['SOCIAL_SEARCH_ACCOUNT'] || (process.env['SOCIAL_SEARCH_API_KEY'] ? '' : 'default')
  const rows = await Promise.all(
    storedAccounts().map(async (account) => {
      const read = (text?: string): { result: string | undefined } => ({ result: text })
      const budget = (await file?.store.update(setKeyOf(account), read)) || null
      const { baseUrl, storedAt } = storedLogin(account) ?? {}
      return {
        ...{ account: account ?? 'default', address: baseUrl, key: storedAt, budget },
        used: (account ?? 'default') === inUse ? 'yes' : null,
      }
    }),
  )
  file?.store.close()
  if (process.env['SOCIAL_SEARCH_API_KEY'])
    say('SOCIAL_SEARCH_API_KEY is set: commands without --account use it')
  const { isTTY, columns: width } = process.stdout
  if (!isTTY) await print(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  else if (rows.length === 0) await print('You are not logged in\n')
  else await print(createTable(undefined, { fields: Object.keys(rows[0] ?? {}), width }).page(rows), true)
}

function textOfBudget(
  terms: PeriodTerms,
  { spent, uncertain, reserved, remaining }: Awaited<ReturnType<PeriodBudget['summary']>>,
  commands: Readonly<Record<string, number>>,
): string {
  const open = [uncertain > 0 && `${uncertain} uncertain`, reserved > 0 && `${reserved} reserved`]
  const sums = [`${spent} spent`, ...open.filter((each) => each !== false), `${remaining} left`]
  // A command notes what it has spent after the budget has counted it, and only the latest period has notes.
  const others = rounded(Object.values(commands).reduce((rest, credits) => rest - credits, spent))
  const all = {
    ...commands,
    ...(others > 0 && { 'commands that were killed, or before a wrong clock': others }),
  }
  const lines = Object.entries(all)
    .sort(([, one], [, other]) => other - one)
    .map(([command, credits]) => `  ${String(credits).padStart(8)}  ${command}\n`)
  const whose = terms.isSet ? `for all commands${ofAccount()}` : 'as last given with --budget'
  return `${textOf(terms)} ${whose}, until ${endTextOf(terms.every)}: ${sums.join(' · ')}\n${lines.join('')}`
}
