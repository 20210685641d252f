import { type Moment, expectedTime, hasLost, timeOf } from './clock.ts'
import { everyone } from './looks.ts'
import { type LimiterState, type Rules, decode, without } from './state.ts'
import { type Report, type Update, expire, updateState } from './update.ts'

/** The longest time that processes take to notice that the store has lost the state, in milliseconds. */
const maxQuietMs = 3000

/** How long nothing is granted in a store without a state, in milliseconds: it may have lost one that other processes know. */
const unknownMs = 200

/** A state, and what comes of the change. */
export interface Changed extends Update {
  readonly state: LimiterState
  /** Whether others have to know the state: if not, it need not be stored. */
  readonly isChanged: boolean
}

/**
 * Changes the shared text for one process. It has no effect but what it returns.
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
  const found = decode(text)
  const now = timeOf(found, moment, 0)
  const state = found ?? newState(newId, clock, now)
  const isLost = copy !== undefined && hasLost(found, copy)
  if (isLost) {
    // The first process that restores begins an epoch.
    if (state.epoch === copy.epoch) Object.assign(state, { epoch: newId, bornAt: now })
    state.quietUntil = Math.max(state.quietUntil, state.bornAt + Math.min(maxQuietMs, rules.spanMs))
    restore(state, copy, seen === undefined ? 0 : now - expectedTime(seen, moment), now)
  }
  const told = report(now, state.epoch)
  const { process } = told
  const leaseLeft = (state.processes[process]?.until ?? now) - now
  expire(state, process, rules, now)
  const before = tellable(state, process)
  const changed = updateState(state, told, rules, now)
  const after = state.processes[process]
  const isDue = isHolding(after) && leaseLeft <= (rules.leaseMs * 2) / 3
  const isCorrected = state.shift !== now - clock
  const isChanged =
    found === undefined || isLost || isCorrected || isDue || before !== tellable(state, process)
  Object.assign(state, { version: state.version + (isChanged ? 1 : 0), time: now, shift: now - clock })
  // Each process has to tell what it knows of a new epoch, or to hear of a closure.
  const isNews = state.epoch === newId || told.closures.length > 0
  return { ...changed, looks: isNews ? [...changed.looks, [everyone, 0]] : changed.looks, state, isChanged }
}

function isHolding(entry: LimiterState['processes'][string] | undefined): boolean {
  return entry !== undefined && (entry.slots > 0 || Object.keys(entry.places).length > 0)
}

/** What others need to know, as a text. They need not know when a process renews its lease, unless it is due. */
function tellable({ processes, closures, quietUntil }: LimiterState, process: string): string {
  const own = processes[process] && { ...processes[process], until: 0, turnMs: 0 }
  return JSON.stringify([closures, quietUntil, own, without(processes, process)])
}

/** An empty state. Versions follow the clock, so those of a later epoch are higher. */
function newState(epoch: string, clock: number, now: number): LimiterState {
  const times = { time: now, shift: now - clock, bornAt: now, quietUntil: now + unknownMs }
  return { epoch, version: Math.round(clock), ...times, processes: {}, closures: {} }
}

/**
 * Restores what a process knows of a lost state.
 *
 * @param ahead How far the time of the new state is ahead of that of the lost one, in milliseconds.
 */
function restore(state: LimiterState, copy: LimiterState, ahead: number, now: number): void {
  state.version = Math.max(state.version, copy.version)
  for (const [id, { until, turnMs, slots, arrivals, places }] of Object.entries(copy.processes)) {
    // Of each process, the later part counts.
    if ((state.processes[id]?.until ?? -Infinity) >= until + ahead) continue
    state.processes[id] = {
      until: until + ahead,
      turnMs,
      slots,
      arrivals: mapValues(arrivals, (times) => times.map((at) => at + ahead)),
      places: mapValues(places, ({ since }) => ({ since: since + ahead })),
    }
  }
  for (const [surface, openAt] of Object.entries(copy.closures))
    state.closures[surface] = Math.max(openAt + ahead, state.closures[surface] ?? now)
}

function mapValues<T>(record: Record<string, T>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
