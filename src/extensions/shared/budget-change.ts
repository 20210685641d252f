import { type PeriodAccount, type PeriodBook, accountOf, keepAccount, rounded } from '../../extend.ts'
import { type StateHead, beginChange, emptyHead, hasLost, leaseEnd, readState } from './text-format.ts'
import type { Moment } from './clock.ts'
import { without } from './limiter-state.ts'

/** Credits by the name of their period. */
export type ByPeriod = Record<string, number>

/** What one process has told the others of a budget. */
interface Part {
  /** Credits of its open reservations. */
  reserved: ByPeriod
  /** Credits that it had reserved when it fell silent; they count as uncertain until it comes back. */
  abandoned: ByPeriod
  /** When its reservations count as abandoned. */
  until: number
  /** How many of its outcomes are counted, since it may tell one twice. */
  told: number
}

/** What all processes have spent in a period. */
export interface Account extends PeriodAccount {
  spent: number
  uncertain: number
}

/** All that processes share of a budget. Times are of the store's clock, in milliseconds since 1970. */
export interface BudgetState extends StateHead, PeriodBook<Account> {
  parts: Record<string, Part>
}

export const emptyAccount: Account = { spent: 0, uncertain: 0, isLost: false }

/** What each text of a budget has. */
const example: BudgetState = {
  ...emptyHead,
  accounts: { '*': { spent: 0, uncertain: 0, isLost: false } },
  forgotten: '',
  parts: { '*': { reserved: { '*': 0 }, abandoned: { '*': 0 }, until: 0, told: 0 } },
}

/** Reads the text of a budget; undefined if it is none. */
function readBudget(text: string | undefined): BudgetState | undefined {
  return readState(text, example)
}

/** Credits of a reservation that has ended. */
export interface Spent {
  readonly period: string
  readonly spent: number
  readonly uncertain: number
}

/** What a process asks for. */
export interface Ask {
  /** Credits to reserve; null for a summary. */
  readonly credits: number | null
  /** The period in which they are reserved already, if the call has waited since. */
  readonly heldIn?: string | undefined
}

/** What a process tells, and asks. */
export interface BudgetReport {
  readonly process: string
  /** How many outcomes came before these. */
  readonly told: number
  readonly outcomes: readonly Spent[]
  /** Credits of its open reservations. */
  reserved(): ByPeriod
  readonly asks: readonly Ask[]
}

/** A state, whether it has to be stored, the period, and for each ask whether its credits are reserved in it. */
export interface BudgetUpdate {
  readonly state: BudgetState
  readonly isChanged: boolean
  readonly period: string
  readonly granted: readonly boolean[]
}

/** What all processes of a budget have to agree on. */
export interface BudgetTerms {
  readonly limit: number
  readonly leaseMs: number
  /** Names the period of a time. */
  readonly periodAt: (time: number) => string
}

/** How long the part of a process is kept that is idle, and of one that has left credits uncertain, in milliseconds. */
const idleMs = 3_600_000
const abandonedMs = 30 * 86_400_000

/** A lease that ends later was told while the clock was ahead, unless the leases are longer. */
const longestLeaseMs = 86_400_000

/** Changes the text of a budget for one process. It has no effect but what it returns. */
export function changeBudget(
  text: string | undefined,
  { clock: now }: Moment,
  seen: BudgetState | undefined,
  report: BudgetReport,
  { limit, leaseMs, periodAt }: BudgetTerms,
  newId: string,
): BudgetUpdate {
  const found = readBudget(text)
  const isNumbered = beginChange(found)
  const state: BudgetState = found ?? { ...emptyHead, epoch: newId, accounts: {}, forgotten: '', parts: {} }
  const period = periodAt(now)
  // A replica that lagged behind, or an old file, has become this store. All processes have to know.
  if (seen !== undefined && hasLost(found, seen)) markLost(state, seen)
  if (text !== undefined && found === undefined) keepAccount(state, period, { ...emptyAccount, isLost: true })
  abandon(state, now, report.process, leaseMs)
  const own = tell(state, report, now, leaseMs)
  const granted = report.asks.map(({ credits, heldIn }) => {
    if (credits === null) return false
    if (heldIn === period) return true
    const account = accountOf(state, period, emptyAccount)
    const isGranted = !account.isLost && credits <= remainingOf(state, period, limit)
    if (isGranted || account.isLost) keepAccount(state, period, account)
    if (!isGranted) return false
    own.reserved[period] = rounded((own.reserved[period] ?? 0) + credits)
    if (credits > 0) own.until = now + leaseMs
    return true
  })
  if (Object.keys(own.reserved).length === 0 && own.told === 0)
    state.parts = without(state.parts, report.process)
  state.time = now
  return { state, isChanged: isNumbered(state), period, granted }
}

/** Credits left for further reservations in a period. */
export function remainingOf(state: BudgetState, period: string, limit: number): number {
  const { spent, uncertain } = accountOf(state, period, emptyAccount)
  return Math.max(0, rounded(limit - spent - uncertain - reservedOf(state, period)))
}

/** Credits of all open reservations in a period. */
export function reservedOf({ parts }: BudgetState, period: string): number {
  return rounded(Object.values(parts).reduce((sum, { reserved }) => sum + (reserved[period] ?? 0), 0))
}

/** Nothing more may be spent in periods of which the store has lost something. */
function markLost(state: BudgetState, seen: BudgetState): void {
  if (seen.forgotten > state.forgotten) state.forgotten = seen.forgotten
  for (const [period, account] of Object.entries({ ...seen.accounts, ...state.accounts }))
    if (period in seen.accounts) keepAccount(state, period, { ...account, isLost: true })
}

/** Processes that are silent have died, perhaps after sending. The one that reports has not. */
function abandon(state: BudgetState, now: number, reporting: string, leaseMs: number): void {
  for (const part of Object.values(state.parts)) {
    part.until = Math.min(part.until, now + Math.max(leaseMs, longestLeaseMs))
    if (part.until > now) continue
    for (const [period, credits] of Object.entries(part.reserved)) {
      count(state, { period, spent: 0, uncertain: credits })
      part.abandoned[period] = rounded((part.abandoned[period] ?? 0) + credits)
    }
    part.reserved = {}
  }
  const isKept = ({ abandoned, until }: Part): boolean =>
    until + (Object.keys(abandoned).length > 0 ? abandonedMs : idleMs) > now
  const kept = Object.entries(state.parts).filter(([process, part]) => process === reporting || isKept(part))
  state.parts = Object.fromEntries(kept)
}

/** Puts down a process's part exactly as it tells it, and counts its outcomes once. */
function tell(state: BudgetState, report: BudgetReport, now: number, leaseMs: number): Part {
  const before = state.parts[report.process]
  // It was silent, and has not died.
  for (const [period, credits] of Object.entries(before?.abandoned ?? {}))
    count(state, { period, spent: 0, uncertain: -credits })
  const uncounted = report.outcomes.slice(Math.max(0, (before?.told ?? 0) - report.told))
  for (const outcome of uncounted) count(state, outcome)
  const told = report.told + report.outcomes.length
  const reserved = report.reserved()
  const isIdle = Object.keys(reserved).length === 0 && before !== undefined
  const until = isIdle ? before.until : leaseEnd(before?.until, now, leaseMs)
  return (state.parts[report.process] = { reserved, abandoned: {}, until, told })
}

function count(state: BudgetState, { period, spent, uncertain }: Spent): void {
  if (spent === 0 && uncertain === 0) return
  const account = accountOf(state, period, emptyAccount)
  keepAccount(state, period, {
    ...account,
    spent: rounded(account.spent + spent),
    uncertain: rounded(account.uncertain + uncertain),
  })
}
