// What the processes of one budget share is one short JSON text in a store: what was spent in each period, and each process's entry, which it
// replaces with every update: the credits of its open reservations, and how many of its outcomes are counted. What holds, whatever happens:
//
// - What is spent, uncertain and reserved in a period never exceeds its limit, but for calls that cost more than they reserved.
// - An outcome counts once, in the period of its reservation, however often an update is repeated.
// - What a process had reserved when it died counts as uncertain: it may have sent its calls.
// - If the store has lost a part of what was spent, nothing more is granted in that period.

import { type PeriodAccount, type PeriodBook, accountOf, keepAccount, rounded } from '../../extend.ts'
import type { ClockReading } from './clock.ts'
import {
  type VersionedState,
  contentOf,
  countChange,
  hasLost,
  leaseEnd,
  readState,
  without,
} from './versioned-state.ts'

/** Credits by the name of their period. */
export type ByPeriod = Record<string, number>

/** What the state has of one process. */
interface ProcessEntry {
  /** Credits of its open reservations. */
  reserved: ByPeriod
  /** Credits that it had reserved when its lease ended; they count as uncertain until it comes back. */
  abandoned: ByPeriod
  /** When its lease ends. */
  until: number
  /** How many of its outcomes are counted, since it may report one twice. */
  counted: number
}

/** What all processes have spent in a period. */
export interface Account extends PeriodAccount {
  spent: number
  uncertain: number
}

/** All that processes share of a budget. Times are of the store's clock, in milliseconds since 1970. */
export interface BudgetState extends VersionedState, PeriodBook<Account> {
  processes: Record<string, ProcessEntry>
}

export const emptyAccount: Account = { spent: 0, uncertain: 0, isLost: false }

/** Credits of a reservation that has ended. */
export interface Spent {
  readonly period: string
  readonly spent: number
  readonly uncertain: number
}

/** What a call asks of the budget. */
export interface BudgetRequest {
  /** Credits to reserve; null for a summary. */
  readonly credits: number | null
  /** The period in which they are reserved already, if the call has waited since. */
  readonly reservedIn?: string | undefined
}

/** What a process reports, and what its calls ask for. */
export interface BudgetReport {
  readonly process: string
  /** How many outcomes came before these. */
  readonly earlier: number
  readonly outcomes: readonly Spent[]
  /** Credits of its open reservations. */
  reserved(): ByPeriod
  readonly requests: readonly BudgetRequest[]
}

/** A state, whether it has to be stored, the period, and for each request whether its credits are reserved in it. */
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

/** How long the entry of a process is kept that is idle, and of one that has left credits uncertain, in milliseconds. */
const idleMs = 3_600_000
const abandonedMs = 30 * 86_400_000

/** A lease that ends later was stored while the clock was ahead, unless the leases are longer. */
const longestLeaseMs = 86_400_000

/** Changes the text of a budget for one process. It has no effect but what it returns. */
export function changeBudget(
  text: string | undefined,
  { clock: now }: ClockReading,
  latest: BudgetState | undefined,
  report: BudgetReport,
  { limit, leaseMs, periodAt }: BudgetTerms,
  newId: string,
): BudgetUpdate {
  const found = readState(text) as BudgetState | undefined
  const before = contentOf(found)
  const state: BudgetState = found ?? {
    ...{ stateId: newId, version: 0, time: 0 },
    ...{ accounts: {}, forgotten: '', processes: {} },
  }
  const period = periodAt(now)
  // A replica that was behind, or an old file, has become this store. All processes have to know.
  if (latest !== undefined && hasLost(found, latest)) markLost(state, latest)
  if (text !== undefined && found === undefined) keepAccount(state, period, { ...emptyAccount, isLost: true })
  abandon(state, now, report.process, leaseMs)
  const own = putEntry(state, report, now, leaseMs)
  const granted = report.requests.map(({ credits, reservedIn }) => {
    if (credits === null) return false
    if (reservedIn === period) return true
    const account = accountOf(state, period, emptyAccount)
    const isGranted = !account.isLost && credits <= remainingOf(state, period, limit)
    if (isGranted || account.isLost) keepAccount(state, period, account)
    if (!isGranted) return false
    own.reserved[period] = rounded((own.reserved[period] ?? 0) + credits)
    if (credits > 0) own.until = now + leaseMs
    return true
  })
  if (Object.keys(own.reserved).length === 0 && own.counted === 0)
    state.processes = without(state.processes, report.process)
  state.time = now
  return { state, isChanged: countChange(state, before), period, granted }
}

/** Credits left for further reservations in a period. */
export function remainingOf(state: BudgetState, period: string, limit: number): number {
  const { spent, uncertain } = accountOf(state, period, emptyAccount)
  return Math.max(0, rounded(limit - spent - uncertain - reservedOf(state, period)))
}

/** Credits of all open reservations in a period. */
export function reservedOf({ processes }: BudgetState, period: string): number {
  return rounded(Object.values(processes).reduce((sum, { reserved }) => sum + (reserved[period] ?? 0), 0))
}

/** Nothing more may be spent in periods of which the store has lost something. */
function markLost(state: BudgetState, latest: BudgetState): void {
  if (latest.forgotten > state.forgotten) state.forgotten = latest.forgotten
  for (const [period, account] of Object.entries({ ...latest.accounts, ...state.accounts }))
    if (period in latest.accounts) keepAccount(state, period, { ...account, isLost: true })
}

/** Processes whose lease is over have died, perhaps after sending. The one that reports has not. */
function abandon(state: BudgetState, now: number, reporting: string, leaseMs: number): void {
  for (const entry of Object.values(state.processes)) {
    entry.until = Math.min(entry.until, now + Math.max(leaseMs, longestLeaseMs))
    if (entry.until > now) continue
    for (const [period, credits] of Object.entries(entry.reserved)) {
      count(state, { period, spent: 0, uncertain: credits })
      entry.abandoned[period] = rounded((entry.abandoned[period] ?? 0) + credits)
    }
    entry.reserved = {}
  }
  const isKept = ({ abandoned, until }: ProcessEntry): boolean =>
    until + (Object.keys(abandoned).length > 0 ? abandonedMs : idleMs) > now
  const kept = Object.entries(state.processes).filter(([id, entry]) => id === reporting || isKept(entry))
  state.processes = Object.fromEntries(kept)
}

/** Replaces a process's entry by what it reports, and counts its outcomes once. */
function putEntry(state: BudgetState, report: BudgetReport, now: number, leaseMs: number): ProcessEntry {
  const before = state.processes[report.process]
  // It has not died.
  for (const [period, credits] of Object.entries(before?.abandoned ?? {}))
    count(state, { period, spent: 0, uncertain: -credits })
  const uncounted = report.outcomes.slice(Math.max(0, (before?.counted ?? 0) - report.earlier))
  for (const outcome of uncounted) count(state, outcome)
  const counted = report.earlier + report.outcomes.length
  const reserved = report.reserved()
  const isIdle = Object.keys(reserved).length === 0 && before !== undefined
  const until = isIdle ? before.until : leaseEnd(before?.until, now, leaseMs)
  return (state.processes[report.process] = { reserved, abandoned: {}, until, counted })
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
