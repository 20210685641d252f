import { rounded } from '../extend.ts'
import { count } from '../lib/count.ts'
import { openFile, setTermsOf, storeSet } from './machine.ts'
import { baseUrlOf } from './options.ts'
import { PeriodBudget, type PeriodTerms, endTextOf, periodTermsOf, textOf } from './period-budget.ts'
import { print } from './terminal.ts'

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
      : `All commands together may spend ${count(terms.limit, 'credit')} each ${terms.every}, in UTC\n`,
  )
}

async function show(): Promise<void> {
  const baseUrl = baseUrlOf()
  const { store, setText } = await openFile(true)
  const set = setTermsOf(setText)
  const lines =
    set === undefined ? ['No budget is set for all commands. Set one: social-search budget 200/day\n'] : []
  if (baseUrl === undefined && set !== undefined) lines.push(`${textOf(set)} for all commands\n`)
  if (baseUrl === undefined) lines.push(noAddress)
  for (const every of periods) {
    if (baseUrl === undefined) break
    const spending = await PeriodBudget.spending(store, baseUrl, every)
    const isSet = set?.every === every
    if (!isSet && spending === undefined) continue
    const terms: PeriodTerms = isSet ? set : { every, limit: spending?.limit ?? 0, isSet }
    const summary = await new PeriodBudget(store, baseUrl, terms, '').summary()
    lines.push(textOfBudget(terms, summary, spending?.commands ?? {}))
  }
  store.close()
  await print(lines.join(''))
}

function textOfBudget(
  terms: PeriodTerms,
  { spent, uncertain, reserved, remaining }: Awaited<ReturnType<PeriodBudget['summary']>>,
  commands: Readonly<Record<string, number>>,
): string {
  const open = [uncertain > 0 && `${uncertain} perhaps spent`, reserved > 0 && `${reserved} reserved`]
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
  const whose = terms.isSet ? 'for all commands' : 'as last given with --budget'
  return `${textOf(terms)} ${whose}, until ${endTextOf(terms.every)}: ${sums.join(' · ')}\n${lines.join('')}`
}
