// What the processes of one organization share is one short JSON text in a store. Each process has an entry in it, which
// it alone replaces (`limiter-change.ts`): how many requests it has in flight, when its latest ones arrived, and where its calls wait. From all
// entries follows who may send next (`limiter-grants.ts`). What holds, whatever happens:
//
// - No more requests are in flight than the organization may have, and no surface gets more than its number in any window.
// - An entry is replaced as a whole. So an update whose result is unknown is corrected by the next one.
// - A process that stops renewing its lease loses slots and places. Its requests count for the rate limit until their window ends.
// - If the store loses the state, each process that knows it restores it, and nothing is granted for some seconds.
// - What waits changes nothing: a process that is refused again writes no new text until its lease is due.

import type { VersionedState } from './versioned-state.ts'

/** What all processes of an organization have to agree on. */
export interface Rules {
  /** Requests in flight. */
  readonly inFlight: number
  /** Requests to a surface within a window. */
  readonly perMinute: number
  /** How long a request counts from its arrival, in milliseconds. */
  readonly windowMs: number
  /** How long a process keeps its slots and places without an update, in milliseconds. */
  readonly leaseMs: number
}

/** The place of a process in the line for free slots, at one surface. */
export interface PlaceInLine {
  /** The process that has waited longest goes first. */
  readonly since: number
  /** Since when a free slot is offered to it; undefined while none is. */
  offeredAt?: number | undefined
}

/** What the state has of one process. */
export interface ProcessEntry {
  /** When its slots and places are free, unless it renews them. */
  until: number
  /** For how long a free slot is offered to it, in milliseconds: as long as it needs to take it. */
  offerMs: number
  /** Those of its requests in flight, and those that it keeps for its next ones. */
  slots: number
  /** When its requests arrived at the latest, at each surface. */
  arrivals: Record<string, number[]>
  /** How many more it sent before those than the process that sent least, at each surface; at most the requests of a window. */
  surplus: Record<string, number>
  /** Where it waits. */
  places: Record<string, PlaceInLine>
}

/** All that the processes of one organization share. Times are in milliseconds since its first state was created. */
export interface LimiterState extends VersionedState {
  /** How far the time is ahead of the store's clock: the sum of all corrections. */
  clockOffset: number
  /** When this state was created, in place of none or of one that was lost. */
  createdAt: number
  /** Nothing is granted before. */
  grantsFrom: number
  processes: Record<string, ProcessEntry>
  /** When surfaces open that a 429 has closed. */
  closures: Record<string, number>
}

/** A process that is to update, and after how many milliseconds. Messages bring it, which save waiting: nothing else depends on them. */
export type WakeUp = readonly [process: string, ms: number]

/** Stands for each process that waits, or knows a state: there is a new one, or a surface has closed. */
export const everyone = '*'

/** The message of a process; undefined if nobody has to update. */
export function messageOf(from: string, wakeUps: readonly WakeUp[]): string | undefined {
  return wakeUps.length === 0 ? undefined : JSON.stringify({ from, wakeUps })
}

/**
 * Milliseconds until a message has a process update; Infinity if it is for others, undefined if it is none of ours: other programs may send on
 * the same channel.
 *
 * @param knowsState Whether the process knows a state, so that a new one is for it, too.
 */
export function wakeUpMs(message: string, ownId: string, knowsState: boolean): number | undefined {
  try {
    const { from, wakeUps } = JSON.parse(message) as { from: string; wakeUps: readonly WakeUp[] }
    const isWakeUp = ([process, ms]: WakeUp): boolean => typeof process === 'string' && ms >= 0
    if (from === ownId || wakeUps.length === 0 || !wakeUps.every(isWakeUp)) return undefined
    const own = wakeUps.filter(([process]) => process === ownId || (process === everyone && knowsState))
    return Math.min(...own.map(([, ms]) => ms))
  } catch {
    return undefined
  }
}

/** The surface of calls without a limit of their rate. The names of others begin with a colon. */
export const unlimitedSurface = ''

/** The name of a surface among all; null for calls without a limit of their rate. */
export function surfaceKey(name: string | null): string {
  return name === null ? unlimitedSurface : `:${name}`
}
