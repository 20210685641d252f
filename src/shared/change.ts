import { type TimeBounds, timeOf } from './clock.ts'
import { hasLost, newState, restore } from './restore.ts'
import { type LimiterState, decode, encode } from './state.ts'
import { type Report, type Rules, type Update, update } from './update.ts'

/** What a process has seen of the state. */
export interface Seen {
  /** The state that it made last; undefined if it has made none. */
  readonly state: LimiterState | undefined
  /** What the time can be now. */
  readonly bounds: TimeBounds | undefined
}

/** A new state, and what comes of it. */
export interface Changed extends Update {
  readonly text: string
  readonly state: LimiterState
  /** An epoch begins with this change: the store had no state, or had lost it, so each process has to tell what it knows. */
  readonly hasBegun: boolean
}

/**
 * Changes the shared text for one process. It has no effect but what it returns.
 *
 * @param report What the process tells, by the time that it gets.
 * @param quietMs How long nothing is granted after a loss.
 * @param newId An epoch, if one has to begin.
 */
export function changeState(
  text: string | undefined,
  clock: number,
  { state: copy, bounds }: Seen,
  report: (now: number) => Report,
  rules: Rules,
  quietMs: number,
  newId: string,
): Changed {
  const found = decode(text)
  const now = timeOf(found, clock, bounds)
  const state = found ?? newState(newId, clock, now)
  if (copy !== undefined && hasLost(found, copy))
    restore(state, { state: copy, now: bounds?.least ?? now }, now, newId, quietMs)
  const changed = update(state, report(now), rules, now)
  state.shift = now - clock
  return { ...changed, text: encode(state), state, hasBegun: state.epoch === newId }
}
