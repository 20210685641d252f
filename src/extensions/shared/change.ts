import { type Seen, hasLost, timeOf } from './clock.ts'
import { type LimiterState, type Rules, decode } from './state.ts'
import { type Report, type Update, update } from './update.ts'

/** The longest time that processes take to notice that the store has lost the state, in milliseconds. */
const maxQuietMs = 3000

/** A new state, and what comes of it. */
export interface Changed extends Update {
  readonly state: LimiterState
  /** An epoch begins with this change: the store had no state, or had lost it, so each process has to tell what it knows. */
  readonly hasBegun: boolean
}

/**
 * Changes the shared text for one process. It has no effect but what it returns.
 *
 * @param report What the process tells, by the time that it gets.
 * @param newId An epoch, if one has to begin.
 */
export function changeState(
  text: string | undefined,
  clock: number,
  { state: copy, bounds }: Seen<LimiterState>,
  report: (now: number) => Report,
  rules: Rules,
  newId: string,
): Changed {
  const found = decode(text)
  const now = timeOf(found, clock, bounds)
  const state = found ?? newState(newId, clock, now)
  if (copy !== undefined && hasLost(found, copy)) {
    // The first process that restores begins an epoch.
    if (state.epoch === copy.epoch) Object.assign(state, { epoch: newId, bornAt: now })
    state.quietUntil = Math.max(state.quietUntil, state.bornAt + Math.min(maxQuietMs, rules.spanMs))
    restore(state, copy, now - (bounds?.least ?? now), now)
  }
  const changed = update(state, report(now), rules, now)
  state.shift = now - clock
  return { ...changed, state, hasBegun: state.epoch === newId }
}

/** An empty state. Versions follow the clock, so those of a later epoch are higher. */
function newState(epoch: string, clock: number, now: number): LimiterState {
  const times = { time: now, shift: now - clock, bornAt: now, quietUntil: now }
  return { epoch, version: Math.round(clock), ...times, processes: {}, closures: {} }
}

/**
 * Restores what a process knows of a lost state.
 *
 * @param ahead How far the time of the new state is ahead of that of the lost one, in milliseconds.
 */
function restore(state: LimiterState, copy: LimiterState, ahead: number, now: number): void {
  state.version = Math.max(state.version, copy.version)
  for (const [id, { until, slots, arrivals, places }] of Object.entries(copy.processes)) {
    // Of each process, the later part counts.
    if ((state.processes[id]?.until ?? -Infinity) >= until + ahead) continue
    state.processes[id] = {
      until: until + ahead,
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
