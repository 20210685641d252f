import { type LimiterState, type Place, type Rules, without } from './state.ts'
import {
  type Ask,
  type Called,
  type Grant,
  type Refusal,
  callNext,
  dropSilent,
  freeSlots,
  grant,
  msUntilFree,
  waitingAt,
} from './turns.ts'

/** What a process tells in one update: all of its part of the state, so that an update that was lost needs no repetition. */
export interface Report {
  readonly process: string
  /** Its requests in flight. */
  readonly slots: number
  /** When its requests arrived at the latest, at each surface. */
  readonly arrivals: Iterable<readonly [surface: string, times: number[]]>
  /** When surfaces open that a 429 has closed. */
  readonly closures: Iterable<readonly [surface: string, openAt: number]>
  /** Since when it waits, at each surface; also where it asks. */
  readonly places: Iterable<readonly [surface: string, since: number]>
  readonly asks: readonly Ask[]
  /** How long it needs to take a slot when it is called, in milliseconds. */
  readonly turnMs: number
}

/** What comes of an update. */
export interface Update extends Called {
  /** For each surface that has asked, a slot, or why it got none. */
  readonly outcomes: ReadonlyMap<string, Grant | Refusal>
}

/** Brings a state up to date with one process, and grants what it asks for. Changes nothing but the state. */
export function update(state: LimiterState, report: Report, rules: Rules, now: number): Update {
  tell(state, report, rules, now)
  for (const [surface, openAt] of report.closures)
    if (openAt > now) state.closures[surface] = Math.max(openAt, state.closures[surface] ?? openAt)
  dropSilent(state, report.process, rules, now)
  const outcomes = new Map<string, Grant | Refusal>()
  for (const ask of report.asks) outcomes.set(ask.surface, grant(state, ask, report.process, rules, now))
  if (freeSlots(state, rules) === 0) {
    const next: Refusal = {
      reason: 'slot',
      ms: msUntilFree(state, now),
      ahead: waitingAt(state).length,
    }
    for (const [surface, { reason }] of outcomes)
      if (reason === 'granted') outcomes.set(surface, { reason, next })
  }
  return { outcomes, ...callNext(state, report.process, rules, now) }
}

/** Puts down a process's part of the state, exactly as it tells it; one that waits keeps its place in line. */
function tell(state: LimiterState, report: Report, { leaseMs, spanMs }: Rules, now: number): void {
  const { process, slots, arrivals, turnMs } = report
  const before = state.processes[process]?.places
  const places = Array.from(report.places, ([surface, since]): [string, Place] => [
    surface,
    before?.[surface] ?? { since },
  ])
  const counted = Array.from(
    arrivals,
    ([surface, times]) => [surface, times.filter((at) => at + spanMs > now)] as const,
  ).filter(([, times]) => times.length > 0)
  if (slots + places.length + counted.length === 0) state.processes = without(state.processes, process)
  else
    state.processes[process] = {
      until: now + leaseMs,
      turnMs,
      slots,
      arrivals: Object.fromEntries(counted),
      places: Object.fromEntries(places),
    }
}

/** Frees the slots and places of processes that are silent, and drops requests and closures that no longer count. */
export function expire(state: LimiterState, reporting: string, { spanMs }: Rules, now: number): void {
  for (const [id, entry] of Object.entries(state.processes)) {
    const isOver = entry.until <= now && id !== reporting
    if (isOver) Object.assign(entry, { slots: 0, places: {} })
    for (const [surface, times] of Object.entries(entry.arrivals)) {
      const counted = times.filter((at) => at + spanMs > now)
      if (counted.length > 0) entry.arrivals[surface] = counted
      else entry.arrivals = without(entry.arrivals, surface)
    }
    if (isOver && Object.keys(entry.arrivals).length === 0) state.processes = without(state.processes, id)
  }
  for (const [surface, openAt] of Object.entries(state.closures))
    if (openAt <= now) state.closures = without(state.closures, surface)
}
