// The clock of a store may be set while processes work. So limits, which count within a minute, have a time of their own, which no jump
// changes: the clock plus an offset. A process that sees a jump by its monotonic clock corrects the offset for all. Less than a jump is
// not corrected: a correction for each late reply would add up. Budgets follow the clock itself.

/** Shortest jump, in milliseconds. */
const jumpMs = 1000

/** What a store's clock showed, between two monotonic times of this process. */
interface Reading {
  readonly clock: number
  readonly readAt: number
  readonly receivedAt: number
}

/** A reading of the clock together with a state. */
export interface StateReading extends Reading {
  readonly stateId: string
  /** The time of the state. */
  readonly time: number
}

/** The reading of the clock for a change. */
export interface ClockReading extends Reading {
  /** When this process read the state last; undefined at first. */
  readonly previous: StateReading | undefined
}

/** What the time is at least when a process reads a state again. */
export function expectedTime(previous: StateReading, { readAt }: ClockReading): number {
  return previous.time + readAt - previous.receivedAt
}

/** How far a clock has jumped since it showed `before`; 0 for no jump. */
export function jumpOf(
  before: number,
  after: number,
  previous: StateReading,
  { readAt, receivedAt }: ClockReading,
): number {
  const [least, most] = [readAt - previous.receivedAt, receivedAt - previous.readAt]
  const passed = after - before
  const jump = Math.max(0, passed - most) + Math.min(0, passed - least)
  // Two good clocks may drift apart by a thousandth.
  return Math.abs(jump) < jumpMs + most / 1000 ? 0 : Math.round(jump)
}

/** The time of a change; that of the first change of all is 0. */
export function timeOf(
  found: { readonly stateId: string; readonly time: number; readonly clockOffset: number } | undefined,
  reading: ClockReading,
): number {
  const { clock, previous } = reading
  if (found === undefined) return Math.round(previous === undefined ? 0 : expectedTime(previous, reading))
  const time = clock + found.clockOffset
  // Others may have changed the state at a time that a process cannot explain: it has slept.
  const isKnown =
    previous?.stateId === found.stateId && jumpOf(previous.time, found.time, previous, reading) <= 0
  if (isKnown) return time - jumpOf(previous.time, time, previous, reading)
  // The latest change is not in the future: a process that is new or has slept takes the time from it.
  return time < found.time - jumpMs ? found.time : time
}
