import type { Operation } from '../../src/api/operation.ts'
import { createRandom } from '../../src/extensions/sandbox/random.ts'
import { runVirtual } from './clock.ts'
import { Draws } from './draws.ts'
import { optimum } from './optimum.ts'
import type { Scenario } from './scenarios.ts'
import { type Arrival, Service } from './service.ts'
import type { Strategy } from './strategy.ts'

/** The result of one run. */
export interface Outcome {
  /** Time until all calls had ended, divided by the minimum time for as many successes; Infinity without a success. */
  readonly ratio: number
  /** Minimum time of all calls, in milliseconds. */
  readonly optimumMs: number
  /** Number of failed calls. */
  readonly failed: number
  /** Whether calls were still running at the time limit. */
  readonly isCutOff: boolean
  readonly arrivals: readonly Arrival[]
  readonly foreign: Service['foreign']
}

/** The time limit of a run, as a multiple of the optimum. */
export const patience = 5

/** Makes a number of calls at once, or process by process, and measures the result. */
export async function measure(
  scenario: Scenario,
  strategy: Strategy,
  calls: number,
  seed: number,
): Promise<Outcome> {
  const { operations, processes, inTurn } = scenario
  const draws = new Draws(seed, scenario)
  const plan = Array.from({ length: calls }, (_, index) => ({
    operation: operations[index % operations.length] as Operation,
    process: Math.floor(index / operations.length) % processes,
  }))
  const bound = (of: readonly { operation: Operation }[]): number =>
    optimum(
      scenario,
      draws,
      operations.map((operation) => of.filter((call) => call.operation === operation).length),
    )
  const optimumMs = bound(plan)
  const succeeded: typeof plan = []
  let service: Service | undefined

  const work = async (): Promise<void> => {
    service = new Service(scenario, draws)
    const send = strategy.start({ scenario, fetch: service.fetch })
    const shifts = inTurn ? Map.groupBy(plan, ({ process }) => process).values() : [plan]
    for (const shift of shifts) {
      const attempts = shift.map(async (call) => {
        await send(call)
        succeeded.push(call)
      })
      await Promise.allSettled(attempts)
    }
  }
  const { ms, isCutOff } = await runVirtual(work, patience * optimumMs, createRandom(`${seed}/clients`))
  if (service === undefined) throw new Error('the run ended before the service was there')
  return {
    ratio: succeeded.length === 0 ? Infinity : ms / bound(succeeded),
    optimumMs,
    failed: calls - succeeded.length,
    isCutOff,
    arrivals: [...service.arrivals],
    foreign: { ...service.foreign },
  }
}
