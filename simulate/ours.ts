import type { LimitOptions } from '../src/core/options/types.ts'
import { createTransport } from '../src/core/call/transport.ts'
import { baseUrl } from './service.ts'
import type { Strategy, World } from './strategies.ts'

let worlds = 0

/** One limiter for each process, which knows of nothing that the others send. */
export const ours: Strategy = {
  name: 'ours',
  applies: () => true,
  start: (world) => processes(world, (process) => ({ organization: `${worlds}/${process}` })),
}

/** As before, but each process is told its share of the limits. */
export const oursWithShares: Strategy = {
  name: 'ours, shares set',
  applies: (scenario) => scenario.processes > 1,
  start: (world) => {
    const limits = { share: 1 / world.scenario.processes }
    return processes(world, (process) => ({ organization: `${worlds}/${process}`, limits }))
  },
}

/** What a limiter shared by all processes would come to, if asking it took no time. */
export const oursScheduled: Strategy = {
  name: 'ours, one scheduler',
  applies: (scenario) => scenario.processes > 1,
  start: (world) => processes(world, () => ({ organization: `${worlds}` })),
}

function processes(
  { scenario, fetch }: World,
  optionsOf: (process: number) => { organization: string; limits?: LimitOptions },
): ReturnType<Strategy['start']> {
  // Limiters are kept for as long as the real process lives, so each run needs labels of its own.
  worlds++
  const transports = Array.from({ length: scenario.processes }, (_, process) =>
    createTransport({ baseUrl, apiKey: 'simulated', fetch, ...optionsOf(process) }),
  )
  return ({ process, operation }) => {
    const transport = transports[process]
    if (transport === undefined) throw new RangeError(`there is no process ${process}`)
    return transport.request(operation, { query: 'typescript' })
  }
}
