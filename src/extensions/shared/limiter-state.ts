// What the processes of one organization share is one short JSON text in a store: which requests are in flight, when the latest ones arrived,
// and which processes wait, in one queue. Each update of each process (`limiter-change.ts`) puts into it what the process has to report, and
// gives the free slots to the first of the queue. What holds, whatever happens:
//
// - No more requests are in flight than the organization may have, and no surface gets more than its number in any window.
// - Who has waited longest goes first, however far from the store it is: a slot waits for its process.
// - Everything has an id or a process. So an update may be repeated after one whose result is unknown.
// - A process that is silent for longer than its lease loses its slots, and waits no more. Its requests count until their window ends.
// - If the store loses the text, each process that knows it restores it, and nothing is granted for some seconds.
// - What waits changes nothing: a process that is refused again writes no new text until its lease is due.

import type { Limits, SentRequest } from '../../extend.ts'
import type { VersionedState } from './versioned-state.ts'

/** What all processes of an organization have to agree on. */
export interface Rules extends Limits {
  /** How long a silent process counts as alive, in milliseconds. */
  readonly leaseMs: number
}

/** A request that holds a slot, from its grant until its process reports its end. */
export interface OpenRequest {
  readonly process: string
  readonly surface: string
  /** The state in which it was granted: in a later one, only its process knows whether it is still in flight. */
  readonly stateId: string
}

/** A process that waits, with its calls at one surface. */
interface QueuedProcess {
  readonly process: string
  readonly surface: string
  /** How many of its calls wait there; more than the slots of all make no difference. */
  readonly calls: number
}

/** All that the processes of one organization share. Times are in milliseconds since its first state was created. */
export interface LimiterState extends VersionedState {
  /** How far the time is ahead of the store's clock: the sum of all corrections. */
  clockOffset: number
  /** When this state was created, in place of none or of one that was lost. */
  createdAt: number
  /** Nothing is granted before. */
  grantsFrom: number
  /** Until when each process counts as alive that waits or has a request. */
  aliveUntil: Record<string, number>
  /** The requests that hold a slot, by their ids. */
  open: Record<string, OpenRequest>
  /** When the ended requests to each surface arrived at the latest, by their ids. */
  arrivals: Record<string, Record<string, number>>
  /** Who waits, from the first to the last. */
  queue: QueuedProcess[]
  /** When surfaces open that a 429 has closed. */
  blockedUntil: Record<string, number>
}

/** A request of this process. */
export interface OwnRequest {
  readonly surface: string
  /** When it was sent; undefined while no call has it, and for good if it never was. */
  readonly sent: SentRequest | undefined
  readonly hasEnded: boolean
  /** When its surface opens, if a 429 has refused it. */
  readonly blockedUntil?: number | undefined
}

/** What a process reports in one update. Its times are monotonic. */
export interface Report {
  readonly process: string
  /** Those in flight, and those whose end the store may not know yet. */
  readonly requests: ReadonlyMap<string, OwnRequest>
  /** How many of its calls wait at each surface. */
  readonly waiting: ReadonlyMap<string, number>
}

/** Stands for each process that knows a state: there is a new one, or a surface has closed. */
export const everyone = '*'

/**
 * The message that has processes update; undefined if none has to. Messages only save waiting: processes poll from time to time in any
 * case.
 */
export function messageOf(from: string, processes: readonly string[]): string | undefined {
  return processes.length === 0 ? undefined : JSON.stringify({ from, processes })
}

/** Whether a message has a process update. Other programs may send on the same channel. */
export function isFor(message: string, process: string): boolean {
  try {
    const { from, processes } = JSON.parse(message) as { from: string; processes: readonly string[] }
    return from !== process && (processes.includes(process) || processes.includes(everyone))
  } catch {
    return false
  }
}

/** The surface of calls without a limit of their rate. The names of others begin with a colon. */
export const unlimitedSurface = ''

/** The name of a surface among all; null for calls without a limit of their rate. */
export function surfaceKey(name: string | null): string {
  return name === null ? unlimitedSurface : `:${name}`
}
