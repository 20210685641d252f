// What the processes of one budget share is one short JSON text in a store: what was spent in each period, and each process's entry, which it
// replaces with every update: the credits of its open reservations, and how many of its outcomes are counted. What holds, whatever happens:
//
// - What is spent, uncertain and reserved in a period never exceeds its limit, but for calls that cost more than they reserved.
// - An outcome counts once, in the period of its reservation, however often an update is repeated.
// - What a process had reserved when it died counts as uncertain: it may have sent its calls.
// - If the store has lost a part of what was spent, nothing more is granted in that period.

import { type PeriodAccount, type PeriodBook, accountOf, keepAccount, rounded } from '../../extend.ts'
import {
  type ReadTimes,
  type StateChange,
  type VersionedState,
  contentOf,
  countChange,
  filtered,
  hasLost,
  leaseEnd,
  readState,
} from './versioned-state.ts'

/** Credits by the name of their period. */
type ByPeriod = Record<string, number>

/** What the state has of one process. */
interface ProcessEntry {
  /** Credits of its open reservations. */
  reserved: ByPeriod
  /** Credits that it had reserved when its lease ended; they count as uncertain until it comes back. */
  expired: ByPeriod
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

/** A reservation without an outcome. */
export interface OpenReservation {
  readonly credits: number
  /** In which it counts. */
  period: string
}

/** What a call asks of the budget. */
export interface BudgetRequest {
  /** Credits to reserve; null for a summary. */
  readonly credits: number | null
  /** The reservation of a call that has waited since, to move to the current period. */
  readonly earlier: OpenReservation | undefined
}

/** What a process reports, and what its calls ask for. */
export interface BudgetReport<Request extends BudgetRequest> {
  readonly process: string
  /** How many outcomes came before these: it knows that they are counted. */
  readonly confirmed: number
  readonly outcomes: readonly Spent[]
  readonly open: ReadonlySet<OpenReservation>
  readonly requests: readonly Request[]
}

/** Whether the credits of a request are reserved; a summary reserves none, nor does a call that has ended since. */
export type BudgetReply = 'reserved' | 'refused' | 'nothing reserved'

/** What comes of an update: also the period, and the reply to each request. */
export interface BudgetUpdate<Request extends BudgetRequest> extends StateChange<BudgetState> {
  readonly period: string
  readonly replies: ReadonlyMap<Request, BudgetReply>
}

/** Whether a request asks again: what was reserved for calls that have ended meanwhile may come back. */
export function asksAgain(reply: BudgetReply, unreported: number): boolean {
  return reply === 'refused' && unreported > 0
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
const expiredMs = 30 * 86_400_000

/** A lease that ends later was stored while the clock was ahead, unless the leases are longer. */
const longestLeaseMs = 86_400_000

/** Changes the text of a budget for one process. It has no effect but what it returns. */
export function changeBudget<Request extends BudgetRequest>(
  text: string | undefined,
  { clock: now }: ReadTimes,
  latest: BudgetState | undefined,
  report: BudgetReport<Request>,
  { limit, leaseMs, periodAt }: BudgetTerms,
  newId: string,
): BudgetUpdate<Request> {
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
  expire(state, now, report.process, leaseMs)
  const own = putEntry(state, report, now, leaseMs)
  const reply = ({ credits, earlier }: BudgetRequest): BudgetReply => {
    if (credits === null || (earlier && !report.open.has(earlier))) return 'nothing reserved'
    if (earlier?.period === period) return 'reserved'
    const account = accountOf(state, period, emptyAccount)
    const isGranted = !account.isLost && credits <= remainingOf(state, period, limit)
    if (isGranted || account.isLost) keepAccount(state, period, account)
    if (!isGranted) return 'refused'
    add(own.reserved, period, credits)
    if (credits > 0) own.until = now + leaseMs
    return 'reserved'
  }
  const replies = new Map(report.requests.map((request) => [request, reply(request)]))
  if (Object.keys(own.reserved).length === 0 && own.counted === 0)
    state.processes = filtered(state.processes, (_, id) => id !== report.process)
  state.time = now
  return { state, isChanged: countChange(state, before), period, replies }
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
function expire(state: BudgetState, now: number, reporting: string, leaseMs: number): void {
  for (const entry of Object.values(state.processes)) {
    entry.until = Math.min(entry.until, now + Math.max(leaseMs, longestLeaseMs))
    if (entry.until > now) continue
    for (const [period, credits] of Object.entries(entry.reserved)) {
      count(state, { period, spent: 0, uncertain: credits })
      add(entry.expired, period, credits)
    }
    entry.reserved = {}
  }
  const isKept = ({ expired, until }: ProcessEntry): boolean =>
    until + (Object.keys(expired).length > 0 ? expiredMs : idleMs) > now
  state.processes = filtered(state.processes, (entry, id) => id === reporting || isKept(entry))
}

/** Replaces a process's entry by what it reports, and counts its outcomes once. */
function putEntry(
  state: BudgetState,
  report: BudgetReport<BudgetRequest>,
  now: number,
  leaseMs: number,
): ProcessEntry {
  const before = state.processes[report.process]
  // It has not died.
  for (const [period, credits] of Object.entries(before?.expired ?? {}))
    count(state, { period, spent: 0, uncertain: -credits })
  const uncounted = report.outcomes.slice(Math.max(0, (before?.counted ?? 0) - report.confirmed))
  for (const outcome of uncounted) count(state, outcome)
  const counted = report.confirmed + report.outcomes.length
  const reserved: ByPeriod = {}
  for (const { period, credits } of report.open) if (credits > 0) add(reserved, period, credits)
  const isIdle = Object.keys(reserved).length === 0 && before !== undefined
  const until = isIdle ? before.until : leaseEnd(before?.until, now, leaseMs)
  return (state.processes[report.process] = { reserved, expired: {}, until, counted })
}

function add(to: ByPeriod, period: string, credits: number): void {
  to[period] = rounded((to[period] ?? 0) + credits)
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
