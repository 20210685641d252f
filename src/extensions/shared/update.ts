import type { Look } from './looks.ts'
import { type LimiterState, type Place, type Rules, without } from './state.ts'
import { type Ask, type WaitReason, callNext, dropSilent, grant, waitReasonOf } from './turns.ts'

/** What a process tells in one update: all of its part of the state, so that an update that was lost needs no repetition. */
export interface Report {
  readonly process: string
  /** Its requests in flight. */
  readonly slots: number
  /** When its requests arrived at the latest, at each surface. */
  readonly arrivals: Iterable<readonly [surface: string, times: number[]]>
  /** When surfaces open that a 429 has closed. */
  readonly closures: readonly (readonly [surface: string, openAt: number])[]
  readonly asks: readonly Ask[]
  /** How long a request takes to arrive at the latest, in milliseconds. */
  readonly arrivalMs: number
  /** How long it needs to take a slot when it is called, in milliseconds. */
  readonly turnMs: number
}

/** What a surface gets that has asked: slots, and why the next call waits; undefined if none does. */
export interface AskOutcome {
  readonly granted: number
  readonly waitReason: WaitReason | undefined
}

/** What comes of an update. */
export interface Update {
  readonly outcomes: ReadonlyMap<string, AskOutcome>
  readonly looks: readonly Look[]
}

/** Brings a state up to date with one process, and grants what it asks for. Changes nothing but the state. */
export function updateState(state: LimiterState, report: Report, rules: Rules, now: number): Update {
  const { process, arrivalMs } = report
  tell(state, report, rules, now)
  dropSilent(state, process, rules, now)
  const granted = grant(state, report.asks, process, arrivalMs, rules, now)
  const outcomes = new Map<string, AskOutcome>()
  for (const [surface, count] of granted)
    outcomes.set(surface, {
      granted: count,
      waitReason: waitReasonOf(state, surface, process, arrivalMs, rules, now),
    })
  return { outcomes, looks: callNext(state, process, rules, now) }
}

/** Puts down a process's part of the state, exactly as it tells it; one that waits keeps its place in line. */
function tell(state: LimiterState, report: Report, rules: Rules, now: number): void {
  const { process, slots, asks, turnMs } = report
  const before = state.processes[process]?.places
  const places = asks.map(({ surface }): [string, Place] => [surface, before?.[surface] ?? { since: now }])
  state.processes[process] = {
    until: now + rules.leaseMs,
    turnMs,
    slots,
    arrivals: Object.fromEntries(report.arrivals),
    places: Object.fromEntries(places),
  }
  for (const [surface, openAt] of report.closures)
    state.closures[surface] = Math.max(openAt, state.closures[surface] ?? openAt)
  expire(state, process, rules, now)
}

/** Frees the slots and places of processes that are silent, and drops what no longer counts. */
export function expire(state: LimiterState, reporting: string, { spanMs }: Rules, now: number): void {
  for (const [id, entry] of Object.entries(state.processes)) {
    if (entry.until <= now && id !== reporting) Object.assign(entry, { slots: 0, places: {} })
    for (const [surface, times] of Object.entries(entry.arrivals)) {
      const counted = times.filter((at) => at + spanMs > now)
      if (counted.length > 0) entry.arrivals[surface] = counted
      else entry.arrivals = without(entry.arrivals, surface)
    }
    if (entry.slots + Object.keys({ ...entry.arrivals, ...entry.places }).length === 0)
      state.processes = without(state.processes, id)
  }
  for (const [surface, openAt] of Object.entries(state.closures))
    if (openAt <= now) state.closures = without(state.closures, surface)
}
