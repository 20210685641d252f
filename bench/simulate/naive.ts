import Bottleneck from 'bottleneck'
import pLimit from 'p-limit'
import pRetry from 'p-retry'
import { organizationLimits } from '../../src/api/limits.ts'
import { sleep } from './clock.ts'
import { baseUrl } from './service.ts'
import type { SimulatedCall, Strategy, World } from './strategy.ts'

const { inFlight, perMinute, windowMs } = organizationLimits

/** Retries of a call; the default of p-retry. */
const retries = 10

class Unsuccessful extends Error {
  /** The announced wait in milliseconds, if there is one. */
  readonly announced: number | undefined

  constructor(response: Response) {
    super(`status ${response.status}`)
    const seconds = response.headers.get('retry-after')
    this.announced = seconds === null ? undefined : Number(seconds) * 1000
  }
}

async function send(fetch: World['fetch'], { operation }: SimulatedCall): Promise<void> {
  const response = await fetch({ url: `${baseUrl}${operation.path}` })
  if (!response.ok) throw new Unsuccessful(response)
  await response.text()
}

/** The announced wait, or exponential backoff with full jitter. */
function waitAfter(error: unknown, failed: number): number {
  const announced = error instanceof Unsuccessful ? error.announced : undefined
  return announced ?? Math.random() * Math.min(20_000, 500 * 2 ** failed)
}

function retrying(task: () => Promise<void>): Promise<void> {
  return pRetry(task, {
    retries,
    minTimeout: 0,
    onFailedAttempt: ({ error, attemptNumber }) => sleep(waitAfter(error, attemptNumber - 1)),
  })
}

/** Sends everything at once, and retries as responses say. Its processes share nothing that could differ. */
export const backoff: Strategy = {
  name: 'fetch + backoff',
  applies: ({ processes, inTurn }) => processes === 1 || inTurn,
  start:
    ({ fetch }) =>
    async (call) => {
      for (let failed = 0; ; failed++) {
        try {
          await send(fetch, call)
          return
        } catch (error) {
          if (failed === retries) throw error
          await sleep(waitAfter(error, failed))
        }
      }
    },
}

/** A call keeps its slot while it waits. */
export const limitAroundRetry: Strategy = {
  name: 'p-limit(p-retry)',
  applies: () => true,
  start: (world) =>
    inProcesses(world, () => {
      const limit = pLimit(inFlight)
      return (call) => limit(() => retrying(() => send(world.fetch, call)))
    }),
}

/** A call frees its slot while it waits. */
export const retryAroundLimit: Strategy = {
  name: 'p-retry(p-limit)',
  applies: () => true,
  start: (world) =>
    inProcesses(world, () => {
      const limit = pLimit(inFlight)
      return (call) => retrying(() => limit(() => send(world.fetch, call)))
    }),
}

/** Bottleneck as documented: a reservoir for each surface, behind one limit of open requests. */
export const bottleneck: Strategy = {
  name: 'Bottleneck',
  applies: () => true,
  start: (world) =>
    inProcesses(world, () => {
      const slots = new Bottleneck({ maxConcurrent: inFlight })
      const bySurface = new Map(
        world.scenario.operations.map(({ surface }) => {
          const limiter = new Bottleneck({
            reservoir: perMinute,
            reservoirRefreshAmount: perMinute,
            reservoirRefreshInterval: windowMs,
            maxConcurrent: inFlight,
          })
          limiter.on('failed', (error, { retryCount }) =>
            retryCount < retries ? waitAfter(error, retryCount) : undefined,
          )
          return [surface, limiter.chain(slots)]
        }),
      )
      return async (call) => bySurface.get(call.operation.surface)?.schedule(() => send(world.fetch, call))
    }),
}

/** Sets up each process separately. */
function inProcesses(
  { scenario }: World,
  setUp: () => (call: SimulatedCall) => Promise<void>,
): ReturnType<Strategy['start']> {
  const senders = Array.from({ length: scenario.processes }, setUp)
  return async (call) => senders[call.process]?.(call)
}
