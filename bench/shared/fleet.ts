import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveSandbox } from '../../src/extensions/sandbox/node.ts'
import type { Limits } from '../../src/limits/interface.ts'
import type { Package } from '../../test/redis/clients.ts'
import { farPort } from './far.ts'
import type { WorkerSetup } from './worker.ts'

export interface Fleet {
  readonly store: Package | 'postgres'
  readonly storeUrl: string
  /** Milliseconds from each process to the store and back. */
  readonly roundTrips: readonly number[]
  readonly limits: Limits
  /** How long the service takes for a request, in milliseconds. */
  readonly serviceMs: number
  readonly seconds: number
  /** Calls of each process that wait at a time. */
  readonly calls: number
}

export interface Served {
  /** Requests of each process. */
  readonly requests: readonly number[]
  readonly refused: number
}

let fleets = 0

/** Lets a fleet call for some seconds, and counts what the service sees. */
export async function run({
  store,
  storeUrl,
  roundTrips,
  limits,
  serviceMs,
  ...fleet
}: Fleet): Promise<Served> {
  const service = await serveSandbox({ limits, latency: serviceMs })
  const { baseUrl, apiKey } = service
  const common = { store, organization: `fleet ${process.pid} ${fleets++}`, baseUrl, apiKey, limits }
  const children: ChildProcess[] = []
  try {
    for (const [index, roundTripMs] of roundTrips.entries()) {
      const url = new URL(storeUrl)
      if (roundTripMs > 0) url.port = String(await farPort(Number(url.port), roundTripMs))
      const setup: WorkerSetup = { ...common, name: `${index}`, storeUrl: url.href, calls: fleet.calls }
      const child = fork(new URL('worker.ts', import.meta.url), [JSON.stringify(setup)])
      children.push(child)
      await once(child, 'message')
    }
    for (const child of children) child.send('begin')
    await sleep(fleet.seconds * 1000)
    const queries = service.requests.map(({ body }) => (body as { query: string }).query)
    return {
      requests: roundTrips.map((_, index) => queries.filter((query) => query === `${index}`).length),
      refused: service.requests.filter(({ status }) => status === 429).length,
    }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await service.close()
  }
}
