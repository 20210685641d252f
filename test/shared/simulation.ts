import {
  type Changed,
  type LimiterState,
  type OwnRequest,
  type ProcessReport,
  type Rules,
  allowedFrom,
  changeState,
} from '../../src/extensions/shared/limiter-state.ts'
import type { Snapshot } from '../../src/extensions/shared/versioned-state.ts'

const rules: Rules = { inFlight: 2, perMinute: 20, windowMs: 60_020, leaseMs: 15_000 }
const arrivalMs = 1000

/** What may happen to the processes and their store. */
export const attacks = [
  ...(['kill', 'pause', 'lose', 'roll back', 'set the clock'] as const),
  ...(['lose a reply', 'refuse', 'start', 'cancel'] as const),
]

export interface Plan {
  readonly processes: number
  readonly calls: number
  readonly seed: number
  /** What happens, and how long after the one before, in milliseconds. */
  readonly attacks: readonly { readonly attack: (typeof attacks)[number]; readonly after: number }[]
}

/** A process that shares a state. */
class SimulatedProcess {
  latest: Snapshot<LimiterState> | undefined
  /** The surfaces of the calls that wait. */
  readonly calls: string[] = []
  readonly requests = new Map<string, OwnRequest>()
  nextAt = 0
  pausedUntil = 0
  isAlive = true
  /** What it is about to write, if the text is still the same. */
  pending: Update | undefined
  readonly id: string
  /** How long it takes from its reading of the text to its writing, in milliseconds. */
  readonly delay: number

  constructor(id: string, delay: number) {
    this.id = id
    this.delay = delay
  }

  end(id: string, answered = Infinity, closedUntil?: number): void {
    const { surface, sent } = this.requests.get(id)!
    this.requests.set(id, { surface, hasEnded: true, sent: sent && { ...sent, answered }, closedUntil })
  }

  /** Whether others may not know yet that it has closed a surface. */
  hasClosed(surface: string): boolean {
    return [...this.requests.values()].some((request) => request.surface === surface && request.closedUntil)
  }
}

/** An update of a process that has read the text. */
interface Update {
  readonly changed: Changed
  readonly text: string | undefined
  readonly report: ProcessReport
  readonly readAt: number
}

/** A request as the service sees it. */
interface Sent {
  readonly id: string
  readonly surface: string
  readonly endsAt: number
}

/** Counts the requests of simulated processes, apart from their state. */
class SimulatedService {
  readonly violations: string[] = []
  /** The requests that it works on, and whose they are. */
  readonly open = new Map<Sent, SimulatedProcess>()
  readonly #arrivals = new Map<string, number[]>()
  readonly #closed: { readonly surface: string; readonly openAt: number; readonly knownAt: number }[] = []

  /** From now on, all processes can know that a surface is closed. */
  close(closure: { readonly surface: string; readonly openAt: number }, now: number): void {
    this.#closed.push({ ...closure, knownAt: now })
  }

  receive(sent: Sent, process: SimulatedProcess, grantedAt: number, sentAt: number, arrival: number): void {
    const { surface } = sent
    this.open.set(sent, process)
    if (this.open.size > rules.inFlight) this.violations.push(`${this.open.size} open at ${sentAt}`)
    if (surface === '') return
    const arrivals = this.#arrivals.get(surface) ?? []
    this.#arrivals.set(surface, arrivals)
    arrivals.push(arrival)
    const count = arrivals.filter((at) => Math.abs(at - arrival) < 60_000 && at <= arrival).length
    if (count > rules.perMinute) this.violations.push(`${count} at ${surface} at ${sentAt}`)
    // Within a millisecond, the grant may have been first.
    const isClosed = this.#closed.some(
      (each) => each.surface === surface && each.knownAt < grantedAt && sentAt < each.openAt,
    )
    if (isClosed) this.violations.push(`sent to the closed ${surface} at ${sentAt}`)
  }
}

/** Runs processes, and the service that they call, on a virtual clock. */
export class Simulation {
  readonly #service = new SimulatedService()
  readonly processes: SimulatedProcess[] = []
  text: string | undefined
  now = 1000
  readonly #texts: (string | undefined)[] = []
  /** The process that has the lock, and until when. */
  #lock: { readonly process: SimulatedProcess; readonly until: number } | undefined
  #clockAhead = 1_700_000_000_000
  #seed: number
  #ids = 0

  constructor(plan: Plan) {
    this.#seed = plan.seed
    for (let i = 0; i < plan.processes; i++) this.#start()
    for (let i = 0; i < plan.calls; i++) this.#call(this.processes[i % plan.processes]!)
    let at = this.now
    for (const { attack, after } of plan.attacks) {
      at += after
      this.#runUntil(at)
      this.#attack(attack)
    }
    // No call may wait for longer than the pace of all, the leases of dead processes, and what a 429 has closed.
    this.#runUntil(at + (plan.calls / rules.perMinute + 4) * rules.windowMs)
  }

  /** What the service should not have seen. */
  get violations(): readonly string[] {
    return this.#service.violations
  }

  /** Calls that no living process has got. */
  get waiting(): number {
    return this.processes.filter(({ isAlive }) => isAlive).reduce((sum, { calls }) => sum + calls.length, 0)
  }

  /** The slots in the state when all leases of dead processes have passed. */
  takenInTheEnd(): number {
    this.now += rules.leaseMs + 1000
    return Object.keys(this.#read(this.#start()).changed.state.open).length
  }

  #random(below: number): number {
    this.#seed = (Math.imul(this.#seed, 1103515245) + 12345) >>> 0
    return Math.floor((this.#seed / 2 ** 32) * below)
  }

  /** A process that starts trusts the clock of the store. So the others notice first if it was set. */
  #tellTime(): void {
    for (const process of this.processes) process.pausedUntil = 0
    for (const process of this.#awake()) if (process.latest !== undefined) this.#updateNow(process)
  }

  #start(): SimulatedProcess {
    this.#tellTime()
    const delay = this.#random(3) === 0 ? this.#random(700) : 0
    const process = new SimulatedProcess(`p${this.#ids++}`, delay)
    process.nextAt = this.now + this.#random(50)
    this.processes.push(process)
    return process
  }

  #call(process: SimulatedProcess): void {
    process.calls.push([':a', ':b', ''][this.#random(3)]!)
    process.nextAt = Math.min(process.nextAt, this.now)
  }

  #awake(): SimulatedProcess[] {
    return this.processes.filter(({ isAlive, pausedUntil }) => isAlive && pausedUntil <= this.now)
  }

  #runUntil(end: number): void {
    while (this.now < end) {
      const alive = this.processes.filter(({ isAlive }) => isAlive)
      const dues = alive.map(({ nextAt, pausedUntil }) => Math.max(nextAt, pausedUntil))
      const ends = Array.from(this.#service.open.keys(), ({ endsAt }) => endsAt)
      this.now = Math.max(this.now, Math.min(end, ...dues, ...ends))
      for (const [sent, process] of this.#service.open)
        if (sent.endsAt <= this.now) this.#answer(sent, process)
      for (const process of this.#awake()) if (process.nextAt <= this.now) this.#update(process)
    }
  }

  #answer(sent: Sent, process: SimulatedProcess): void {
    this.#service.open.delete(sent)
    if (!process.isAlive) return
    // A request that is refused closes its surface.
    const isRefused = this.#random(40) === 0 && sent.surface !== ''
    process.end(sent.id, this.now, isRefused ? this.now + 500 + this.#random(9000) : undefined)
    process.nextAt = Math.min(process.nextAt, this.now)
  }

  #read(process: SimulatedProcess): Update {
    const { now, text } = this
    const calls = Map.groupBy(process.calls, (surface) => surface)
    const report: ProcessReport = {
      ...{ process: process.id, requests: new Map(process.requests) },
      waiting: new Map(Array.from(calls, ([surface, { length }]) => [surface, Math.min(2, length)] as const)),
    }
    const times = { clock: now + this.#clockAhead, readAt: now, receivedAt: now }
    const changed = changeState(text, times, process.latest, report, rules, `state ${this.#ids++}`)
    return { changed, text, report, readAt: now }
  }

  #update(process: SimulatedProcess): void {
    const lock = this.#lock
    if (lock !== undefined && lock.process !== process && lock.process.isAlive && lock.until > this.now) {
      process.nextAt = this.now + 1 + this.#random(25)
      return
    }
    const { pending } = process
    process.pending = undefined
    if (pending !== undefined && (pending.text === this.text || !pending.changed.isChanged)) {
      if (lock?.process === process) this.#lock = undefined
      this.#commit(process, pending, 'known')
    } else if (process.delay === 0) this.#updateNow(process)
    else {
      // It has lost to another one, so it takes the lock.
      if (pending !== undefined) this.#lock = { process, until: this.now + 2 * process.delay }
      process.pending = this.#read(process)
      process.nextAt = this.now + process.delay
    }
  }

  /** @param reply Whether the text is stored, and whether the process knows it. */
  #updateNow(process: SimulatedProcess, reply: 'known' | 'lost' | 'failed' = 'known'): void {
    process.pending = undefined
    this.#commit(process, this.#read(process), reply)
  }

  #commit(process: SimulatedProcess, update: Update, reply: 'known' | 'lost' | 'failed'): void {
    const { changed, report, readAt } = update
    process.nextAt = this.now + (reply === 'known' ? rules.leaseMs / 3 : 500)
    if (reply === 'failed') return
    if (changed.isChanged) this.#texts.push((this.text = JSON.stringify(changed.state)))
    // From now on, all can know.
    for (const { surface, closedUntil: openAt } of report.requests.values())
      if (openAt !== undefined) this.#service.close({ surface, openAt }, this.now)
    this.#wake(process, changed.toNotify)
    if (reply === 'lost') return
    const { state } = changed
    const { time, clockOffset } = state
    const times = { clock: time - clockOffset, readAt, receivedAt: this.now }
    process.latest = { ...times, state: structuredClone(state) }
    for (const [id, { hasEnded }] of report.requests) if (hasEnded) process.requests.delete(id)
    const isAlive = this.now - readAt < (state.aliveUntil[process.id] ?? 0) - time
    for (const [id, { process: owner, surface }] of Object.entries(state.open)) {
      if (owner !== process.id || process.requests.has(id) || !isAlive) continue
      process.requests.set(id, { surface, hasEnded: false, sent: undefined })
      const isOpen = (state.closedUntil[surface] ?? 0) <= time && !process.hasClosed(surface)
      if (!isOpen || !this.#send(process, id, surface, readAt)) process.end(id)
    }
    for (const { process: owner, surface } of state.queue) {
      if (owner !== process.id) continue
      const from = allowedFrom(state, owner, surface, rules)
      const ms = from > time ? from - time : 1000 + this.#random(1000)
      process.nextAt = Math.min(process.nextAt, this.now + ms)
    }
    const hasNews = [...process.requests.values()].some(({ hasEnded }) => hasEnded)
    if (hasNews) process.nextAt = this.now + 1
  }

  #wake(by: SimulatedProcess, wakes: readonly string[]): void {
    for (const other of this.#awake()) {
      if (other === by || other.pending !== undefined || !(wakes.includes(other.id) || wakes.includes('*')))
        continue
      other.nextAt = Math.min(other.nextAt, this.now + this.#random(40) + Math.round(other.delay / 2))
    }
  }

  /** Returns false if the call was canceled meanwhile. */
  #send(process: SimulatedProcess, id: string, surface: string, grantedAt: number): boolean {
    const index = process.calls.indexOf(surface)
    if (index === -1) return false
    process.calls.splice(index, 1)
    const endsAt = this.now + 20 + this.#random(this.#random(4) === 0 ? 8000 : 400)
    process.requests.set(id, { surface, hasEnded: false, sent: { at: this.now, answered: Infinity } })
    // It arrives at some time until the latest, or its answer.
    const arrival = this.now + this.#random(Math.min(arrivalMs, endsAt - this.now))
    this.#service.receive({ id, surface, endsAt }, process, grantedAt, this.now, arrival)
    return true
  }

  #attack(attack: (typeof attacks)[number]): void {
    const awake = this.#awake()
    const process = awake[this.#random(awake.length)]
    switch (attack) {
      case 'start':
        this.#call(this.#start())
        break
      case 'kill':
        if (process === undefined || awake.length < 2) break
        process.isAlive = false
        for (const [sent, owner] of this.#service.open) if (owner === process) this.#service.open.delete(sent)
        break
      case 'pause':
        if (process !== undefined) process.pausedUntil = this.now + this.#random(40_000)
        break
      case 'lose':
      case 'roll back':
        // What only dead and sleeping processes know is lost with the store.
        for (const each of this.processes) each.pausedUntil = 0
        for (const each of this.#awake()) this.#updateNow(each)
        // No process can notice the loss of changes that it has not seen.
        if (attack === 'roll back') for (const each of this.#awake()) this.#updateNow(each)
        this.text = attack === 'lose' ? undefined : this.#texts.at(-1 - this.#random(20))
        for (const each of this.#awake()) each.nextAt = Math.min(each.nextAt, this.now + this.#random(2500))
        break
      case 'set the clock':
        this.#clockAhead += [5000, 3_600_000, -3_600_000, -40_000][this.#random(4)]!
        if (this.processes.some(({ latest }) => latest === undefined)) this.#tellTime()
        break
      case 'lose a reply':
        if (process?.latest !== undefined) this.#updateNow(process, 'lost')
        break
      case 'refuse':
        if (process?.latest !== undefined) this.#updateNow(process, 'failed')
        break
      case 'cancel':
        process?.calls.pop()
    }
  }
}
