// What the JSON texts of limiters and budgets have in common. A text holds a state with a version: so a process sees whether the store has lost
// changes that it has read, and whether its own change has to be stored at all.
//
// The clock of a store may be set while processes work. So limits, which count within a minute, have a time of their own, which no jump
// changes: the clock plus an offset. A process that sees a jump by its monotonic clock corrects the offset for all. Less than a jump is
// not corrected: a correction for each late reply would add up. Budgets follow the clock itself.

import { isRecord, parsed } from '../../lib/json.ts'

/** What the states of limiters and budgets have in common. */
export interface VersionedState {
  /** Names this state. A store that has lost it gets a state with another id. */
  stateId: string
  /** Counts the changes. */
  version: number
  /** The time of the latest change. */
  time: number
}

/** What comes of a change: the state, and whether it has to be stored. */
export interface StateChange<State extends VersionedState> {
  readonly state: State
  readonly isChanged: boolean
}

/** The state in a text, whose key names its format; undefined if the store has none, or has lost it. */
export function readState(text = ''): VersionedState | undefined {
  const state = parsed(text)
  return isRecord(state) && 'stateId' in state ? (state as unknown as VersionedState) : undefined
}

/** What a state has, except for the time, which alone is no reason to store it. */
export function contentOf(state: VersionedState | undefined): string {
  return JSON.stringify({ ...state, time: 0 })
}

/** Numbers a state that differs from `before`, and says whether it does: only then it has to be stored. */
export function countChange(state: VersionedState, before: string): boolean {
  const isChanged = contentOf(state) !== before
  if (isChanged) state.version++
  return isChanged
}

/** When a lease ends that is renewed once a third of it has passed, since each renewal has to be stored. */
export function leaseEnd(before: number | undefined, now: number, leaseMs: number): number {
  return before !== undefined && before - now > (leaseMs * 2) / 3 ? before : now + leaseMs
}

/** Whether the store has lost changes that a process has read. */
export function hasLost(
  found: VersionedState | undefined,
  known: Pick<VersionedState, 'stateId' | 'version'>,
): boolean {
  return found?.stateId !== known.stateId || found.version < known.version
}

/** What a record has of some names and values. */
export function filtered<T>(
  record: Record<string, T>,
  isKept: (value: T, name: string) => boolean,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => isKept(value, name)))
}

/** Shortest jump, in milliseconds. */
const jumpMs = 1000

/** What a store's clock showed, between two monotonic times of this process. */
export interface ReadTimes {
  readonly clock: number
  readonly readAt: number
  readonly receivedAt: number
}

/** A state that a process has read, and when. */
export interface Snapshot<State> extends ReadTimes {
  readonly state: State
}

/** What the time is at least when a process reads a state again. */
export function expectedTime({ state, receivedAt }: Snapshot<VersionedState>, { readAt }: ReadTimes): number {
  return state.time + readAt - receivedAt
}

/** How far a clock has jumped from `before` to `after` since the latest read; 0 for no jump. */
export function jumpOf(
  before: number,
  after: number,
  latest: ReadTimes,
  { readAt, receivedAt }: ReadTimes,
): number {
  const [least, most] = [readAt - latest.receivedAt, receivedAt - latest.readAt]
  const passed = after - before
  const jump = Math.max(0, passed - most) + Math.min(0, passed - least)
  // Two good clocks may drift apart by a thousandth.
  return Math.abs(jump) < jumpMs + most / 1000 ? 0 : Math.round(jump)
}

/** The time of a change; that of the first change of all is 0. */
export function timeOf(
  found: (VersionedState & { readonly clockOffset: number }) | undefined,
  times: ReadTimes,
  latest: Snapshot<VersionedState> | undefined,
): number {
  if (found === undefined) return latest === undefined ? 0 : Math.round(expectedTime(latest, times))
  const time = times.clock + found.clockOffset
  // Others may have changed the state at a time that a process cannot explain: it has slept.
  if (latest?.state.stateId === found.stateId && jumpOf(latest.state.time, found.time, latest, times) <= 0)
    return time - jumpOf(latest.state.time, time, latest, times)
  // The latest change is not in the future: a process that is new or has slept takes the time from it.
  return time < found.time - jumpMs ? found.time : time
}
