import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { redisStore } from '../../src/redis/index.ts'
import { SharedBudget } from '../../src/shared/index.ts'
import { type SandboxServer, serveSandbox } from '../../src/sandbox/node.ts'
import { connect, packages } from './clients.ts'
import { type RedisServer, startRedis } from './server.ts'
import type { WorkerResult, WorkerSetup } from './worker.ts'

const limits = { inFlight: 2, perMinute: 20, windowMs: 1500 }
const organization = 'org_live_5f2b8c1d9e'

let redis: RedisServer
let sandbox: SandboxServer
beforeEach(async () => {
  redis = await startRedis()
  sandbox = await serveSandbox({ limits, latency: [5, 40] })
})
afterEach(async () => {
  await sandbox.close()
  await redis.kill()
})

interface Worker {
  readonly child: ChildProcess
  /** What it has been handed and has not spoken of. */
  readonly open: Set<string>
}

/** Four processes, and calls for each process with fewer than four pending. */
async function fleet(setup: Partial<WorkerSetup>, calls: number) {
  const { baseUrl, apiKey } = sandbox
  const workers = await Promise.all([0, 1, 2, 3].map((i) => start(packages[i % 2]!)))
  const todo = Array.from({ length: calls }, (_, i) => `coffee ${i}`)
  const results: WorkerResult[] = []
  const milestones: { at: number; reached: () => void }[] = []
  const finished = reach(calls)
  workers.forEach(supply)

  async function start(name: WorkerSetup['name']): Promise<Worker> {
    const common = { name, storeUrl: redis.url, organization, baseUrl, apiKey, limits }
    const argument = JSON.stringify({ ...common, onUnavailable: 'wait', ...setup })
    const child = fork(new URL('worker.ts', import.meta.url), [argument], { execArgv: [] })
    await once(child, 'message')
    const worker: Worker = { child, open: new Set() }
    child.on('message', (result: WorkerResult) => {
      worker.open.delete(result.query)
      results.push(result)
      for (const { at, reached } of milestones) if (results.length >= at) reached()
      supply(worker)
    })
    return worker
  }

  function supply({ child, open }: Worker): void {
    while (open.size < 4 && child.connected) {
      const query = todo.shift()
      if (query === undefined) return
      open.add(query)
      child.send(query)
    }
  }

  /** Resolves when so many calls have been answered. */
  function reach(at: number): Promise<void> {
    return new Promise((reached) => milestones.push({ at, reached }))
  }

  /** Ends a worker without warning; its calls are done by others, under other names. */
  async function kill(worker: Worker): Promise<string[]> {
    worker.child.kill('SIGKILL')
    await once(worker.child, 'exit')
    const lost = [...worker.open]
    todo.push(...lost.map((query) => `${query} again`))
    for (const other of workers) if (other !== worker) supply(other)
    return lost
  }

  /** Has all end by themselves. */
  async function stop(): Promise<void> {
    for (const { child } of workers) {
      if (!child.connected) continue
      child.send(null as never)
      expect(await once(child, 'exit')).toEqual([0, null])
    }
  }

  return { workers, results, finished, reach, kill, stop }
}

const queryOf = ({ body }: { body: unknown }) => (body as { query: string }).query
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** Most requests that arrived within one window. */
function busiest(): number {
  const times = sandbox.requests.map(({ at }) => at)
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + limits.windowMs).length),
  )
}

describe('a fleet of four processes', { timeout: 120_000 }, () => {
  it('keeps the limits, also when a worker dies', async () => {
    const { workers, results, finished, reach, kill, stop } = await fleet({ budget: 10_000 }, 400)
    await reach(150)
    const lost = await kill(workers[1]!)
    expect(lost).toHaveLength(4)
    await finished
    await stop()
    const admin = new Redis(redis.url)
    const stats = await admin.info('commandstats')
    const commands = sum([...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, n]) => Number(n)))
    admin.disconnect()
    const { client, cut } = await connect('redis', redis.url)
    const summary = await new SharedBudget({
      ...{ store: redisStore(client), name: organization, limit: 10_000 },
    }).summary()
    cut()

    expect(results.filter(({ error }) => error !== undefined)).toEqual([])
    expect(sandbox.requests.filter(({ status }) => status === 429)).toEqual([])
    expect(Math.max(...sandbox.requests.map(({ inFlight }) => inFlight))).toBe(2)
    expect(busiest()).toBeLessThanOrEqual(limits.perMinute)
    const sent = sandbox.requests.map(queryOf)
    expect(new Set(sent).size).toBe(sent.length)

    const reported = sum(results.map(({ spent }) => spent))
    const unheard = sandbox.requests.filter((request) => lost.includes(queryOf(request)))
    expect(sandbox.ledger.spent).toBe(reported + sum(unheard.map(({ charged }) => charged)))

    // What the killed worker had under way may have been reserved, sent, or settled.
    expect(summary.reserved).toBe(0)
    expect(summary.spent).toBeLessThanOrEqual(sandbox.ledger.spent)
    expect(summary.spent + summary.uncertain).toBeGreaterThanOrEqual(sandbox.ledger.spent)
    expect(summary.uncertain).toBeLessThanOrEqual(2 * lost.length)
    // A process that asks over and over would show.
    expect(commands / 400).toBeLessThan(12)
  })

  it('sends nothing while Redis is unreachable, and keeps the limits when it is back without data', async () => {
    const { results, finished, reach, stop } = await fleet({ onUnavailable: 'wait' }, 120)
    await reach(50)
    await redis.kill()
    await new Promise((resolve) => setTimeout(resolve, 500))
    const before = sandbox.requests.length
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(sandbox.requests).toHaveLength(before)
    await redis.restart()
    await finished
    expect(results.filter(({ error }) => error !== undefined)).toEqual([])
    expect(sandbox.requests.filter(({ status }) => status === 429)).toEqual([])
    expect(Math.max(...sandbox.requests.map(({ inFlight }) => inFlight))).toBe(2)
    expect(busiest()).toBeLessThanOrEqual(limits.perMinute)
    expect(new Set(sandbox.requests.map(queryOf)).size).toBe(120)
    await stop()
  })

  it('continues with a share of the limits while Redis is unreachable, and charges no call twice', async () => {
    const { results, finished, reach, stop } = await fleet({ onUnavailable: 'local', localShare: 0.25 }, 160)
    await reach(50)
    await redis.kill()
    const before = results.length
    await new Promise((resolve) => setTimeout(resolve, 5000))
    expect(results.length).toBeGreaterThan(before)
    await redis.restart()
    await finished
    expect(results.filter(({ error }) => error !== undefined)).toEqual([])
    expect(Math.max(...sandbox.requests.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(4)
    const charged = sandbox.requests.filter(({ charged }) => charged > 0).map(queryOf)
    expect([charged.length, new Set(charged).size]).toEqual([160, 160])
    expect(sandbox.ledger.spent).toBe(sum(results.map(({ spent }) => spent)))
    await stop()
  })
})
