import { type Moment, expectedTime, timeOf } from './clock.ts'
import { beginChange, hasLost, leaseEnd, readState } from './text-format.ts'
import { type AskOutcome, type Look, type Report, Turns, everyone } from './turns.ts'
import { type LimiterState, type Place, type Rules, exampleState, without } from './limiter-state.ts'

/** The longest time that processes take to notice that the store has lost the state, in milliseconds. */
const maxQuietMs = 3000

/** How long nothing is granted in a store without a state, in milliseconds: it may have lost one that other processes know. */
const unknownMs = 200

/** A state, and what comes of the change. */
export interface Changed {
  readonly state: LimiterState
  /** Whether others have to know the state: if not, it need not be stored. */
  readonly isChanged: boolean
  readonly outcomes: ReadonlyMap<string, AskOutcome>
  readonly looks: readonly Look[]
}

/**
 * Changes the shared text for one process: brings it up to date, and grants what the process asks for. It has no effect but
 * what it returns.
 *
 * @param copy The latest state that the process knows.
 * @param report What the process tells, by the time of an epoch.
 * @param newId An epoch, if one has to begin.
 */
export function changeState(
  text: string | undefined,
  moment: Moment,
  copy: LimiterState | undefined,
  report: (now: number, epoch: string) => Report,
  rules: Rules,
  newId: string,
): Changed {
  const { clock, seen } = moment
  const found = readState(text, exampleState)
  const stamp = beginChange(found)
  const now = timeOf(found, moment, 0)
  const state = found ?? newState(newId, clock, now)
  if (copy !== undefined && hasLost(found, copy)) {
    // The first process that restores begins an epoch. Another one has done so if the state is newer than what it knows.
    if (state.version < copy.version) Object.assign(state, { epoch: newId, bornAt: now })
    state.quietUntil = state.bornAt + Math.min(maxQuietMs, rules.spanMs)
    restore(state, copy, seen === undefined ? 0 : now - expectedTime(seen, moment), now)
  }
  const told = report(now, state.epoch)
  age(state, rules, now)
  tell(state, told, rules, now)
  expire(state, now)
  const turns = new Turns(state, told, rules, now)
  turns.dropSilent()
  const outcomes = turns.take()
  const looks = turns.callNext()
  Object.assign(state, { time: now, shift: now - clock })
  const isChanged = stamp(state)
  const own = state.processes[told.process]
  // Others need not know these alone, until the lease is due.
  if (isChanged && own !== undefined) Object.assign(own, { until: now + rules.leaseMs, turnMs: told.turnMs })
  // Each process has to tell what it knows of a new epoch, or to hear of a closure.
  const isNews = state.epoch === newId || told.closures.length > 0
  return { state, isChanged, outcomes, looks: isNews ? [...looks, [everyone, 0]] : looks }
}

/** Puts down a process's part of the state, exactly as it tells it; one that waits keeps its place in line. */
function tell(state: LimiterState, report: Report, { leaseMs, spanMs }: Rules, now: number): void {
  const { process, slots, asks, turnMs } = report
  const before = state.processes[process]
  const places = Array.from(asks.keys(), (surface): [string, Place] => [
    surface,
    before?.places[surface] ?? { since: now },
  ])
  const arrivals = Array.from(
    report.arrivals,
    ([surface, times]) => [surface, times.filter((at) => at + spanMs > now)] as const,
  )
  state.processes[process] = {
    until: leaseEnd(before?.until, now, leaseMs),
    turnMs: before?.turnMs ?? turnMs,
    slots,
    arrivals: Object.fromEntries(arrivals.filter(([, { length }]) => length > 0)),
    past: before?.past ?? {},
    places: Object.fromEntries(places),
  }
  for (const [surface, openAt] of report.closures)
    state.closures[surface] = Math.max(openAt, state.closures[surface] ?? openAt)
}

/** Frees the slots and places of processes that are silent, and drops what no longer counts. */
function expire(state: LimiterState, now: number): void {
  for (const [id, entry] of Object.entries(state.processes)) {
    if (entry.until <= now) Object.assign(entry, { slots: 0, places: {} })
    if (entry.slots + Object.keys({ ...entry.arrivals, ...entry.places }).length === 0)
      state.processes = without(state.processes, id)
  }
  for (const [surface, openAt] of Object.entries(state.closures))
    if (openAt <= now) state.closures = without(state.closures, surface)
}

/** Drops requests that no longer count for the pace, and remembers who has had more than others. */
function age(state: LimiterState, { spanMs, perMinute }: Rules, now: number): void {
  const entries = Object.values(state.processes)
  const surfaces = new Set(entries.flatMap(({ arrivals }) => Object.keys(arrivals)))
  for (const surface of surfaces) {
    const users = entries.filter(({ arrivals, places }) => surface in { ...arrivals, ...places })
    const had = users.map((entry) => {
      const times = entry.arrivals[surface] ?? []
      const counted = times.filter((at) => at + spanMs > now)
      entry.arrivals = put(entry.arrivals, surface, counted, counted.length)
      return (entry.past[surface] ?? 0) + times.length - counted.length
    })
    const least = Math.min(...had)
    for (const entry of entries) {
      // So a process waits for others for a span at most.
      const past = Math.min(perMinute, (had[users.indexOf(entry)] ?? least) - least)
      entry.past = put(entry.past, surface, past, past)
    }
  }
}

function put<T>(record: Record<string, T>, name: string, value: T, count: number): Record<string, T> {
  return count > 0 ? { ...record, [name]: value } : without(record, name)
}

/** An empty state. Versions follow the clock, so those of a later epoch are higher. */
function newState(epoch: string, clock: number, now: number): LimiterState {
  const times = { time: now, shift: 0, bornAt: now, quietUntil: now + unknownMs }
  return { epoch, version: clock, ...times, processes: {}, closures: {} }
}

/**
 * Restores what a process knows of a lost state.
 *
 * @param ahead How far the time of the new state is ahead of that of the lost one, in milliseconds.
 */
function restore(state: LimiterState, copy: LimiterState, ahead: number, now: number): void {
  state.version = Math.max(state.version, copy.version)
  for (const [id, { until, turnMs, slots, arrivals, past, places }] of Object.entries(copy.processes)) {
    // Of each process, the later part counts.
    if ((state.processes[id]?.until ?? -Infinity) >= until + ahead) continue
    state.processes[id] = {
      until: until + ahead,
      turnMs,
      slots,
      arrivals: mapValues(arrivals, (times) => times.map((at) => at + ahead)),
      past,
      places: mapValues(places, ({ since }) => ({ since: since + ahead })),
    }
  }
  for (const [surface, openAt] of Object.entries(copy.closures))
    state.closures[surface] = Math.max(openAt + ahead, state.closures[surface] ?? now)
}

function mapValues<T>(record: Record<string, T>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
