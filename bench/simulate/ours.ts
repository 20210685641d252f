import { organizationLimits } from '../../src/api/limits.ts'
import type { LimitOptions } from '../../src/limits/process-limiter.ts'
import { clientTransport, createTransport } from '../../src/core/call/transport.ts'
import { baseUrl } from './service.ts'
import type { Strategy, World } from './strategy.ts'

let worlds = 0

/** One limiter for each process, without knowledge of the others. */
export const ours: Strategy = {
  name: 'ours',
  applies: () => true,
  start: (world) => processes(world, (process) => ({ organization: `${worlds}/${process}` })),
}

/** The same, but each process knows its share of the limits. */
export const oursWithShares: Strategy = {
  name: 'ours, shares set',
  applies: (scenario) => scenario.processes > 1,
  start: (world) => {
    const part = (limit: number): number => Math.max(1, Math.floor(limit / world.scenario.processes))
    const { inFlight, perMinute } = organizationLimits
    const limits = { inFlight: part(inFlight), perMinute: part(perMinute) }
    return processes(world, (process) => ({ organization: `${worlds}/${process}`, limits }))
  },
}

/** A limiter shared by all processes, without the time to ask it. */
export const oursScheduled: Strategy = {
  name: 'ours, one scheduler',
  applies: (scenario) => scenario.processes > 1,
  start: (world) => processes(world, () => ({ organization: `${worlds}` })),
}

function processes(
  { scenario, fetch }: World,
  optionsOf: (process: number) => { organization: string; limits?: LimitOptions },
): ReturnType<Strategy['start']> {
  // Limiters live as long as the real process, so each run needs new labels.
  worlds++
  const transports = Array.from({ length: scenario.processes }, (_, process) =>
    clientTransport(
      createTransport({ baseUrl, apiKey: 'simulated', fetch, logger: false, ...optionsOf(process) }),
    ),
  )
  return ({ process, operation }) => {
    const transport = transports[process]
    if (transport === undefined) throw new RangeError(`unknown process ${process}`)
    return transport.request(operation, { query: 'typescript' })
  }
}
