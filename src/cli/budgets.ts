import { rounded } from '../extend.ts'
import type { SharedStore } from '../extensions/shared/index.ts'
import { count } from '../lib/count.ts'
import { type Period, periodAt, periodEnd, utcText } from '../lib/period.ts'
import { accountFlag, accountName, baseUrlOf, storedAccounts, storedLogin } from './account.ts'
import { UsageError } from './command-errors.ts'
import {
  type PeriodTerms,
  type Spending,
  PeriodBudget,
  openSharedFile,
  ownerOf,
  periodForms,
  setBudget,
  setTermsOf,
  setTextIn,
  termsIn,
  termsText,
} from './period-budget.ts'
import { createTable } from './table.ts'
import { print, toStderr } from './terminal.ts'
import { plansText } from './watch-plan.ts'

const periods = ['hour', 'day', 'month'] as const

const noAddress =
  'To see what was spent, log in, or set SOCIAL_SEARCH_BASE_URL: each address has its own count\n'

/** Sets the budget of all commands, or shows the budgets and what has spent them. */
export async function budget(text: string | undefined): Promise<void> {
  if (text === undefined) await show()
  else await set(text)
}

async function set(text: string): Promise<void> {
  const terms = termsIn(text)
  if (text !== 'off' && terms?.every === undefined)
    throw new UsageError(`the budget must be ${periodForms}, or off; got ${text}`)
  const { store } = await openSharedFile(true)
  await setBudget(store, terms?.every === undefined ? '' : termsText(terms))
  store.close()
  await print(
    terms === undefined
      ? 'No budget is set now\n'
      : `All commands${ofAccount()} together may spend ${count(terms.limit, 'credit')} each ${terms.every}, in UTC\n`,
  )
}

async function show(): Promise<void> {
  const baseUrl = baseUrlOf()
  const file = await openSharedFile(true)
  const { store } = file
  const set = setTermsOf(file)
  const texts: string[] = []
  if (set === undefined)
    texts.push(
      `No budget is set for all commands${ofAccount()}. Set one: social-search budget 200/day${accountFlag()}\n`,
    )
  else if (baseUrl === undefined) texts.push(`${termsText(set)} for all commands\n`)
  if (baseUrl === undefined) texts.push(noAddress)
  else for (const every of periods) texts.push(await spentText(store, ownerOf(baseUrl), every, set))
  store.close()
  await print(texts.join(''))
}

/** What commands have spent in a period, and what its watches plan; empty if it has no budget. */
async function spentText(
  store: SharedStore,
  owner: string,
  every: Period,
  set: PeriodTerms | undefined,
): Promise<string> {
  const spending = await PeriodBudget.spending(store, owner, every)
  const isSet = set?.every === every
  const limit = isSet ? set.limit : spending?.limit
  if (limit === undefined) return ''
  const budget = new PeriodBudget(store, owner, { every, limit }, isSet)
  return budgetText(budget, await budget.summary(), spending) + (await plansText(store, owner, every))
}

function ofAccount(): string {
  const account = accountName()
  return account === undefined ? '' : ` of the account ${account}`
}

/** Prints the stored logins, without their keys: a table on a terminal, otherwise JSON Lines. */
export async function accounts(): Promise<void> {
  const file = await openSharedFile(false)
  const inUse =
    process.env['SOCIAL_SEARCH_ACCOUNT'] || (process.env['SOCIAL_SEARCH_API_KEY'] ? '' : 'default')
  const rows = await Promise.all(
    storedAccounts().map(async (account) => {
      const budget = (file && (await setTextIn(file.store, account))) || null
      const { baseUrl, storedAt } = storedLogin(account) ?? {}
      return {
        ...{ account: account ?? 'default', address: baseUrl, key: storedAt, budget },
        used: (account ?? 'default') === inUse ? 'yes' : null,
      }
    }),
  )
  file?.store.close()
  if (process.env['SOCIAL_SEARCH_API_KEY'])
    toStderr('SOCIAL_SEARCH_API_KEY is set: commands without --account use it')
  const { isTTY, columns: width } = process.stdout
  if (!isTTY) await print(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  else if (rows.length === 0) await print('You are not logged in\n')
  else await print(createTable(undefined, { fields: Object.keys(rows[0] ?? {}), width }).page(rows), true)
}

function budgetText(
  { terms, isSet }: PeriodBudget,
  { spent, uncertain, reserved, remaining }: Awaited<ReturnType<PeriodBudget['summary']>>,
  { commands = {} }: Partial<Spending> = {},
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
    .map(([name, credits]) => `  ${String(credits).padStart(8)}  ${name}\n`)
  const whose = isSet ? `for all commands${ofAccount()}` : 'as last given with --budget'
  const end = utcText(periodEnd(Date.now(), (time) => periodAt(time, terms.every)))
  return `${termsText(terms)} ${whose}, until ${end}: ${sums.join(' · ')}\n${lines.join('')}`
}
