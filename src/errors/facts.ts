import type { Period } from '../lib/period.ts'

/**
 * Whether a failed call cost credits. `no`: nothing was sent, or the service refused. `yes`: you paid, but the response
 * cannot be used. `unknown`: the response was lost.
 */
export type Charged = 'no' | 'yes' | 'unknown'

/**
 * Whether a failed write changed data. `no`: nothing was sent, or the service refused. `unknown`: the response was lost,
 * or does not say.
 */
export type Applied = 'no' | 'unknown'

/** What one call cost in all its attempts, in credits. */
export interface CallCredits {
  spent: number
  /** Credits that may have been charged. */
  uncertain: number
}

/** The phase in which a connection failed. */
export type ConnectionPhase = 'connect' | 'tls' | 'exchange'

/** The phase in which the time ran out. */
export type TimeoutPhase = 'queue' | 'connect' | 'headers' | 'body' | 'wait'

/** Why a budget refused a call. */
export interface RefusedBudget {
  /** The `name` of the budget, if it has one. */
  readonly name?: string | undefined
  /** The maximum cost of the call, in credits. */
  readonly needed: number
  /** Credits left in the budget, without those that other calls have reserved. */
  readonly remaining: number
  /** Credits that calls in progress have reserved; absent if the call would not fit even after those end. */
  readonly reserved?: number | undefined
  /** All credits of the budget, or of each of its periods, if known. */
  readonly limit?: number | undefined
  /** Its period, if it has one. */
  readonly every?: Period | undefined
  /** When the budget resets, in milliseconds since 1970; absent if it never does, or if nobody knows. */
  readonly resetsAt?: number | undefined
  /** The operation that has spent most of it, as far as this process knows. */
  readonly most?: string | undefined
  /** Behind your proxy: whether the budget of this user or that for all users is too low. Absent elsewhere. */
  readonly whose?: 'user' | 'all' | undefined
  /**
   * What lowers `needed`: for comments `maxComments`, with its minimum; null for reactions, which have only the option
   * `expectedItems`. Otherwise absent.
   */
  readonly bound?: { readonly param: string; readonly least: number } | null | undefined
}

/** Whether a call would fit once the calls end that have reserved credits. */
export const mayFitLater = ({ needed, remaining, reserved = 0 }: RefusedBudget): boolean =>
  needed <= remaining + reserved
