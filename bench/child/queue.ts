/**
 * Queues calls behind two that never get a response, and prints the time to queue one, to abort one, and the memory of
 * one. It measures processor time, since the process only waits. Arguments: program, calls. Needs --expose-gc.
 */
import { setImmediate as settled } from 'node:timers/promises'
import type { Peer } from '../peers/peer.ts'
import { apiKey, load, nowhere, stopwatch, tell } from './set-up.ts'

export interface QueueResult {
  /** Microseconds for one call. */
  queue: number
  abort: number
  /** Bytes of one waiting call. */
  bytes: number
}

const aborted = 100
const noop = (): void => {}
const never = (): Promise<Response> => new Promise(noop)

const [, , program, calls] = process.argv
const create = await load(program)

/** Waits until every promise that can settle without a response has settled. */
async function queue(peer: Peer, into: unknown[], signals?: readonly AbortSignal[]): Promise<number> {
  const stop = stopwatch()
  for (let i = 0; i < into.length; i++) {
    const call = peer.search({ query: 'typescript' }, signals?.[i])
    call.then(noop, noop)
    into[i] = call
  }
  await settled()
  return stop().cpu
}

async function measure(calls: number, collect = globalThis.gc): Promise<QueueResult> {
  const peer = create({ baseUrl: nowhere, apiKey, fetch: never })
  await queue(peer, [null, null])
  const waiting = new Array<unknown>(calls).fill(null)
  collect?.()
  const before = process.memoryUsage().heapUsed
  const ms = await queue(peer, waiting)
  collect?.()
  const bytes = process.memoryUsage().heapUsed - before

  const controllers = Array.from({ length: aborted }, () => new AbortController())
  const leaving = new Array<unknown>(aborted).fill(null)
  await queue(
    peer,
    leaving,
    controllers.map(({ signal }) => signal),
  )
  const stop = stopwatch()
  for (const controller of controllers) controller.abort()
  await Promise.allSettled(leaving)
  const abortMs = stop().cpu
  if (waiting.length !== calls) throw new Error('the calls have to be held until here')
  return { queue: (ms * 1000) / calls, abort: (abortMs * 1000) / aborted, bytes: bytes / calls }
}

for (let i = 0; i < 15; i++) await measure(100, async () => {})
// A small number of calls takes too little time to measure once.
const results: QueueResult[] = []
for (let left = 2_000; left > 0; left -= Number(calls)) results.push(await measure(Number(calls)))
const mean = (field: keyof QueueResult): number =>
  results.reduce((sum, result) => sum + result[field], 0) / results.length
tell({ queue: mean('queue'), abort: mean('abort'), bytes: mean('bytes') } satisfies QueueResult)
