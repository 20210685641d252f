import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CreditSummary } from '../../src/core/credits/budget.ts'
import { SharedBudget } from '../../src/extensions/shared/index.ts'
import { type SandboxServer, serveSandbox } from '../support/sandbox.ts'
import { openStore } from '../redis/clients.ts'
import type { WorkerResult, WorkerSetup } from '../redis/worker.ts'

/** A server of a store, and what may happen to it. */
export interface AttackedServer {
  readonly url: string
  /** The names of workers' connections. */
  readonly names: readonly WorkerSetup['name'][]
  /** Removes all data. */
  lose(): unknown
  /** Ends all connections. */
  cut(): unknown
  kill(): Promise<void>
  restart(): Promise<void>
  remove(): Promise<void>
}

const limits = { inFlight: 2, perMinute: 20, windowMs: 1500 }
const organization = 'org_live_5f2b8c1d9e'
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Eight processes that call a service, which counts, while their store is attacked. */
export function attackSuite(name: string, start: () => Promise<AttackedServer>): void {
  let server: AttackedServer
  let sandbox: SandboxServer
  const children: ChildProcess[] = []
  beforeEach(async () => {
    server = await start()
    sandbox = await serveSandbox({ limits, latency: [5, 40] })
  })
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    await sandbox.close()
    await server.remove()
  })

  async function fleet(setup: Partial<WorkerSetup>, calls: number) {
    const { baseUrl, apiKey } = sandbox
    const todo = Array.from({ length: calls }, (_, i) => `coffee ${i}`)
    const results: WorkerResult[] = []
    const workers = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const name = server.names[i % server.names.length]!
        const common = { name, storeUrl: server.url, organization, baseUrl, apiKey, limits }
        const argument = JSON.stringify({ ...common, ...setup })
        const child = fork(new URL('../redis/worker.ts', import.meta.url), [argument], { execArgv: [] })
        children.push(child)
        await once(child, 'message')
        const worker = { child, open: new Set<string>() }
        child.on('message', (result: WorkerResult) => {
          worker.open.delete(result.query)
          results.push(result)
          supply(worker)
        })
        return worker
      }),
    )
    function supply({ child, open }: { child: ChildProcess; open: Set<string> }): void {
      while (open.size < 3 && child.connected && todo.length > 0) {
        const query = todo.shift()!
        open.add(query)
        child.send(query)
      }
    }
    workers.forEach(supply)
    /** Has all workers that live end by themselves. */
    async function stop(): Promise<void> {
      for (const { child } of workers.filter(({ child }) => child.connected)) {
        child.send(null as never)
        expect(await once(child, 'exit')).toEqual([0, null])
      }
    }
    const reach = (count: number): Promise<void> =>
      expect.poll(() => results.length, { interval: 20 }).toBeGreaterThanOrEqual(count)
    return { workers, results, reach, supply, stop, todo }
  }

  const queryOf = ({ body }: { body: unknown }) => (body as { query: string }).query

  function expectLimitsKept(): void {
    const { requests } = sandbox
    expect(Math.max(...requests.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(limits.inFlight)
    expect(requests.filter(({ status }) => status === 429)).toEqual([])
    const sent = requests.map(({ at }) => at)
    const counts = sent.map((from) => sent.filter((at) => at >= from && at < from + limits.windowMs).length)
    expect(Math.max(...counts)).toBeLessThanOrEqual(limits.perMinute)
  }

  describe(`eight processes on ${name}`, { timeout: 170_000 }, () => {
    it('keep the limits and the budget when some are killed or stopped', async () => {
      const { workers, results, reach, supply, stop, todo } = await fleet({ budget: 10_000 }, 160)
      const connection = await openStore(server.names[0]!, server.url)
      const budget = new SharedBudget({ store: connection.store, name: organization, limit: 10_000 })
      const books: { before: number; summary: CreditSummary; after: number }[] = []
      const audit = setInterval(() => {
        const before = sandbox.ledger.spent
        const note = (summary: CreditSummary): void =>
          void books.push({ before, summary, after: sandbox.ledger.spent })
        budget.summary().then(note, () => {})
      }, 100)
      await reach(40)
      const [killed, stopped] = workers
      killed!.child.kill('SIGKILL')
      await once(killed!.child, 'exit')
      const lost = [...killed!.open]
      todo.push(...lost.map((query) => `${query} again`))
      workers.slice(1).forEach(supply)
      stopped!.child.kill('SIGSTOP')
      await pass(3500)
      stopped!.child.kill('SIGCONT')
      await reach(160)
      expect(results.filter(({ error }) => error !== undefined)).toEqual([])
      expectLimitsKept()
      await pass(2500)
      clearInterval(audit)
      await stop()
      const summary = await budget.summary()
      connection.cut()
      expect(books.length).toBeGreaterThan(20)
      for (const { before, summary, after } of books) {
        expect(summary.spent).toBeLessThanOrEqual(after)
        expect(summary.spent + summary.uncertain + summary.reserved).toBeGreaterThanOrEqual(before)
      }
      const unheard = sandbox.requests.filter((request) => lost.includes(queryOf(request)))
      const charges = [...results.map(({ spent }) => spent), ...unheard.map(({ charged }) => charged)]
      expect(sandbox.ledger.spent).toBe(charges.reduce((total, charge) => total + charge, 0))
      expect(summary.spent).toBeLessThanOrEqual(sandbox.ledger.spent)
      expect(summary.spent + summary.uncertain).toBeGreaterThanOrEqual(sandbox.ledger.spent)
    })

    it('keep the limits when the store loses its data, its connections and its life, and charge no call twice', async () => {
      const { results, reach } = await fleet({}, 160)
      await reach(30)
      await server.lose()
      await reach(60)
      await server.cut()
      await reach(90)
      await server.kill()
      await pass(500)
      const before = sandbox.requests.length
      await pass(1500)
      expect(sandbox.requests).toHaveLength(before)
      await server.restart()
      await reach(160)
      expect(results.filter(({ error }) => error !== undefined)).toEqual([])
      expectLimitsKept()
      const charged = sandbox.requests.filter(({ charged }) => charged > 0).map(queryOf)
      expect([charged.length, new Set(charged).size]).toEqual([160, 160])
    })
  })
}
