import type { Changed } from '../../src/extensions/shared/limiter-change.ts'
import type { StateRead } from '../../src/extensions/shared/clock.ts'
import type { LimiterState } from '../../src/extensions/shared/limiter-state.ts'
import type { Sent } from './simulated-service.ts'

/** A request that may be sent. */
export interface Granted extends Omit<Sent, 'endsAt'> {
  readonly grantedAt: number
}

/** A process that shares a state. */
export class SimulatedProcess {
  seen: StateRead | undefined
  copy: LimiterState | undefined
  /** The surfaces of the calls that wait. */
  readonly calls: string[] = []
  sent: Sent[] = []
  /** Requests that it may send with its free slots, until its turn ends. */
  granted: Granted[] = []
  turnEndsAt = 0
  open = 0
  free = 0
  closures: { surface: string; openAt: number }[] = []
  nextAt = 0
  pausedUntil = 0
  isAlive = true
  /** What it is about to write, if the text is still the same. */
  pending: { changed: Changed; text: string | undefined; reported: number; readAt: number } | undefined
  readonly id: string
  /** How long it takes from its reading of the text to its writing, in milliseconds. */
  readonly delay: number

  constructor(id: string, delay: number) {
    this.id = id
    this.delay = delay
  }
}
