// The clock of a store may be set while processes work. So limits, which count within a minute, have a time of their own, which no jump
// changes: the clock plus an offset. A process that sees a jump by its monotonic clock corrects the offset for all. Less than a jump is
// not corrected: a correction for each late reply would add up. Budgets follow the clock itself.

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

/** What decides the time of a state. */
interface TimedState {
  readonly stateId: string
  readonly time: number
}

/** What the time is at least when a process reads a state again. */
export function expectedTime({ state, receivedAt }: Snapshot<TimedState>, { readAt }: ReadTimes): number {
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
  found: (TimedState & { readonly clockOffset: number }) | undefined,
  times: ReadTimes,
  latest: Snapshot<TimedState> | undefined,
): number {
  if (found === undefined) return latest === undefined ? 0 : Math.round(expectedTime(latest, times))
  const time = times.clock + found.clockOffset
  // Others may have changed the state at a time that a process cannot explain: it has slept.
  if (latest?.state.stateId === found.stateId && jumpOf(latest.state.time, found.time, latest, times) <= 0)
    return time - jumpOf(latest.state.time, time, latest, times)
  // The latest change is not in the future: a process that is new or has slept takes the time from it.
  return time < found.time - jumpMs ? found.time : time
}
