import type { CreditBudget } from '../../../src/index.ts'
import { mostUncertain } from './check-call.ts'
import { worstCaseOf } from './operations.ts'
import type { CallRecord, ClientRecord } from './records.ts'
import type { Trace } from './trace.ts'
import { miscounts } from '../../support/ledger.ts'

function chargedFor(calls: readonly CallRecord[]): number {
  return calls.flatMap(({ requests }) => requests).reduce((sum, { charged }) => sum + charged, 0)
}

/** Checks the ledger of a client, in all and by operation, against what the service charged. */
export function checkLedger({ name, variants, calls }: ClientRecord, trace: Trace): void {
  const { client } = variants[0]
  const { byOperation, ...all } = client.credits
  const byId = Map.groupBy(calls, ({ operation }) => operation.id)
  const accounts: [string, typeof all, readonly CallRecord[]][] = [
    [name, all, calls],
    ...Object.entries(byOperation).map(
      ([id, account]) =>
        [`${name} for ${id}`, account, byId.get(id) ?? []] as [string, typeof all, CallRecord[]],
    ),
  ]
  for (const [owner, account, made] of accounts) {
    for (const problem of miscounts(account, chargedFor(made))) trace.fail(`${owner}: ${problem}`)
    const most = made.reduce((sum, call) => sum + mostUncertain(call), 0)
    if (account.uncertain > most)
      trace.fail(`${owner}: ${account.uncertain} are uncertain, only ${most} can be`)
  }
}

/** Checks a budget against what the service charged for the calls under it. */
export function checkBudget(
  budget: CreditBudget,
  index: number,
  calls: readonly CallRecord[],
  trace: Trace,
): void {
  const summary = budget.summary()
  const { limit, spent, uncertain, reserved, remaining } = summary
  const charged = chargedFor(calls.filter(({ settings }) => settings.budgets.includes(budget)))
  const says = `budget ${index + 1} of ${limit} counts spent ${spent}, uncertain ${uncertain}, reserved ${reserved}, remaining ${remaining}; charged ${charged}`
  for (const problem of miscounts(summary, charged)) trace.fail(`${says}: ${problem}`)
  if (charged > limit || spent + uncertain > limit) trace.fail(`${says}: exceeded`)
  if (remaining !== limit - spent - uncertain - reserved) trace.fail(`${says}: remaining is wrong`)
}

/** Before a paid request is sent, its highest cost must be reserved everywhere: of items, those that did not come yet. */
export function checkReserved(call: CallRecord, trace: Trace): void {
  const { settings, owner, operation, id } = call
  if (operation.price === 0) return
  const most = worstCaseOf(operation)
  const worstCase = operation.price === 'items' ? Math.max(1, most - chargedFor([call])) : most
  const { client } = owner.variants[0]
  const accounts = [
    ['the ledger', client.credits] as const,
    ...settings.budgets.map((each) => ['a budget', each.summary()] as const),
  ]
  for (const [name, { reserved }] of accounts) {
    if (reserved < worstCase)
      trace.fail(`${id} was sent with ${reserved} of ${worstCase} credits reserved in ${name}`)
  }
  for (const budget of settings.budgets) {
    const { limit, spent, uncertain, reserved } = budget.summary()
    if (spent + uncertain + reserved > limit)
      trace.fail(`${id} was sent although a budget of ${limit} is exceeded`)
  }
}
