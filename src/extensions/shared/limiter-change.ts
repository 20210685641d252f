// One update of one process, as a pure function of the text that the store has: it brings the state up to date, replaces the entry of the
// process, and grants what its calls may have. The store is read and written elsewhere (`limiter-sync.ts`).

import { type ClockReading, expectedTime, timeOf } from './clock.ts'
import {
  type LimiterState,
  type PlaceInLine,
  type ProcessEntry,
  type Rules,
  type WakeUp,
  everyone,
} from './limiter-state.ts'
import { type Grant, type Report, SlotOffers } from './limiter-grants.ts'
import { contentOf, countChange, hasLost, leaseEnd, readState, without } from './versioned-state.ts'

/** How long nothing is granted after a loss, in milliseconds: all processes notice it by then, and restore what they know. */
const restoreMs = 3000

/** How long nothing is granted in a store without a state, in milliseconds: it may have lost one that other processes know. */
const emptyStoreMs = 200

/** A state, and what comes of the change. */
export interface Changed {
  readonly state: LimiterState
  /** Whether others have to know the state: if not, it need not be stored. */
  readonly isChanged: boolean
  readonly grants: ReadonlyMap<string, Grant>
  readonly wakeUps: readonly WakeUp[]
}

/**
 * Changes the shared text for one process. It has no effect but what it returns.
 *
 * @param latest The latest state that the process knows.
 * @param report What the process reports, in the time of the state with this id.
 * @param newId The id of a new state, if there has to be one.
 */
export function changeState(
  text: string | undefined,
  reading: ClockReading,
  latest: LimiterState | undefined,
  report: (now: number, stateId: string) => Report,
  rules: Rules,
  newId: string,
): Changed {
  const { clock, previous } = reading
  const found = readState(text) as LimiterState | undefined
  const before = contentOf(found)
  const now = timeOf(found, reading)
  const state = found ?? newState(newId, clock, now)
  if (latest !== undefined && hasLost(found, latest)) {
    // The first process that restores makes it a new state. Another one has done so if it is newer than what this one knows.
    if (state.version < latest.version) Object.assign(state, { stateId: newId, createdAt: now })
    state.grantsFrom = state.createdAt + Math.min(restoreMs, rules.windowMs)
    restore(state, latest, previous === undefined ? 0 : now - expectedTime(previous, reading), now)
  }
  const reported = report(now, state.stateId)
  dropOldArrivals(state, rules, now)
  putEntry(state, reported, rules, now)
  dropExpired(state, now)
  const offers = new SlotOffers(state, reported, rules, now)
  offers.dropMissed()
  const grants = offers.take()
  const wakeUps = offers.offerNext()
  Object.assign(state, { time: now, clockOffset: now - clock })
  const isChanged = countChange(state, before)
  const own = state.processes[reported.process]
  // Others need not know these alone, until the lease is due.
  if (isChanged && own !== undefined)
    Object.assign(own, { until: now + rules.leaseMs, offerMs: reported.offerMs })
  // Each process has to restore what it knows into a new state, or to know of a closure.
  const isForAll = state.stateId === newId || reported.closures.length > 0
  return { state, isChanged, grants, wakeUps: isForAll ? [...wakeUps, [everyone, 0]] : wakeUps }
}

/** Replaces a process's entry by what it reports; one that waits keeps its place in line. */
function putEntry(state: LimiterState, report: Report, { leaseMs, windowMs }: Rules, now: number): void {
  const { process, slots, waiting, offerMs } = report
  const before = state.processes[process]
  const places = Array.from(waiting.keys(), (surface): [string, PlaceInLine] => [
    surface,
    before?.places[surface] ?? { since: now },
  ])
  const arrivals = Array.from(
    report.arrivals,
    ([surface, times]) => [surface, times.filter((at) => at + windowMs > now)] as const,
  )
  state.processes[process] = {
    until: leaseEnd(before?.until, now, leaseMs),
    offerMs: before?.offerMs ?? offerMs,
    slots,
    arrivals: Object.fromEntries(arrivals.filter(([, { length }]) => length > 0)),
    surplus: before?.surplus ?? {},
    places: Object.fromEntries(places),
  }
  for (const [surface, openAt] of report.closures)
    state.closures[surface] = Math.max(openAt, state.closures[surface] ?? openAt)
}

/** Frees the slots and places of processes whose lease is over, and drops what no longer counts. */
function dropExpired(state: LimiterState, now: number): void {
  for (const [id, entry] of Object.entries(state.processes)) {
    if (entry.until <= now) Object.assign(entry, { slots: 0, places: {} })
    if (entry.slots + Object.keys({ ...entry.arrivals, ...entry.places }).length === 0)
      state.processes = without(state.processes, id)
  }
  for (const [surface, openAt] of Object.entries(state.closures))
    if (openAt <= now) state.closures = without(state.closures, surface)
}

/** Drops requests that no longer count for the rate limit, and remembers who has sent more than others. */
function dropOldArrivals(state: LimiterState, { windowMs, perMinute }: Rules, now: number): void {
  const entries = Object.values(state.processes)
  const surfaces = new Set(entries.flatMap(({ arrivals }) => Object.keys(arrivals)))
  for (const surface of surfaces) {
    const users = entries.filter(({ arrivals, places }) => surface in { ...arrivals, ...places })
    const dropped = users.map((entry) => {
      const times = entry.arrivals[surface] ?? []
      const counted = times.filter((at) => at + windowMs > now)
      entry.arrivals = put(entry.arrivals, surface, counted, counted.length)
      return (entry.surplus[surface] ?? 0) + times.length - counted.length
    })
    const least = Math.min(...dropped)
    const surplusOf = (entry: ProcessEntry): number => (dropped[users.indexOf(entry)] ?? least) - least
    for (const entry of entries) {
      // So a process waits for others for a window at most.
      const surplus = Math.min(perMinute, surplusOf(entry))
      entry.surplus = put(entry.surplus, surface, surplus, surplus)
    }
  }
}

function put<T>(record: Record<string, T>, name: string, value: T, count: number): Record<string, T> {
  return count > 0 ? { ...record, [name]: value } : without(record, name)
}

/** An empty state. Versions follow the clock, so those of a later state are higher. */
function newState(stateId: string, clock: number, now: number): LimiterState {
  const times = { time: now, clockOffset: 0, createdAt: now, grantsFrom: now + emptyStoreMs }
  return { stateId, version: clock, ...times, processes: {}, closures: {} }
}

/**
 * Restores what a process knows of a lost state.
 *
 * @param ahead How far the time of the new state is ahead of that of the lost one, in milliseconds.
 */
function restore(state: LimiterState, lost: LimiterState, ahead: number, now: number): void {
  state.version = Math.max(state.version, lost.version)
  for (const [id, { until, offerMs, slots, arrivals, surplus, places }] of Object.entries(lost.processes)) {
    // Of each process, the later entry counts.
    if ((state.processes[id]?.until ?? -Infinity) >= until + ahead) continue
    state.processes[id] = {
      until: until + ahead,
      offerMs,
      slots,
      arrivals: mapValues(arrivals, (times) => times.map((at) => at + ahead)),
      surplus,
      places: mapValues(places, ({ since }) => ({ since: since + ahead })),
    }
  }
  for (const [surface, openAt] of Object.entries(lost.closures))
    state.closures[surface] = Math.max(openAt + ahead, state.closures[surface] ?? now)
}

function mapValues<T>(record: Record<string, T>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
