import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import type { CreditBudget, SocialSearch } from '../../../src/index.ts'
import { everything } from '../../canary/look.ts'
import { miscounts } from '../../support/ledger.ts'
import { itemsOf } from './faults.ts'
import { worstCaseOf } from './operations.ts'
import { type CallRecord, type ClientRecord, type RequestRecord, type Trace, isWalk } from './world.ts'

/** The documented limits of an organization. */
const most = { inFlight: 2, perMinute: 20, windowMs: 60_000 }

const sum = (requests: readonly RequestRecord[]): number =>
  requests.reduce((total, { charged }) => total + charged, 0)
const hasSucceeded = ({ evidence }: RequestRecord): boolean => evidence === 'page' || evidence === 'odd'
const chargedFor = (calls: readonly CallRecord[]): number => sum(calls.flatMap(({ requests }) => requests))

/** Checks, after the run, what must hold of one call. */
export function checkCall(call: CallRecord, trace: Trace): void {
  const fail = (what: string): void => trace.fail(`${call.id} ${call.operation.id} ${what}`)
  checkTimes(call, fail)
  checkCharge(call, fail)
  checkAttempts(call, fail)
  checkWalk(call, fail)
  const { signal } = call.plan?.controller ?? {}
  const listeners = signal ? getEventListeners(signal, 'abort').length : 0
  if (listeners > 0) fail(`left ${listeners} listeners on its signal`)
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
    if (requests.every(({ evidence }) => evidence !== 'odd' && evidence !== 'unclear'))
      if (spent !== charged || uncertain !== 0)
        fail(`was charged ${charged}, and says ${spent} and ${uncertain}`)
  }
  if (error === null || mode === 'toArray' || mode === 'together' || operation.paging === 'counted') return
  // Items do not tell where a page without valid ones ends.
  if (mode === 'items' && requests.some(({ evidence }) => evidence === 'odd')) return
  const ofPart = requests.filter(({ part }) => part === error.part)
  const sent = ofPart.filter(({ evidence }) => evidence !== 'unsent').length
  if (sent !== error.sent) fail(`rejected with a ${error.name} of ${error.sent} attempts, and sent ${sent}`)
  const ofPage = operation.price === 0 ? [] : ofPart
  const cost = sum(ofPage)
  const isUnclear = ofPage.some(({ evidence }) => evidence === 'unclear')
  const isSuccess = ofPage.some(hasSucceeded)
  const says = `rejected with a ${error.name} that says charged ${error.charged}`
  if (error.charged === 'no' && cost > 0) fail(`${says}, and was charged ${cost}`)
  if (error.charged === 'no' && isUnclear) fail(`${says}, and may have been charged`)
  if (error.charged !== 'no' && !isUnclear && !isSuccess) fail(`${says}, and was never charged`)
  if (error.charged === 'yes' && !isSuccess) fail(`${says}, without a success`)
  if (error.charged === 'yes' && cost === 0) fail(`${says}, and was charged nothing`)
}

/** Nothing is sent twice unless it provably has not been charged, or has no effect. */
function checkAttempts(call: CallRecord, fail: Fail): void {
  const { requests, settings, mode, owner } = call
  const { isRefreshable } = owner.credential
  const groups = Map.groupBy(requests, ({ part, params }) => `${part} ${params}`)
  for (const group of groups.values()) {
    if (mode === 'together' && group[0]?.page !== 1) continue
    const refreshes = group.filter(({ status }) => status === 401).length
    const most = settings.maxAttempts + (isRefreshable ? refreshes : 0)
    if (group.length > most) fail(`made ${group.length} attempts of at most ${most}`)
    for (const [index, request] of group.slice(0, -1).entries()) {
      const { evidence, status, fault } = request
      if (!mayRepeat(call, evidence))
        fail(`sent attempt ${index + 2} after: ${fault} (${evidence}, status ${status})`)
      const next = group[index + 1] ?? request
      const early = (request.retryAt ?? 0) - next.sentAt
      if (mode !== 'together' && early > 0) fail(`sent attempt ${index + 2} ${early} ms too early`)
      if (isRefreshable && status === 401 && next.token === request.token)
        fail(`sent attempt ${index + 2} with the token that was refused`)
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
  const successes = requests.filter(hasSucceeded)
  const hasOdd = requests.some(({ evidence }) => evidence === 'odd')
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
  const unclear = requests.filter(({ evidence }) => evidence === 'unclear' || evidence === 'odd')
  return unclear.length * worstCaseOf(operation)
}

/** Checks, after the run, what must hold of a client that is closed. */
export function checkClient(owner: ClientRecord, trace: Trace): void {
  const { name, variants, organization, credential } = owner
  const left = [...organization.open].filter(({ call }) => call.owner === owner)
  if (left.length > 0) trace.fail(`${name} left ${left.length} requests open`)
  for (const { client } of variants) {
    if (shows(client, credential.secrets)) trace.fail(`${name} shows a secret when it is printed`)
    const { slots, surfaces } = client.status()
    if (slots.taken > 0) trace.fail(`${name} holds ${slots.taken} slots`)
    const queued = surfaces.reduce((sum, surface) => sum + surface.waiting, 0)
    if (queued > 0) trace.fail(`${name} has ${queued} calls in its queue`)
  }
  const credits = variants[0]?.client.credits
  if (credits) checkLedger(owner, credits, trace)
}

/** Checks the ledger of a client, in all and by operation, against what the service charged. */
function checkLedger(
  { name, calls }: ClientRecord,
  { byOperation, ...all }: SocialSearch['credits'],
  trace: Trace,
): void {
  const byId = Map.groupBy(calls, ({ operation }) => operation.id)
  const check = (owner: string, account: typeof all, made: readonly CallRecord[] = []): void => {
    for (const problem of miscounts(account, chargedFor(made))) trace.fail(`${owner}: ${problem}`)
    const most = made.reduce((sum, call) => sum + mostUncertain(call), 0)
    if (account.uncertain > most)
      trace.fail(`${owner}: ${account.uncertain} are uncertain, only ${most} can be`)
  }
  check(name, all, calls)
  for (const [id, account] of Object.entries(byOperation))
    check(`${name} for ${id}`, account as typeof all, byId.get(id))
}

/** Checks a budget against what the service charged for the calls under it. */
export function checkBudget(budget: CreditBudget, calls: readonly CallRecord[], trace: Trace): void {
  const summary = budget.summary()
  const { limit, spent, uncertain, reserved, remaining } = summary
  const charged = chargedFor(calls.filter(({ settings }) => settings.budgets.includes(budget)))
  const says = `a budget of ${limit} counts spent ${spent}, uncertain ${uncertain}, reserved ${reserved}, remaining ${remaining}; charged ${charged}`
  for (const problem of miscounts(summary, charged)) trace.fail(`${says}: ${problem}`)
  if (charged > limit || spent + uncertain > limit) trace.fail(`${says}: exceeded`)
  if (remaining !== limit - spent - uncertain - reserved) trace.fail(`${says}: remaining is wrong`)
}

/** Checks a request as it is sent: its credential, its time, and what is reserved for it. */
export function checkSent({ call, token }: RequestRecord, trace: Trace): void {
  const { owner, operation, id } = call
  if (token === null || !owner.credential.secrets.has(token)) trace.fail(`${id} was sent without its token`)
  const early = (owner.organization.closedUntil.get(operation.surface ?? '') ?? 0) - performance.now()
  if (early > 0) trace.fail(`${id} was sent ${early} ms before ${operation.surface} opens`)
  if (operation.price !== 0) checkReserved(call, worstCaseOf(operation), trace)
}

/** Before a paid request is sent, its highest cost must be reserved everywhere: of items, those that did not come yet. */
function checkReserved(call: CallRecord, most: number, trace: Trace): void {
  const { settings, owner, operation, id } = call
  const worstCase = operation.price === 'items' ? Math.max(1, most - chargedFor([call])) : most
  const accounts = [
    ['the ledger', owner.variants[0]?.client.credits] as const,
    ...settings.budgets.map((each) => ['a budget', each.summary()] as const),
  ]
  for (const [name, account] of accounts) {
    const reserved = account?.reserved ?? 0
    if (reserved < worstCase)
      trace.fail(`${id} was sent with ${reserved} of ${worstCase} credits reserved in ${name}`)
  }
  for (const budget of settings.budgets) {
    const { limit, spent, uncertain, reserved } = budget.summary()
    if (spent + uncertain + reserved > limit)
      trace.fail(`${id} was sent although a budget of ${limit} is exceeded`)
  }
}

/** Checks, as a request arrives, the limits of its organization. The service never refuses by itself. */
export function checkArrival({ call }: RequestRecord, trace: Trace): void {
  const { name, open, limits, isPaced, arrivals } = call.owner.organization
  if (open.size > (limits.inFlight || most.inFlight)) {
    const calls = Array.from(open, ({ call }) => call.id).join(', ')
    trace.fail(`${name} has ${open.size} requests in flight: ${calls}`)
  }
  const { surface } = call.operation
  if (surface === null || !isPaced) return
  const times = arrivals.get(surface) ?? []
  arrivals.set(surface, times)
  times.push(performance.now())
  const first = times.at(-1 - most.perMinute) ?? -Infinity
  const ms = performance.now() - first
  if (ms < most.windowMs)
    trace.fail(`${name} sent ${most.perMinute + 1} requests to ${surface} in ${ms.toFixed(1)} ms`)
}

/** Deep enough for what the package adds to an error; deeper parts are found without printing. */
const print = (value: unknown): string =>
  inspect(value, { depth: 8, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity })

/** Whether a secret stands in a value, in whatever escapes that JSON or URLs allow. */
export function shows(value: unknown, secrets: Iterable<string>): boolean {
  const text = typeof value === 'string' ? value : everything(value, print)
  const forms = [text, unescapedJson(text), unescapedJson(unescapedJson(text)), unescapedUrl(text)]
  for (const secret of secrets) if (forms.some((form) => form.includes(secret))) return true
  return false
}

function unescapedJson(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replaceAll(/\\(["\\/])/g, '$1')
}

function unescapedUrl(text: string): string {
  return text.replaceAll(/%([2-7][0-9a-fA-F])/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}
