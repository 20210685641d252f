import { getEventListeners } from 'node:events'
import { type Random, createRandom } from '../../../src/sandbox/random.ts'
import { runVirtual } from '../../../bench/simulate/clock.ts'
import { checkCall } from './check-call.ts'
import { checkBudget, checkLedger, checkReserved } from './check-credits.ts'
import { type DrawnCall, drawCall } from './draw-call.ts'
import { drawBudgets, drawClient, drawOrganization } from './draw-client.ts'
import { Interference } from './interference.ts'
import { shows } from './leaks.ts'
import { makeCall } from './make-call.ts'
import { Network } from './network.ts'
import { worstCaseOf } from './operations.ts'
import type { CallRecord, ClientRecord } from './records.ts'
import { Service } from './service.ts'
import { Trace } from './trace.ts'

const minute = 60_000
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** What one episode came to. */
export interface Episode {
  readonly trace: Trace
  /** How many requests met with what. */
  readonly mishaps: Map<string, number>
  /** Ways in which calls ended. */
  readonly requests: number
}

/**
 * A handful of clients makes some calls, everything goes wrong, and all that must hold is checked. Independent of other
 * episodes, so that one that fails can be replayed alone.
 */
export async function runEpisode(seed: string, callCount: number): Promise<Episode> {
  const trace = new Trace()
  const mishaps = new Map<string, number>()
  let network: Network | undefined
  const unhandled = (reason: unknown): void => trace.fail(`unhandled rejection: ${String(reason)}`, reason)
  process.on('unhandledRejection', unhandled)
  try {
    const { timers, isCutOff } = await runVirtual(
      async (clock) => {
        jump(createRandom(`${seed}/wall clock`), clock, trace)
        network = await play(seed, callCount, trace)
      },
      5 * 24 * 60 * minute,
      createRandom(`${seed}/Math.random`),
    )
    trace.end()
    if (isCutOff) trace.fail('the run did not end')
    if (timers > 0) trace.fail(`${timers} timers are left`)
  } catch (error) {
    trace.end()
    trace.fail(`the run stopped: ${String(error)}`, error)
  } finally {
    process.off('unhandledRejection', unhandled)
  }
  for (const { mishap } of network?.requests ?? []) mishaps.set(mishap, (mishaps.get(mishap) ?? 0) + 1)
  return { trace, mishaps, requests: network?.requests.length ?? 0 }
}

async function play(seed: string, callCount: number, trace: Trace): Promise<Network> {
  const random = createRandom(seed)
  const byId = new Map<string, DrawnCall>()
  const service = new Service(trace)
  const network: Network = new Network({
    ...{ seed, service, trace, misfortune: random.pick([0.1, 0.3, 0.6, 0.9]) },
    callOf: (id) => (byId.get(id) as DrawnCall).call,
    onMoment: (call, moment) => {
      if (moment === 'sent') checkReserved(call, worstCaseOf(call.operation), trace)
      byId.get(call.id)?.plan?.onMoment(call, moment)
    },
  })
  const interference = new Interference(seed)
  const budgets = drawBudgets(random, seed, interference)
  const organizations = Array.from({ length: random.integer(1, 2) }, (_, index) =>
    drawOrganization(random, `organization ${seed}/${index}`),
  )
  const clients = Array.from({ length: random.integer(1, 4) }, (_, index) =>
    drawClient(
      random,
      `client ${index}`,
      random.pick(organizations),
      budgets,
      network.fetch,
      interference,
      trace,
    ),
  )
  const spreadMs = random.pick([0, 2000, minute, 4 * minute])
  const drawn = Array.from({ length: callCount }, (_, index) => {
    const call = drawCall(seed, `call ${index}`, clients, budgets, spreadMs, interference)
    byId.set(call.call.id, call)
    return call
  })
  interference.act = (random, from) => {
    const { call, plan } = random.pick(drawn)
    trace.add(`interference from ${from}`)
    if (random.chance(0.05)) void close(random.pick(clients), trace)
    else plan?.abort(call)
  }
  const made = drawn.map(async (call) => {
    await sleep(call.startsAt)
    await makeCall(call, trace)
  })
  for (const client of clients)
    if (random.chance(0.2)) setTimeout(() => void close(client, trace), random.integer(0, spreadMs + 20_000))
  await inTime(Promise.all(made), 90 * minute)
  await Promise.all(clients.map((client) => close(client, trace)))
  // What remains of the exchanges at the service.
  await sleep(5 * minute)
  check(
    drawn.map(({ call }) => call),
    clients,
    trace,
  )
  budgets.forEach((budget, index) =>
    checkBudget(
      budget,
      index,
      drawn.map(({ call }) => call),
      trace,
    ),
  )
  for (const { call, plan } of drawn) {
    const listeners = plan === null ? 0 : getEventListeners(plan.controller.signal, 'abort').length
    if (listeners > 0) trace.fail(`${call.id} left ${listeners} listeners on its signal`)
  }
  return network
}

/** Sets the wall clock of some episodes, by up to an hour. */
function jump(random: Random, clock: Parameters<Parameters<typeof runVirtual>[0]>[0], trace: Trace): void {
  if (!random.chance(0.3)) return
  setTimeout(
    () => {
      const ms = random.integer(-60 * minute, 60 * minute)
      trace.add(`the wall clock jumps by ${ms} ms`)
      clock.setSystemTime(Date.now() + ms)
    },
    random.integer(1, 4 * minute),
  )
}

/** Waits for work, but not for ever: some hangs until its client is closed. */
async function inTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise((resolve) => (timer = setTimeout(resolve, ms)))
  await Promise.race([work, end])
  clearTimeout(timer)
}

async function close(owner: ClientRecord, trace: Trace): Promise<void> {
  if (owner.closedAt === null) trace.add(`${owner.name} closes`)
  owner.closedAt ??= performance.now()
  await owner.variants.at(-1)?.client.close()
}

function check(calls: readonly CallRecord[], clients: readonly ClientRecord[], trace: Trace): void {
  for (const call of calls) checkCall(call, trace)
  for (const owner of clients) {
    checkLedger(owner, trace)
    if (owner.open.size > 0) trace.fail(`${owner.name} left ${owner.open.size} requests open`)
    for (const { client } of owner.variants) {
      if (shows(client, owner.secrets)) trace.fail(`${owner.name} shows a secret when it is printed`)
      const { slots, surfaces } = client.status()
      if (slots.taken > 0) trace.fail(`${owner.name} holds ${slots.taken} slots`)
      const queued = surfaces.reduce((sum, surface) => sum + surface.queued, 0)
      if (queued > 0) trace.fail(`${owner.name} has ${queued} calls in its queue`)
    }
  }
}
