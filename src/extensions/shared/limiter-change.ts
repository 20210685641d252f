// One update of one process, as a pure function of the text that the store has: it brings the state up to date, puts the process's part into
// it, and grants what its calls may have. The store is read and written elsewhere (`limiter-sync.ts`).

import { type Moment, expectedTime, timeOf } from './clock.ts'
import {
  type LimiterState,
  type PlaceInLine,
  type ProcessPart,
  type Rules,
  exampleState,
} from './limiter-state.ts'
import { type WakeUp, everyone } from './notices.ts'
import { type Grant, type Report, SlotOffers } from './limiter-grants.ts'
import { contentOf, countChange, hasLost, leaseEnd, readState, without } from './text-head.ts'

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
 * @param copy The latest state that the process knows.
 * @param report The process's part, in the time of the state with this id.
 * @param newId The id of a new state, if there has to be one.
 */
export function changeState(
  text: string | undefined,
  moment: Moment,
  copy: LimiterState | undefined,
  report: (now: number, stateId: string) => Report,
  rules: Rules,
  newId: string,
): Changed {
  const { clock, seen } = moment
  const found = readState(text, exampleState)
  const before = contentOf(found)
  const now = timeOf(found, moment, 0)
  const state = found ?? newState(newId, clock, now)
  if (copy !== undefined && hasLost(found, copy)) {
    // The first process that restores makes it a new state. Another one has done so if it is newer than what this one knows.
    if (state.version < copy.version) Object.assign(state, { stateId: newId, createdAt: now })
    state.grantsFrom = state.createdAt + Math.min(restoreMs, rules.spanMs)
    restore(state, copy, seen === undefined ? 0 : now - expectedTime(seen, moment), now)
  }
  const reported = report(now, state.stateId)
  dropOldArrivals(state, rules, now)
  putPart(state, reported, rules, now)
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

/** Replaces a process's part by what it reports; one that waits keeps its place in line. */
function putPart(state: LimiterState, report: Report, { leaseMs, spanMs }: Rules, now: number): void {
  const { process, slots, waiting, offerMs } = report
  const before = state.processes[process]
  const places = Array.from(waiting.keys(), (surface): [string, PlaceInLine] => [
    surface,
    before?.places[surface] ?? { since: now },
  ])
  const arrivals = Array.from(
    report.arrivals,
    ([surface, times]) => [surface, times.filter((at) => at + spanMs > now)] as const,
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
  for (const [id, part] of Object.entries(state.processes)) {
    if (part.until <= now) Object.assign(part, { slots: 0, places: {} })
    if (part.slots + Object.keys({ ...part.arrivals, ...part.places }).length === 0)
      state.processes = without(state.processes, id)
  }
  for (const [surface, openAt] of Object.entries(state.closures))
    if (openAt <= now) state.closures = without(state.closures, surface)
}

/** Drops requests that no longer count for the rate limit, and remembers who has sent more than others. */
function dropOldArrivals(state: LimiterState, { spanMs, perMinute }: Rules, now: number): void {
  const parts = Object.values(state.processes)
  const surfaces = new Set(parts.flatMap(({ arrivals }) => Object.keys(arrivals)))
  for (const surface of surfaces) {
    const users = parts.filter(({ arrivals, places }) => surface in { ...arrivals, ...places })
    const dropped = users.map((part) => {
      const times = part.arrivals[surface] ?? []
      const counted = times.filter((at) => at + spanMs > now)
      part.arrivals = put(part.arrivals, surface, counted, counted.length)
      return (part.surplus[surface] ?? 0) + times.length - counted.length
    })
    const least = Math.min(...dropped)
    const surplusOf = (part: ProcessPart): number => (dropped[users.indexOf(part)] ?? least) - least
    for (const part of parts) {
      // So a process waits for others for a span at most.
      const surplus = Math.min(perMinute, surplusOf(part))
      part.surplus = put(part.surplus, surface, surplus, surplus)
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
function restore(state: LimiterState, copy: LimiterState, ahead: number, now: number): void {
  state.version = Math.max(state.version, copy.version)
  for (const [id, { until, offerMs, slots, arrivals, surplus, places }] of Object.entries(copy.processes)) {
    // Of each process, the later part counts.
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
  for (const [surface, openAt] of Object.entries(copy.closures))
    state.closures[surface] = Math.max(openAt + ahead, state.closures[surface] ?? now)
}

function mapValues<T>(record: Record<string, T>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
