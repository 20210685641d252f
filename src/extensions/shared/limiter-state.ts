import { type StateHead, emptyHead } from './text-format.ts'

/** What all processes of an organization have to agree on. */
export interface Rules {
  /** Requests in flight. */
  readonly inFlight: number
  /** Requests to a surface within a span. */
  readonly perMinute: number
  /** How long a request counts from its arrival, in milliseconds. */
  readonly spanMs: number
  /** How long a process keeps its slots and places without an update, in milliseconds. */
  readonly leaseMs: number
}

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
  /** How long it needs to take a slot when it is called, in milliseconds. */
  turnMs: number
  /** Its requests in flight. */
  slots: number
  /** When its requests arrived at the latest, at each surface. */
  arrivals: Record<string, number[]>
  /** How many more it had before than the one that had least, at each surface, up to the requests of a span. */
  past: Record<string, number>
  /** Where it waits. */
  places: Record<string, Place>
}

/** All that the processes of one organization share. Times are in milliseconds from the beginning of its first epoch. */
export interface LimiterState extends StateHead {
  /** How far the time is ahead of the store's clock: the sum of all corrections. */
  shift: number
  /** When the epoch began. */
  bornAt: number
  /** Until then, nothing is granted. */
  quietUntil: number
  processes: Record<string, ProcessEntry>
  /** When surfaces open that a 429 has closed. */
  closures: Record<string, number>
}

/** The surface of calls without a limit of their rate. The names of others begin with a colon. */
export const unpaced = ''

const exampleEntry = {
  until: 0,
  turnMs: 0,
  slots: 0,
  arrivals: { '*': [] },
  past: {},
  places: { '*': { since: 0 } },
}

/** What each text has. */
export const exampleState: LimiterState = {
  ...{ ...emptyHead, shift: 0, bornAt: 0, quietUntil: 0, processes: { '*': exampleEntry }, closures: {} },
}

/** A copy of a record without one name. */
export function without<T>(record: Record<string, T>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([each]) => each !== name))
}
