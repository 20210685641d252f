// The JSON text of a limiter or a budget holds a state with a version: so a process sees whether the store has lost changes that it has
// read, and whether its own change has to be stored at all.

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
