import { isRecord } from '../../lib/json.ts'

/** What each shared state has. */
export interface StateHead {
  /** Changes when the store has lost the state. */
  epoch: string
  /** Counts the changes. */
  version: number
  /** The time of the latest change. */
  time: number
}

/** The head of an empty state. */
export const emptyHead: StateHead = { epoch: '', version: 0, time: 0 }

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

/** Begins to change a state. What it returns numbers the new one, and says whether others have to know it. */
export function beginChange(found: StateHead | undefined): (state: StateHead) => boolean {
  const before = contentOf(found)
  return (state) => {
    const isChanged = contentOf(state) !== before
    if (isChanged) state.version++
    return isChanged
  }
}

/** What a state has, to compare it, except for the time. */
function contentOf(state: StateHead | undefined): string {
  return JSON.stringify({ ...state, time: 0 })
}

/** When a lease ends that is renewed once a third of it has passed, since each renewal has to be stored. */
export function leaseEnd(before: number | undefined, now: number, leaseMs: number): number {
  return before !== undefined && before - now > (leaseMs * 2) / 3 ? before : now + leaseMs
}

/** Whether the store has lost changes that a process has seen. */
export function hasLost(found: StateHead | undefined, seen: Pick<StateHead, 'epoch' | 'version'>): boolean {
  return found?.epoch !== seen.epoch || found.version < seen.version
}
