/** A process that waits at a surface. */
export interface Place {
  /** The process that has waited longest goes first. */
  readonly since: number
  /** Since when it may take a slot; undefined while it may not. */
  calledAt?: number | undefined
}

/** What one process has told the others. */
export interface ProcessEntry {
  /** When its slots and places are free, unless it renews them. */
  until: number
  /** Numbers of its requests in flight. */
  slots: number[]
  /** When its requests arrived at the latest, at each surface. */
  arrivals: Record<string, number[]>
  /** Where it waits. */
  places: Record<string, Place>
}

/** A surface that a 429 has closed. */
export interface Closure {
  openAt: number
  /** The one request that tests whether the limit has passed; null if the next one will. */
  probe: { readonly process: string; readonly slot: number } | null
}

/** All that the processes of one organization share. Times are in milliseconds from the beginning of its first epoch. */
export interface LimiterState {
  /** Changes when the store has lost the state. */
  epoch: string
  /** Counts the changes. */
  version: number
  /** The time of the latest change. */
  time: number
  /** How far the time is ahead of the store's clock. */
  shift: number
  /** When the epoch began. */
  bornAt: number
  /** Until then, nothing is granted. */
  quietUntil: number
  processes: Record<string, ProcessEntry>
  closures: Record<string, Closure>
}

/** The surface of calls without a limit of their rate. The names of others begin with a colon. */
export const unpaced = ''

// The text has a letter for each name, since processes read it at each call.
const names = [
  ...['epoch', 'version', 'time', 'shift', 'bornAt', 'quietUntil', 'processes', 'closures', 'until'],
  ...['slots', 'arrivals', 'places', 'since', 'calledAt', 'openAt', 'probe', 'process', 'slot'],
]
const letters = new Map(names.map((name, i) => [name, String.fromCharCode(97 + i)]))
const namesByLetter = new Map(Array.from(letters, ([name, letter]) => [letter, name]))

const renamed = (text: string, to: ReadonlyMap<string, string>): string =>
  text.replace(/"(\w+)":/g, (all, name: string) => (to.has(name) ? `"${to.get(name) ?? ''}":` : all))

export function encode(state: LimiterState): string {
  return renamed(JSON.stringify(state), letters)
}

/** Reads a text; undefined if there is none, or another than that of `encode`. */
export function decode(text: string | undefined): LimiterState | undefined {
  try {
    const state = JSON.parse(renamed(text ?? 'null', namesByLetter)) as LimiterState | null
    const { version, time, shift } = state ?? {}
    return state !== null && [version, time, shift].every(Number.isFinite) ? state : undefined
  } catch {
    return undefined
  }
}
