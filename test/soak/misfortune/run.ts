import { createHash } from 'node:crypto'
import { runVirtual, sleep } from '../../../bench/simulate/clock.ts'
import { type Random, createRandom } from '../../../src/extensions/sandbox/random.ts'
import { CreditBudget } from '../../../src/index.ts'
import { makeCall } from './calls.ts'
import { checkBudget, checkCall, checkClient } from './checks.ts'
import { drawCall, drawClient, drawOrganization } from './draw.ts'
import { faults } from './faults.ts'
import { soakOperations } from './operations.ts'
import { type ClientRecord, type RequestRecord, type World, Trace } from './world.ts'

const minute = 60_000

/** Calls of one episode. */
const callsOfEpisode = 50

/** Calls in which everything must happen. */
const leastForAll = 5000

interface Options {
  readonly calls: number
  readonly seed: string
  /** Runs this episode alone. */
  readonly episode?: number | undefined
  /** Prints all lines. */
  readonly isTraced?: boolean
  log?(line: string): void
}

export interface Result {
  /** Of all lines of the trace. */
  readonly digest: string
  readonly failed: number
}

/** Runs as many episodes as it takes to make the calls, and says what fails in each, and how to see it again. */
export async function runMisfortune(options: Options): Promise<Result> {
  const { calls, seed, episode: only, isTraced = false, log = () => {} } = options
  const digest = createHash('sha256')
  const seen = new Set<string>()
  const start = performance.now()
  let failed = 0
  let requests = 0
  const count = Math.ceil(calls / callsOfEpisode)
  for (let index = only ?? 0; index < (only === undefined ? count : only + 1); index++) {
    const left = Math.min(callsOfEpisode, calls - index * callsOfEpisode)
    const { trace, requests: made } = await runEpisode(`${seed}/${index}`, left)
    digest.update(trace.digest())
    requests += made.length
    for (const { fault } of made) seen.add(fault)
    if (isTraced) log(trace.lines.join('\n'))
    if (trace.failures.length === 0) continue
    failed++
    log(`✗ npx node test/soak/misfortune.ts --seed ${seed} --episode ${index} --trace`)
    for (const failure of trace.failures.slice(0, 5)) log(`✗ ${failure}`)
  }
  // Nothing was tested against what did not happen.
  const missing = faults.filter(({ name }) => !seen.has(name)).map(({ name }) => name)
  const isShort = only !== undefined || calls < leastForAll || missing.length === 0
  if (!isShort) log(`✗ never happened: ${missing.join(', ')}`)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  log(
    `${calls} calls, ${requests} requests, seed ${seed}, ${seconds} s: ${failed} of ${count} episodes failed`,
  )
  return { digest: digest.digest('hex'), failed: isShort ? failed : failed + missing.length }
}

/**
 * A handful of clients makes some calls, everything goes wrong, and all that must hold is checked. Independent of other
 * episodes, so that one that fails can be replayed alone.
 */
async function runEpisode(seed: string, callCount: number) {
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
  const calls: World['calls'] = new Map()
  const clients: ClientRecord[] = []
  const limits = [0, 3, 9, 50, 200, 500, 1000, 5000]
  const world: World = {
    ...{ seed, trace, requests, calls },
    misfortune: random.pick([0.1, 0.3, 0.6, 0.9]),
    budgets: Array.from({ length: random.integer(0, 4) }, () => new CreditBudget(random.pick(limits))),
    crowd: random.chance(0.3) ? random.pick(soakOperations.filter(({ surface }) => surface)) : null,
    interfere: () => interfere(),
  }
  const organizations = Array.from({ length: random.integer(1, 2) }, (_, index) =>
    drawOrganization(random, `organization ${seed}/${index}`),
  )
  for (let index = random.integer(0, 3); index >= 0; index--)
    clients.push(drawClient(random, `client ${index}`, random.pick(organizations), world))
  const spreadMs = random.pick([0, 2000, minute, 4 * minute])
  for (let index = 0; index < callCount; index++)
    calls.set(`call ${index}`, drawCall(`call ${index}`, clients, spreadMs, world))
  const drawn = [...calls.values()]
  const interfere = interferenceOf(createRandom(`${seed}/interference`), clients, world)
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
  for (const call of drawn) checkCall(call, trace)
  for (const client of clients) checkClient(client, trace)
  for (const budget of world.budgets) checkBudget(budget, drawn, trace)
}

/** What a callback does now and then: it aborts any call, or closes a client. */
function interferenceOf(random: Random, clients: readonly ClientRecord[], { calls, trace }: World) {
  const share = random.pick([0, 0, 0.003, 0.02])
  return (): void => {
    if (!random.chance(share)) return
    trace.add('a callback interferes')
    if (random.chance(0.05)) void close(random.pick(clients), trace)
    else random.pick([...calls.values()]).plan?.abort()
  }
}

/** Sets the wall clock of some episodes, each time by up to an hour. */
function setWallClock(random: Random, set: (time: number) => void, trace: Trace): void {
  const jump = (): void => {
    const ms = random.integer(-60 * minute, 60 * minute)
    trace.add(`the wall clock jumps by ${ms} ms`)
    set(Date.now() + ms)
  }
  for (let times = random.pick([0, 1, 3]); times > 0; times--)
    setTimeout(jump, random.integer(1, random.pick([minute / 2, 4 * minute])))
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
