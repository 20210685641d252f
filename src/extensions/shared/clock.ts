// The clock of a store may be set while processes work. So limits, which count within a minute, have a time of their own, which no jump
// changes: the clock plus an offset. A process that sees a jump by its monotonic clock corrects the offset for all. Less than a jump is
// not corrected: a correction for each late reply would add up. Budgets follow the clock itself.

/** Shortest jump, in milliseconds. */
const jumpMs = 1000

/** When a process read a state. */
export interface StateRead {
  readonly stateId: string
  /** The time of the state, and the store's clock. */
  readonly time: number
  readonly clock: number
  /** Monotonic times before and after the reading. */
  readonly readAt: number
  readonly receivedAt: number
}

/** When a state is changed. */
export interface Moment extends Omit<StateRead, 'stateId' | 'time'> {
  /** The latest time that this process read the state; undefined at first. */
  readonly seen: StateRead | undefined
}

/** What the time is at least when a process reads a state again. */
export function expectedTime(seen: StateRead, { readAt }: Moment): number {
  return seen.time + readAt - seen.receivedAt
}

/** How far a clock has jumped since it showed `before`; 0 for no jump. */
export function jumpOf(
  before: number,
  after: number,
  seen: StateRead,
  { readAt, receivedAt }: Moment,
): number {
  const [least, most] = [readAt - seen.receivedAt, receivedAt - seen.readAt]
  const passed = after - before
  const jump = Math.max(0, passed - most) + Math.min(0, passed - least)
  // Two good clocks may drift apart by a thousandth.
  return Math.abs(jump) < jumpMs + most / 1000 ? 0 : Math.round(jump)
}

/**
 * The time of a change.
 *
 * @param first The time of the first change of all.
 */
export function timeOf(
  found: { readonly stateId: string; readonly time: number; readonly clockOffset: number } | undefined,
  moment: Moment,
  first: number,
): number {
  const { clock, seen } = moment
  if (found === undefined) return Math.round(seen === undefined ? first : expectedTime(seen, moment))
  const time = clock + found.clockOffset
  // Others may have changed the state at a time that a process cannot explain: it has slept.
  const isKnown = seen?.stateId === found.stateId && jumpOf(seen.time, found.time, seen, moment) <= 0
  if (isKnown) return time - jumpOf(seen.time, time, seen, moment)
  // The latest change is not in the future: a process that is new or has slept takes the time from it.
  return time < found.time - jumpMs ? found.time : time
}
