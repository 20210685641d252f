import { rounded } from '../../extend.ts'
import { type Moment, type StateHead, beginChange, emptyHead, hasLost, leaseEnd } from './clock.ts'
import { without } from './state.ts'

/** What one process has told the others of a budget. */
interface Part {
  /** Credits of its open reservations. */
  reserved: number
  /** Credits that it had reserved when it fell silent; they count as uncertain until it comes back. */
  abandoned: number
  /** The period of both. */
  period: string
  /** When its reservations count as abandoned. */
  until: number
  /** How many of its outcomes are counted, since it may tell one twice. */
  told: number
}

/** All that processes share of a budget. Times are in milliseconds since 1970. */
export interface BudgetState extends StateHead {
  /** The store has lost some changes of this period. */
  isLost: boolean
  period: string
  /** Credits of this period. */
  spent: number
  uncertain: number
  parts: Record<string, Part>
}

/** Credits of a reservation that has ended. */
export interface Spent {
  readonly period: string
  readonly spent: number
  readonly uncertain: number
}

/** What a process tells, and asks. */
export interface BudgetReport {
  readonly process: string
  /** How many outcomes came before these. */
  readonly told: number
  readonly outcomes: readonly Spent[]
  /** Credits of its open reservations in a period. */
  reserved(period: string): number
  /** Credits to reserve; 0 for a summary. */
  readonly asks: readonly number[]
}

/** A state, whether it has to be stored, and for each ask whether its credits are reserved. */
export interface BudgetUpdate {
  readonly state: BudgetState
  readonly isChanged: boolean
  readonly granted: readonly boolean[]
}

/** What all processes of a budget have to agree on. */
export interface BudgetTerms {
  readonly limit: number
  readonly leaseMs: number
  /** Names the period of a time. */
  readonly periodAt: (time: number) => string
}

const empty = { ...emptyHead, isLost: false, period: '', spent: 0, uncertain: 0, parts: {} }

/** What each text of a budget has. */
const example = { ...empty, parts: { '*': { reserved: 0, abandoned: 0, period: '', until: 0, told: 0 } } }

/** How long the part of a process is kept that is idle, and of one that has left credits uncertain, in milliseconds. */
const idleMs = 3_600_000
const abandonedMs = 30 * 86_400_000

/** Changes the text of a budget for one process. It has no effect but what it returns. */
export function changeBudget(
  text: string | undefined,
  moment: Moment,
  seen: BudgetState | undefined,
  report: BudgetReport,
  { limit, leaseMs, periodAt }: BudgetTerms,
  newId: string,
): BudgetUpdate {
  const { found, now, stamp } = beginChange<BudgetState>(text, example, moment, moment.clock)
  const state: BudgetState = found ?? { ...empty, epoch: newId, parts: {} }
  const period = periodAt(now)
  // Periods that have ended no longer count. If the clock of another process is ahead, this one follows.
  if (period > state.period) Object.assign(state, { period, spent: 0, uncertain: 0, isLost: false })
  // A replica that lagged behind, or an old file, has become this store. All processes have to know.
  const isRolledBack = seen?.period === state.period && hasLost(found, seen)
  if (isRolledBack || (text !== undefined && found === undefined)) state.isLost = true
  abandon(state, now, report.process)
  const own = tell(state, report, now, leaseMs)
  const granted = report.asks.map((credits) => {
    if (state.isLost || credits > remainingOf(state, limit)) return false
    own.reserved += credits
    if (credits > 0) own.until = now + leaseMs
    return true
  })
  if (own.reserved === 0 && own.told === 0) state.parts = without(state.parts, report.process)
  return { state, isChanged: stamp(state), granted }
}

/** Credits left for further reservations. */
export function remainingOf(state: BudgetState, limit: number): number {
  return Math.max(0, rounded(limit - state.spent - state.uncertain - reservedOf(state)))
}

/** Credits of all open reservations. */
export function reservedOf({ parts, period }: BudgetState): number {
  const current = Object.values(parts).filter((part) => part.period === period)
  return rounded(current.reduce((sum, { reserved }) => sum + reserved, 0))
}

/** Processes that are silent have died, perhaps after sending. The one that reports has not. */
function abandon(state: BudgetState, now: number, reporting: string): void {
  for (const part of Object.values(state.parts)) {
    if (part.until > now) continue
    addUncertain(state, part.period, part.reserved)
    part.abandoned += part.reserved
    part.reserved = 0
  }
  const isKept = ({ abandoned, until }: Part): boolean => until + (abandoned > 0 ? abandonedMs : idleMs) > now
  const kept = Object.entries(state.parts).filter(([process, part]) => process === reporting || isKept(part))
  state.parts = Object.fromEntries(kept)
}

/** Puts down a process's part exactly as it tells it, and counts its outcomes once. */
function tell(state: BudgetState, report: BudgetReport, now: number, leaseMs: number): Part {
  const { period } = state
  const before = state.parts[report.process]
  // It was silent, and has not died.
  if (before !== undefined) addUncertain(state, before.period, -before.abandoned)
  const counted = before?.told ?? 0
  const uncounted = report.outcomes.slice(Math.max(0, counted - report.told))
  for (const { spent, uncertain } of uncounted.filter((outcome) => outcome.period === period)) {
    state.spent = rounded(state.spent + spent)
    addUncertain(state, period, uncertain)
  }
  const told = report.told + report.outcomes.length
  const reserved = report.reserved(period)
  const until = reserved === 0 && before ? before.until : leaseEnd(before?.until, now, leaseMs)
  return (state.parts[report.process] = { reserved, abandoned: 0, period, until, told })
}

function addUncertain(state: BudgetState, period: string, credits: number): void {
  if (period === state.period) state.uncertain = rounded(state.uncertain + credits)
}
