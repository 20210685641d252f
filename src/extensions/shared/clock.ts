import type { Log } from '../../lib/logger.ts'

// The clock of a store may be set while processes work. So a state has a time of its own, which no jump changes: the clock
// plus a shift. Each process knows by its monotonic clock what that time can be, and corrects the shift.

/** Steps smaller than this pass for a slow reply, in milliseconds: time servers do not step a clock by less. */
const stepMs = 100

/** Shortest jump that is logged, in milliseconds. */
const loggedMs = 1000

/** What each shared state has. */
export interface StateHead {
  /** Changes when the store has lost the state. */
  epoch: string
  /** Counts the changes. */
  version: number
  /** The time of the latest change. */
  time: number
  /** How far the time is ahead of the store's clock. */
  shift: number
}

/** What a process knows of the time: the least and the most that it can be. */
export interface TimeBounds {
  readonly epoch: string
  readonly least: number
  readonly most: number
}

/** What a process has seen of a state. */
export interface Seen<State extends StateHead> {
  /** The state that it made last; undefined if it has made none. */
  readonly state: State | undefined
  /** What the time can be now. */
  readonly bounds: TimeBounds | undefined
}

/** Whether the store has lost changes that a process has seen. */
export function hasLost(found: StateHead | undefined, seen: StateHead): boolean {
  return found?.epoch !== seen.epoch || found.version < seen.version
}

/**
 * The time of a change. It corrects a clock that was set, unless this process is new, or has slept while others worked.
 *
 * @param clock The store's clock.
 * @param first The time of the first change of all.
 */
export function timeOf(
  state: Omit<StateHead, 'version'> | undefined,
  clock: number,
  bounds: TimeBounds | undefined,
  first = 0,
): number {
  if (state === undefined) return Math.round(bounds?.least ?? first)
  let now = clock + state.shift
  if (bounds?.epoch === state.epoch && state.time <= bounds.most && (now < bounds.least || now > bounds.most))
    now = bounds.least
  return Math.round(Math.max(now, state.time))
}

/** How far a clock is ahead of this process's monotonic one, in milliseconds, as far as readings tell. */
class Lead {
  least = -Infinity
  most = Infinity

  /** Records a time that was read between two moments; returns how far the clock must have jumped. */
  observe(time: number, readAt: number, receivedAt: number): number {
    const [least, most] = [time - receivedAt, time - readAt]
    const jump = Math.max(0, least - this.most) + Math.min(0, most - this.least)
    this.least = jump === 0 ? Math.max(least, this.least) : least
    this.most = jump === 0 ? Math.min(most, this.most) : most
    return jump
  }
}

/** One reading of the store's clock. */
export interface Reading {
  readonly epoch: string
  /** The time of the change that was made with it. */
  readonly time: number
  readonly clock: number
  /** Monotonic times before and after the reading. */
  readonly readAt: number
  readonly receivedAt: number
}

/** Follows the time of a state, and the clock of its store, by this process's monotonic clock. */
export class SharedClock {
  readonly #log: Log
  readonly #time = new Lead()
  readonly #clock = new Lead()
  #epoch: string | undefined
  #observedAt = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** What the time can be, if the clock was read between two moments; undefined before the first reading. */
  bounds(readAt: number, receivedAt: number): TimeBounds | undefined {
    if (this.#epoch === undefined) return undefined
    const { least, most } = this.#time
    return { epoch: this.#epoch, least: readAt + least, most: receivedAt + most + stepMs }
  }

  /** Records a reading, and logs a jump of the clock. */
  observe({ epoch, time, clock, readAt, receivedAt }: Reading): void {
    this.#epoch = epoch
    this.#time.observe(time, readAt, receivedAt)
    const jump = this.#clock.observe(clock, readAt, receivedAt)
    // Two good clocks may drift apart by this much.
    const drift = (receivedAt - this.#observedAt) / 1000
    this.#observedAt = receivedAt
    if (Math.abs(jump) >= loggedMs + drift)
      this.#log('warn', 'the clock of the store has jumped', { milliseconds: Math.round(jump) })
  }
}
