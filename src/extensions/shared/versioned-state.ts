// The JSON text of a limiter or a budget holds a state with a version: so a process sees whether the store has lost changes that it has
// read, and whether its own change has to be stored at all.

import { isRecord } from '../../lib/json.ts'

/** What the states of limiters and budgets have in common. */
export interface VersionedState {
  /** Names this state. A store that has lost it gets a state with another id. */
  stateId: string
  /** Counts the changes. */
  version: number
  /** The time of the latest change. */
  time: number
}

/** That of an empty state. */
export const noVersion: VersionedState = { stateId: '', version: 0, time: 0 }

/**
 * Reads a text.
 *
 * @param example What each text has. The name `*` stands for all names of a record.
 * @returns Undefined if it lacks some of it.
 */
export function readState<S>(text: string | undefined, example: S): S | undefined {
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

/** A copy of a record without one name. */
export function without<T>(record: Record<string, T>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([each]) => each !== name))
}
