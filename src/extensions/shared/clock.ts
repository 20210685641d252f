import { isRecord } from '../../lib/is-record.ts'

// The clock of a store may be set while processes work. So a state has a time of its own, which no jump changes: the clock plus
// a shift. A process that sees a jump by its monotonic clock corrects the shift, and nobody else needs to. Less than a jump is
// left alone: a correction for each late reply would add up.

/** Shortest jump, in milliseconds. */
const jumpMs = 1000

/** What each shared state has. */
export interface StateHead {
  /** Changes when the store has lost the state. */
  epoch: string
  /** Counts the changes. */
  version: number
  /** The time of the latest change. */
  time: number
  /** How far the time is ahead of the store's clock: the sum of all corrections. */
  shift: number
}

/** The head of an empty state. */
export const emptyHead: StateHead = { epoch: '', version: 0, time: 0, shift: 0 }

/**
 * Begins to change a text: what it has, undefined if it lacks some of it, and the time. `stamp` puts down when the new state was made,
 * and says whether it has to be stored.
 *
 * @param example What each text has. The name `*` stands for all names of a record.
 * @param first The time of the first change of all.
 */
export function beginChange<S extends StateHead>(
  text: string | undefined,
  example: S,
  moment: Moment,
  first: number,
): { found: S | undefined; now: number; stamp: (state: S) => boolean } {
  const found = parse(text, example)
  const before = contentOf(found)
  const now = timeOf(found, moment, first)
  const stamp = (state: S): boolean => {
    Object.assign(state, { time: now, shift: now - moment.clock })
    const isChanged = contentOf(state) !== before
    if (isChanged) state.version++
    return isChanged
  }
  return { found, now, stamp }
}

function parse<S>(text: string | undefined, example: S): S | undefined {
  try {
    const state: unknown = JSON.parse(text ?? 'null')
    return isLike(state, example) ? (state as S) : undefined
  } catch {
    return undefined
  }
}

function isLike(value: unknown, example: unknown): boolean {
  if (Array.isArray(example)) return Array.isArray(value)
  if (!isRecord(example)) return typeof value === typeof example
  if (!isRecord(value)) return false
  const parts = (name: string): unknown[] => (name === '*' ? Object.values(value) : [value[name]])
  return Object.entries(example).every(([name, like]) => parts(name).every((part) => isLike(part, like)))
}

/** What a state has, to compare it, except for the time. */
function contentOf(state: StateHead | undefined): string {
  return JSON.stringify({ ...state, time: 0 })
}

/** When a lease ends that is renewed once a third of it has passed, since each renewal has to be stored. */
export function leaseEnd(before: number | undefined, now: number, leaseMs: number): number {
  return before !== undefined && before - now > (leaseMs * 2) / 3 ? before : now + leaseMs
}

/** When a process read a state. */
export interface Sight {
  readonly epoch: string
  /** The time of the state, and the store's clock. */
  readonly time: number
  readonly clock: number
  /** Monotonic times before and after the reading. */
  readonly readAt: number
  readonly receivedAt: number
}

/** When a state is changed. */
export interface Moment extends Omit<Sight, 'epoch' | 'time'> {
  /** The latest time that this process read the state; undefined at first. */
  readonly seen: Sight | undefined
}

/** Whether the store has lost changes that a process has seen. */
export function hasLost(found: StateHead | undefined, seen: Pick<StateHead, 'epoch' | 'version'>): boolean {
  return found?.epoch !== seen.epoch || found.version < seen.version
}

/** What the time is at least when a process reads a state again. */
export function expectedTime(seen: Sight, { readAt }: Moment): number {
  return seen.time + readAt - seen.receivedAt
}

/** How far a clock has jumped since it showed `before`; 0 for no jump. */
export function jumpOf(before: number, after: number, seen: Sight, { readAt, receivedAt }: Moment): number {
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
export function timeOf(found: Omit<StateHead, 'version'> | undefined, moment: Moment, first: number): number {
  const { clock, seen } = moment
  if (found === undefined) return Math.round(seen === undefined ? first : expectedTime(seen, moment))
  const time = clock + found.shift
  // Others may have changed the state at a time that a process cannot explain: it has slept.
  const isKnown = seen?.epoch === found.epoch && jumpOf(seen.time, found.time, seen, moment) <= 0
  if (isKnown) return time - jumpOf(seen.time, time, seen, moment)
  // The latest change is not in the future: a process that is new or has slept takes the time from it.
  return time < found.time - jumpMs ? found.time : time
}
