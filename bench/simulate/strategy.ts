import type { Operation } from '../../src/api/operation.ts'
import type { Scenario } from './scenarios.ts'

/** What a strategy gets when it starts. */
export interface World {
  readonly scenario: Scenario
  readonly fetch: (request: Pick<Request, 'url'>) => Promise<Response>
}

export interface SimulatedCall {
  /** The process of a call, counted from 0. */
  readonly process: number
  readonly operation: Operation
}

/** A way to make calls. */
export interface Strategy {
  readonly name: string
  /** Whether it is compared with the other strategies here. */
  applies(scenario: Scenario): boolean
  /** Sets up all processes. The returned function makes a call; it rejects if the call gives up. */
  start(world: World): (call: SimulatedCall) => Promise<unknown>
}
