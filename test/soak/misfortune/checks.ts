import type { CreditBudget } from '../../../src/index.ts'
import { miscounts } from '../../support/ledger.ts'
import { itemsOf } from './answers.ts'
import { worstCaseOf } from './operations.ts'
import { type CallRecord, type ClientRecord, type RequestRecord, isWalk } from './records.ts'
import type { Trace } from './trace.ts'

const sum = (requests: readonly RequestRecord[]): number =>
  requests.reduce((total, { charged }) => total + charged, 0)
const chargedFor = (calls: readonly CallRecord[]): number => sum(calls.flatMap(({ requests }) => requests))

/** Checks, after the run, what must hold of one call. */
export function checkCall(call: CallRecord, trace: Trace): void {
  const fail = (what: string): void => trace.fail(`${call.id} ${call.operation.id} ${what}`)
  checkTimes(call, fail)
  checkCharge(call, fail)
  checkAttempts(call, fail)
  checkWalk(call, fail)
}

type Fail = (what: string) => void

function checkTimes(call: CallRecord, fail: Fail): void {
  const { operation, settings, startedAt, settledAt, abortedAt, owner, mode, requests, isSlowReader } = call
  if (settledAt === null) {
    fail('has not settled')
    return
  }
  const endsBy: [string, number | null][] = [
    ['the abort', abortedAt],
    ['close()', owner.closedAt],
  ]
  for (const [what, at] of endsBy) {
    if (at === null) continue
    const late = settledAt - Math.max(at, startedAt)
    if (late > 0 && !isSlowReader) fail(`settled ${late} ms after ${what}`)
    const after = requests.find(({ sentAt }) => sentAt > at)
    if (after !== undefined) fail(`sent a request ${after.sentAt - at} ms after ${what}`)
  }
  const { deadlineMs } = settings
  const took = settledAt - startedAt
  if (deadlineMs !== null && took > deadlineMs + 1 && (mode === 'await' || mode === 'withResponse'))
    fail(`took ${took} ms with a deadline of ${deadlineMs} ms`)
  const timeoutMs = settings.timeoutMs ?? operation.timeoutMs
  for (const { sentAt, endedAt } of requests) {
    if (endedAt === null) fail('left a request open')
    else if (endedAt - sentAt > timeoutMs + 1)
      fail(`had a request of ${endedAt - sentAt} ms, timeout ${timeoutMs} ms`)
  }
}

/** What the call says of its cost, against what the service charged. */
function checkCharge({ operation, credits, error, requests, mode }: CallRecord, fail: Fail): void {
  const charged = sum(requests)
  if (credits !== null) {
    const { spent, uncertain } = credits
    for (const problem of miscounts(credits, charged)) fail(problem)
    if (requests.every(({ isClean, evidence }) => isClean || evidence === 'unsent' || evidence === 'refused'))
      if (spent !== charged || uncertain !== 0)
        fail(`was charged ${charged}, and says ${spent} and ${uncertain}`)
  }
  if (error === null || mode === 'toArray' || mode === 'together' || operation.paging === 'counted') return
  // Items do not tell where a page without valid ones ends.
  const hasOdd = requests.some(({ isClean, evidence }) => evidence === 'success' && !isClean)
  if (mode === 'items' && hasOdd) return
  const ofPart = requests.filter(({ part }) => part === error.part)
  const sent = ofPart.filter(({ evidence }) => evidence !== 'unsent').length
  if (sent !== error.sent) fail(`rejected with a ${error.name} of ${error.sent} attempts, and sent ${sent}`)
  const ofPage = operation.price === 0 ? [] : ofPart
  const cost = sum(ofPage)
  const has = (wanted: RequestRecord['evidence']): boolean =>
    ofPage.some(({ evidence }) => evidence === wanted)
  const says = `rejected with a ${error.name} that says charged ${error.charged}`
  if (error.charged === 'no' && cost > 0) fail(`${says}, and was charged ${cost}`)
  if (error.charged === 'no' && has('unclear')) fail(`${says}, and may have been charged`)
  if (error.charged !== 'no' && !has('unclear') && !has('success')) fail(`${says}, and was never charged`)
  if (error.charged === 'yes' && !has('success')) fail(`${says}, without a success`)
  if (error.charged === 'yes' && cost === 0) fail(`${says}, and was charged nothing`)
}

/** Nothing is sent twice unless it provably has not been charged, or has no effect. */
function checkAttempts(call: CallRecord, fail: Fail): void {
  const { requests, settings, mode, owner } = call
  const groups = Map.groupBy(requests, ({ part, params }) => `${part} ${params}`)
  for (const group of groups.values()) {
    if (mode === 'together' && group[0]?.page !== 1) continue
    const refreshes = group.filter(({ status }) => status === 401).length
    const most = settings.maxAttempts + (owner.credential.isRefreshable ? refreshes : 0)
    if (group.length > most) fail(`made ${group.length} attempts of at most ${most}`)
    for (const [index, request] of group.slice(0, -1).entries()) {
      const { evidence, status, mishap } = request
      if (!mayRepeat(call, evidence))
        fail(`sent attempt ${index + 2} after: ${mishap} (${evidence}, status ${status})`)
    }
  }
}

function mayRepeat({ operation, settings }: CallRecord, evidence: RequestRecord['evidence']): boolean {
  return (
    settings.retriesUnknown || operation.method === 'GET' || evidence === 'unsent' || evidence === 'refused'
  )
}

/** A walk delivers each page that it buys, the items of the service in order, and buys no page twice. */
function checkWalk(call: CallRecord, fail: Fail): void {
  const { operation, id, pages, mode, requests, delivered, settings } = call
  if (!isWalk(mode)) return
  const successes = requests.filter(({ evidence }) => evidence === 'success')
  const hasOdd = successes.some(({ isClean }) => !isClean)
  if (operation.price !== 0) {
    const pagesBought = new Set(successes.map(({ params }) => params))
    // After an odd page, or one that came too late, a walk may resume where it has been, or may be retried.
    const mayRepeat = mode === 'resume' ? hasOdd || settings.deadlineMs !== null : settings.retriesUnknown
    if (pagesBought.size < successes.length && !mayRepeat) fail('bought a page twice')
    const shown = call.part + Number(call.isPageInError)
    if (mode === 'pages' && isUndisturbed(call) && !settings.retriesUnknown && shown !== successes.length)
      fail(`bought ${successes.length} pages and showed ${shown}`)
  }
  if (hasOdd) return
  const sent = Array.from({ length: pages }, (_, index) =>
    itemsOf({ operation, id, pages, page: index + 1 }),
  ).flat()
  if (delivered.some((item, index) => item !== sent[index]))
    fail('delivered other items than the service sent')
  const isWhole = !call.isRejected && !call.isCutShort && isUndisturbed(call) && mode !== 'toArray'
  if (isWhole && delivered.length < sent.length)
    fail(`ended after ${delivered.length} of ${sent.length} items`)
}

/** Whether neither an abort nor `close()` ended it. */
function isUndisturbed({ abortedAt, settledAt, owner }: CallRecord): boolean {
  return abortedAt === null && (settledAt ?? Infinity) < (owner.closedAt ?? Infinity)
}

/** Credits that the client may count as uncertain at most. */
function mostUncertain({ operation, requests }: CallRecord): number {
  const unclear = requests.filter(
    ({ evidence, isClean }) => evidence === 'unclear' || (evidence === 'success' && !isClean),
  )
  return unclear.length * worstCaseOf(operation)
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
