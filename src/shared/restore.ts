import type { Closure, LimiterState, Place, ProcessEntry } from './state.ts'
import { isInFlight } from './update.ts'

/** What a process knows of a state that its store may have lost. */
export interface Copy {
  readonly state: LimiterState
  /** The time of the state, as far as the process knows. */
  readonly now: number
}

/** Whether a store has lost changes that a process has seen. */
export function hasLost(found: LimiterState | undefined, copy: LimiterState | undefined): boolean {
  if (found === undefined || copy === undefined) return found === undefined
  return found.epoch !== copy.epoch || found.version < copy.version
}

/** An empty state. Versions follow the clock, so those of a later epoch are higher. */
export function newState(epoch: string, clock: number, now: number): LimiterState {
  const times = { time: now, shift: now - clock, bornAt: now, quietUntil: now }
  return { epoch, version: Math.round(clock), ...times, processes: {}, closures: {} }
}

/**
 * Restores what a process knows. Until `quietMs` later nothing is granted, so that the others restore what they know.
 *
 * @param epoch The epoch that begins, if no other process has begun one.
 */
export function restore(state: LimiterState, copy: Copy, now: number, epoch: string, quietMs: number): void {
  if (state.epoch === copy.state.epoch) Object.assign(state, { epoch, bornAt: now })
  state.quietUntil = Math.max(state.quietUntil, state.bornAt + quietMs)
  state.version = Math.max(state.version, copy.state.version)
  const ahead = now - copy.now
  for (const [id, entry] of Object.entries(copy.state.processes)) {
    // Of each process, the later part counts.
    if ((state.processes[id]?.until ?? -Infinity) < entry.until + ahead)
      state.processes[id] = moved(entry, ahead)
  }
  for (const [surface, { openAt, probe }] of Object.entries(copy.state.closures))
    restoreClosure(state, surface, { openAt: openAt + ahead, probe }, now)
}

function restoreClosure(state: LimiterState, surface: string, { openAt, probe }: Closure, now: number): void {
  const known = state.closures[surface]
  const inFlight = probe !== null && isInFlight(state, probe) ? probe : null
  // A closure that has ended may have been probed since.
  if (openAt <= now && (inFlight === null || known !== undefined)) return
  const later = Math.max(openAt, known?.openAt ?? openAt)
  state.closures[surface] = { openAt: later, probe: known?.probe ?? inFlight }
}

/** The same entry by another time. */
function moved(entry: ProcessEntry, ms: number): ProcessEntry {
  const arrivals = Object.entries(entry.arrivals).map(([surface, times]) => [
    surface,
    times.map((at) => at + ms),
  ])
  const places = Object.entries(entry.places).map(([surface, { since }]): [string, Place] => [
    surface,
    { since: since + ms },
  ])
  return {
    ...{ until: entry.until + ms, slots: [...entry.slots] },
    ...{
      arrivals: Object.fromEntries(arrivals) as Record<string, number[]>,
      places: Object.fromEntries(places),
    },
  }
}
