import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import fc from '../support/chance.ts'
import { CreditBudget, type Reservation } from '../../src/index.ts'
import {
  SharedBudget,
  type SharedStore,
  memoryStore,
  sqliteStore,
} from '../../src/extensions/shared/index.ts'
import { type Period, periodAt } from '../../src/lib/period.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { newFolder } from '../support/folder.ts'

const [hour, day] = [3_600_000, 86_400_000]
const limit = 10

/** What happens next, to the process, call and credits that `who` and `what` draw. */
interface Event {
  readonly kind:
    ('time' | 'jump' | 'start' | 'kill') | ('lose a reply' | 'fail' | 'reserve' | 'send' | 'end' | 'ask')
  readonly who: number
  readonly what: number
}

interface ClockPlan {
  readonly every: Period
  readonly events: readonly Event[]
}

const kinds: fc.Arbitrary<Event['kind']> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Event['kind']>('reserve', 'send', 'end') },
  { weight: 2, arbitrary: fc.constantFrom<Event['kind']>('time', 'jump') },
  { weight: 1, arbitrary: fc.constantFrom<Event['kind']>('start', 'kill', 'lose a reply', 'fail', 'ask') },
)

const clockPlans: fc.Arbitrary<ClockPlan> = fc.record({
  every: fc.constantFrom<Period>('hour', 'day', 'month'),
  events: fc.array(fc.record({ kind: kinds, who: fc.nat(7), what: fc.nat(999) }), {
    minLength: 30,
    maxLength: 150,
  }),
})

/** How clocks are set, in milliseconds; some to a date. */
const jumps = [1000, 5000, 60_000, hour, 3 * hour, 10 * hour, day, 2 * day, 31 * day, 365 * day, 3650 * day]
const dates = ['1970-01-01T00:05Z', '2026-11-27T23:59:59Z', '2026-11-28T00:00:01Z', '2140-01-01T00:00Z']

/** Where killed processes write. */
const scratch = memoryStore()

interface Call {
  readonly credits: number
  readonly reservation: Reservation
  /** The period in which it was sent, and what it was charged. */
  sent?: { period: string; charged: number }
}

interface Process {
  readonly budget: CreditBudget | SharedBudget
  readonly calls: Call[]
  /** How far its clock is ahead. */
  ahead: number
  store: SharedStore
  fault: 'lose a reply' | 'fail' | undefined
}

/** Processes with clocks of their own, which are set to and fro, and what the service charged them. */
class ClockWorld {
  readonly charged: Record<string, number> = {}
  readonly violations: string[] = []
  readonly #every: Period
  readonly #stores: readonly SharedStore[]
  readonly #name: string
  readonly #processes: Process[] = []
  readonly #killed: Process[] = []
  readonly #memory: CreditBudget
  #now = Date.parse('2026-11-27T22:30:00Z')
  #wall = this.#now

  /** @param stores Connections to one store, of the processes in turn; none for a `CreditBudget`, which has one process. */
  constructor(every: Period, stores: readonly SharedStore[], name: string) {
    this.#every = every
    this.#stores = stores
    this.#name = name
    this.#memory = new CreditBudget(limit, { every })
    this.#start(0)
  }

  /** Runs a plan, with `Date.now()` that of the process that acts. @returns What should not have been. */
  static async run(plan: ClockPlan, stores: readonly SharedStore[], name: string): Promise<string[]> {
    const { now } = Date
    const world = new ClockWorld(plan.every, stores, name)
    Date.now = () => world.#wall
    try {
      for (const event of plan.events) await world.#happen(event)
      await world.#finish()
      return world.violations
    } finally {
      Date.now = now
    }
  }

  get #isShared(): boolean {
    return this.#stores.length > 0
  }

  #start(ahead: number): void {
    const process: Omit<Process, 'budget'> & { budget?: Process['budget'] } = {
      ...{ calls: [], ahead, store: this.#stores[this.#processes.length % this.#stores.length] ?? scratch },
      fault: undefined,
    }
    const store: SharedStore = {
      async update(key, change) {
        const { fault } = process
        process.fault = undefined
        if (fault === 'fail') throw new Error('no connection')
        const result = await process.store.update(key, (text, _, readAt) => change(text, Date.now(), readAt))
        if (fault === 'lose a reply') throw new Error('no reply')
        return result
      },
    }
    const shared = { store, name: this.#name, limit, every: this.#every, logger: false as const }
    process.budget = !this.#isShared ? this.#memory : new SharedBudget(shared)
    this.#processes.push(process as Process)
  }

  async #happen({ kind, who, what }: Event): Promise<void> {
    const process = this.#processes[who % this.#processes.length]!
    const sign = what % 2 === 0 ? 1 : -1
    if (kind === 'time') this.#now += [1000, 60_000, hour, 5 * hour, day][what % 5]!
    else if (kind === 'jump' && what % 4 === 0)
      process.ahead = Date.parse(dates[who % dates.length]!) - this.#now
    else if (kind === 'jump') process.ahead += sign * jumps[what % jumps.length]!
    else if (kind === 'start' && this.#isShared && this.#processes.length < 5)
      this.#start(what % 3 === 0 ? 10 * hour : 0)
    else if (kind === 'kill' && this.#isShared && this.#processes.length > 1) {
      this.#processes.splice(this.#processes.indexOf(process), 1)
      this.#killed.push(process)
      // What it still reports is lost.
      process.store = scratch
    } else if (kind === 'lose a reply' || kind === 'fail') process.fault = kind
    this.#wall = this.#now + process.ahead
    const call = process.calls[what % Math.max(1, process.calls.length)]
    if (kind === 'reserve') await this.#reserve(process, 1 + (what % 4))
    else if (kind === 'send' && call !== undefined && !call.sent) await this.#send(process, call, what)
    else if (kind === 'end' && call !== undefined) await this.#end(process, call, what)
    else if (kind === 'ask') await summaryOf(process)
  }

  async #reserve({ budget, calls }: Process, credits: number): Promise<void> {
    // Two at once.
    const reserve = async (): Promise<Reservation> => budget.reserve(credits, 'any')
    for (const result of await Promise.allSettled([reserve(), reserve()]))
      if (result.status === 'fulfilled') calls.push({ credits, reservation: result.value })
  }

  async #send(process: Process, call: Call, what: number): Promise<void> {
    try {
      await call.reservation.renew?.()
    } catch {
      call.reservation.settle(0)
      process.calls.splice(process.calls.indexOf(call), 1)
      return
    }
    const period = periodAt(this.#wall, this.#every)
    const charged = what % 3 === 0 ? 0 : 1 + (what % call.credits)
    call.sent = { period, charged }
    this.charged[period] = (this.charged[period] ?? 0) + charged
    if (this.charged[period] > limit)
      this.violations.push(`${this.charged[period]} charged in ${period} of ${limit}`)
  }

  async #end(process: Process, call: Call, what: number): Promise<void> {
    process.calls.splice(process.calls.indexOf(call), 1)
    const { charged } = call.sent ?? { charged: 0 }
    // Its answer may be lost.
    if (call.sent && what % 4 === 0) call.reservation.settle(0, call.credits)
    else call.reservation.settle(charged)
    await Promise.resolve()
  }

  /** What was charged is known in each period. */
  async #finish(): Promise<void> {
    for (const process of this.#processes) {
      this.#wall = this.#now + process.ahead
      for (const call of [...process.calls]) await this.#end(process, call, 1)
      process.fault = undefined
      await close(process)
    }
    for (const process of this.#killed) await close(process)
    this.#start(0)
    const last = this.#processes.at(-1)!
    // What dead processes have reserved counts as uncertain at last.
    this.#wall = Date.parse('2200-01-01T12:00Z')
    await summaryOf(last)
    for (const [period, charged] of Object.entries(this.charged)) {
      this.#wall = Date.parse(period.length === 16 ? `${period}Z` : period)
      const known = await summaryOf(last)
      const { spent, uncertain, reserved } = known ?? { spent: 0, uncertain: 0, reserved: 0 }
      // A budget that has forgotten a period lets nobody spend in it.
      if (known !== undefined && spent + uncertain + reserved < charged)
        this.violations.push(`${charged} charged in ${period}; ${spent} spent, ${uncertain} uncertain`)
      if (known !== undefined && this.#isShared && reserved > 0)
        this.violations.push(`${reserved} still reserved in ${period}`)
    }
    await close(last)
  }
}

/** Undefined while the budget is unavailable. */
const summaryOf = async ({ budget }: Process) => (async () => budget.summary())().catch(() => undefined)

const close = async ({ budget }: Process) => {
  if (budget instanceof SharedBudget) await budget.close()
}

/** A check of plans on a store. */
function keepsEachPeriod(stores: readonly SharedStore[]) {
  let runs = 0
  return fc.asyncProperty(clockPlans, async (plan) => {
    const violations = await ClockWorld.run(plan, stores, `clocks ${runs++} ${performance.now()}`)
    if (violations.length > 0) throw new Error(violations.join('\n'))
  })
}

const file = join(newFolder(), 'budgets.sqlite')
const connections = [1, 2, 3].map(() => sqliteStore(file))
afterAll(() => {
  for (const connection of connections) connection.close()
})

// `RUNS=50 TEST_SEED=2 npx vitest run test/shared/clock-attacks` searches on.
describe('spends no period twice, whatever clocks say, and knows what each was charged,', () => {
  virtualTime()

  it.each([
    ['a CreditBudget', []],
    ['a SharedBudget in memory', [memoryStore()]],
    ['a SharedBudget in SQLite', connections],
  ])('%s', async (_, stores) => {
    const { error } = await settle(
      fc.assert(keepsEachPeriod(stores), { numRuns: 40 * Number(process.env['RUNS'] ?? 1) }),
    )
    expect(error).toBeUndefined()
  })
})
