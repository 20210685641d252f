import { longestHoldMs } from '../../extend.ts'

/** A short message to all other processes, as JSON. */
export interface Notice {
  /** The process that sends it. */
  readonly from: string
  /** Processes that may take a slot now. */
  readonly called?: readonly string[]
  /** The process that takes one if those do not, and after how many milliseconds. */
  readonly next?: string | undefined
  readonly turnMs?: number | undefined
  /** Surfaces that a 429 has closed, and for how many milliseconds. */
  readonly closed?: readonly (readonly [surface: string, ms: number])[]
  /** `ask`: a new process needs the time, and the state if it was lost. `told`: one has told it. `begun`: an epoch begins. */
  readonly state?: 'ask' | 'told' | 'begun' | undefined
}

/** Writes a notice; undefined if it tells nothing. */
export function encodeNotice(notice: Notice): string | undefined {
  const { called = [], closed = [], state } = notice
  const isEmpty = called.length + closed.length === 0 && state === undefined
  return isEmpty ? undefined : JSON.stringify(notice)
}

/** Reads a notice; undefined for anything else, since other programs may send on the same channel. */
export function decodeNotice(text: string): Notice | undefined {
  try {
    const { from, called, next, turnMs, closed, state } = JSON.parse(text) as Record<keyof Notice, unknown>
    if (typeof from !== 'string') return undefined
    return {
      from,
      called: listOf(called).map(String),
      next: typeof next === 'string' ? next : undefined,
      turnMs: typeof turnMs === 'number' ? turnMs : undefined,
      closed: listOf(closed).filter(isClosed),
      state: (['ask', 'told', 'begun'] as const).find((each) => each === state),
    }
  } catch {
    return undefined
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function isClosed(value: unknown): value is [surface: string, ms: number] {
  const [surface, ms] = listOf(value)
  return typeof surface === 'string' && typeof ms === 'number' && ms >= 0 && ms <= longestHoldMs
}
