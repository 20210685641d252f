import { getEventListeners } from 'node:events'
import { runVirtual, sleep } from '../../../bench/simulate/clock.ts'
import { CreditBudget } from '../../../src/index.ts'
import { type Random, createRandom } from '../../../src/extensions/sandbox/random.ts'
import { checkBudget, checkCall, checkLedger, checkReserved } from './checks.ts'
import { type DrawnCall, drawCall } from './draw-call.ts'
import { drawClient, drawOrganization } from './draw-client.ts'
import { Interference } from './interference.ts'
import { shows } from './leaks.ts'
import { makeCall } from './make-call.ts'
import { Network } from './network.ts'
import { soakOperations } from './operations.ts'
import type { ClientRecord, RequestRecord, World } from './records.ts'
import { Service } from './service.ts'
import { Trace } from './trace.ts'

const minute = 60_000

/** What one episode came to. */
export interface Episode {
  readonly trace: Trace
  readonly requests: readonly RequestRecord[]
}

/**
 * A handful of clients makes some calls, everything goes wrong, and all that must hold is checked. Independent of other
 * episodes, so that one that fails can be replayed alone.
 */
export async function runEpisode(seed: string, callCount: number): Promise<Episode> {
  const trace = new Trace()
  const requests: RequestRecord[] = []
  const unhandled = (reason: unknown): void => trace.fail(`unhandled rejection: ${String(reason)}`, reason)
  process.on('unhandledRejection', unhandled)
  try {
    const { timers, isCutOff } = await runVirtual(
      (clock) => {
        setWallClock(createRandom(`${seed}/wall clock`), (time) => clock.setSystemTime(time), trace)
        return play(seed, callCount, trace, requests)
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
  return { trace, requests }
}

async function play(seed: string, callCount: number, trace: Trace, requests: RequestRecord[]): Promise<void> {
  const random = createRandom(seed)
  const byId = new Map<string, DrawnCall>()
  const network = new Network({
    ...{ seed, requests, service: new Service(trace), trace, misfortune: random.pick([0.1, 0.3, 0.6, 0.9]) },
    callOf: (id) => (byId.get(id) as DrawnCall).call,
    onMoment: (call, moment) => {
      if (moment === 'sent') checkReserved(call, trace)
      byId.get(call.id)?.plan?.onMoment(call, moment)
    },
  })
  const interference = new Interference(seed)
  const limits = [0, 3, 9, 50, 200, 500, 1000, 5000]
  const budgets = Array.from({ length: random.integer(0, 4) }, () => new CreditBudget(random.pick(limits)))
  const crowd = random.chance(0.3) ? random.pick(soakOperations.filter(({ surface }) => surface)) : null
  const world: World = { seed, trace, interference, budgets, crowd, fetch: network.fetch }
  const organizations = Array.from({ length: random.integer(1, 2) }, (_, index) =>
    drawOrganization(random, `organization ${seed}/${index}`),
  )
  const clients = Array.from({ length: random.integer(1, 4) }, (_, index) =>
    drawClient(random, `client ${index}`, random.pick(organizations), world),
  )
  const spreadMs = random.pick([0, 2000, minute, 4 * minute])
  for (let index = 0; index < callCount; index++)
    byId.set(`call ${index}`, drawCall(`call ${index}`, clients, spreadMs, world))
  const drawn = [...byId.values()]
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
  for (const { call, plan } of drawn) {
    checkCall(call, trace)
    const listeners = plan === null ? 0 : getEventListeners(plan.controller.signal, 'abort').length
    if (listeners > 0) trace.fail(`${call.id} left ${listeners} listeners on its signal`)
  }
  for (const client of clients) checkClient(client, trace)
  const calls = drawn.map(({ call }) => call)
  budgets.forEach((budget, index) => checkBudget(budget, index, calls, trace))
}

/** Sets the wall clock of some episodes, each time by up to an hour. */
function setWallClock(random: Random, set: (time: number) => void, trace: Trace): void {
  for (let times = random.pick([0, 1, 3]); times > 0; times--)
    setTimeout(
      () => {
        const ms = random.integer(-60 * minute, 60 * minute)
        trace.add(`the wall clock jumps by ${ms} ms`)
        set(Date.now() + ms)
      },
      random.integer(1, random.pick([minute / 2, 4 * minute])),
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

/** Checks, after the run, what must hold of a client that is closed. */
function checkClient(owner: ClientRecord, trace: Trace): void {
  checkLedger(owner, trace)
  if (owner.open.size > 0) trace.fail(`${owner.name} left ${owner.open.size} requests open`)
  for (const { client } of owner.variants) {
    if (shows(client, owner.credential.secrets)) trace.fail(`${owner.name} shows a secret when it is printed`)
    const { slots, surfaces } = client.status()
    if (slots.taken > 0) trace.fail(`${owner.name} holds ${slots.taken} slots`)
    const queued = surfaces.reduce((sum, surface) => sum + surface.waiting, 0)
    if (queued > 0) trace.fail(`${owner.name} has ${queued} calls in its queue`)
  }
}
