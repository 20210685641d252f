import type { Closure, LimiterState, ProcessEntry } from './state.ts'

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

/**
 * Restores what a store has lost. Until `quietMs` later nothing is granted, so that the other processes restore what they know.
 *
 * @param now The time of the restored state.
 * @param epoch The epoch that begins, if no other process has begun one.
 */
export function restore(
  found: LimiterState | undefined,
  copy: Copy | undefined,
  now: number,
  epoch: string,
  quietMs: number,
): LimiterState {
  // Versions follow the clock, so those of a later epoch are higher.
  const state = found ?? {
    ...{ epoch, version: now, time: now, shift: 0, bornAt: now, quietUntil: now },
    ...{ processes: new Map<string, ProcessEntry>(), closures: new Map<string, Closure>() },
  }
  if (copy === undefined) return state
  if (state.epoch === copy.state.epoch) {
    state.epoch = epoch
    state.bornAt = now
  }
  state.quietUntil = Math.max(state.quietUntil, state.bornAt + quietMs)
  merge(state, copy, now, found === undefined)
  return state
}

/** Adds what a copy knows. Of each process, the later part counts. */
function merge(state: LimiterState, copy: Copy, now: number, isNew: boolean): void {
  const ahead = now - copy.now
  const { processes, closures, version } = copy.state
  state.version = Math.max(state.version, version)
  for (const [id, entry] of processes) {
    const found = state.processes.get(id)
    if (found === undefined || found.version < entry.version) state.processes.set(id, moved(entry, ahead))
  }
  for (const [surface, { openAt, probe }] of closures) {
    const found = state.closures.get(surface)
    const isProbing =
      probe !== null && state.processes.get(probe.process)?.slots.includes(probe.slot) === true
    // A closure that has ended may have been probed since.
    if (!isNew && openAt + ahead <= now && (!isProbing || found !== undefined)) continue
    const later = Math.max(openAt + ahead, found?.openAt ?? -Infinity)
    state.closures.set(surface, { openAt: later, probe: found?.probe ?? (isProbing ? probe : null) })
  }
}

/** The same entry by another time. */
function moved({ until, version, slots, surfaces }: ProcessEntry, ms: number): ProcessEntry {
  const uses = Array.from(surfaces, ([surface, { arrivals, place }]) => {
    const moved = place && { since: place.since + ms, calledAt: null }
    return [surface, { arrivals: arrivals.map((at) => at + ms), place: moved }] as const
  })
  return { until: until + ms, version, slots: [...slots], surfaces: new Map(uses) }
}
