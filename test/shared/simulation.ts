import type { Sight } from '../../src/extensions/shared/clock.ts'
import { type Changed, changeState } from '../../src/extensions/shared/change.ts'
import type { LimiterState, Rules } from '../../src/extensions/shared/state.ts'
import type { Report } from '../../src/extensions/shared/update.ts'

const rules: Rules = { inFlight: 2, perMinute: 20, spanMs: 60_020, leaseMs: 15_000 }
const arrivalMs = 1020

/** What may happen to the processes and their store. */
export type Attack =
  'kill' | 'pause' | 'lose' | 'roll back' | 'set the clock' | 'lose a reply' | 'refuse' | 'start' | 'cancel'

export interface Plan {
  readonly processes: number
  readonly calls: number
  readonly seed: number
  /** What happens, and how long after the one before, in milliseconds. */
  readonly attacks: readonly { readonly attack: Attack; readonly after: number }[]
}

interface Call {
  readonly surface: string
  /** When it waits. */
  since: number
}

interface Sent {
  readonly surface: string
  readonly latest: number
  endsAt: number
  answeredAt: number
}

/** A process, as far as the shared state can tell. */
class SimulatedProcess {
  readonly id: string
  seen: Sight | undefined
  copy: LimiterState | undefined
  readonly calls: Call[] = []
  readonly since = new Map<string, number>()
  sent: Sent[] = []
  open = 0
  closures: { surface: string; openAt: number }[] = []
  nextAt = 0
  pausedUntil = 0
  isAlive = true
  /** How long it takes from its reading of the text to its writing, in milliseconds. */
  readonly delay: number
  /** What it is about to write, if the text is still the same. */
  pending:
    { readonly changed: Changed; readonly text: string | undefined; readonly closures: number } | undefined

  constructor(id: string, delay: number) {
    this.id = id
    this.delay = delay
  }

  get isIdle(): boolean {
    return this.calls.length === 0 && this.open === 0
  }
}

/** Runs processes on a virtual clock, and counts what the service sees, apart from their state. */
export class Simulation {
  readonly violations: string[] = []
  /** Calls that were granted, and the calls that processes still wait for in the end. */
  granted = 0
  readonly processes: SimulatedProcess[] = []
  text: string | undefined
  now = 1000
  readonly #texts: (string | undefined)[] = []
  /** The process that has claimed the next write, and until when. */
  #claim: { readonly process: SimulatedProcess; readonly until: number } | undefined
  #clockAhead = 1_700_000_000_000
  #seed: number
  #ids = 0
  /** Requests that the service works on, and when others arrived. */
  readonly #open = new Map<Sent, SimulatedProcess>()
  readonly #arrivals = new Map<string, number[]>()
  readonly #closed = new Map<string, number>()

  constructor({ processes, calls, seed }: Plan) {
    this.#seed = seed
    for (let i = 0; i < processes; i++) this.#start()
    for (let i = 0; i < calls; i++) this.#call(this.processes[i % processes]!)
  }

  run(plan: Plan): void {
    let at = this.now
    for (const { attack, after } of plan.attacks) {
      at += after
      this.#runUntil(at)
      this.#attack(attack)
    }
    // No call may wait for longer than the pace of all, the leases of dead processes, and closures.
    this.#runUntil(at + (plan.calls / rules.perMinute + 4) * rules.spanMs)
  }

  /** Calls that no living process has got. */
  get waiting(): number {
    return this.processes.filter(({ isAlive }) => isAlive).reduce((sum, { calls }) => sum + calls.length, 0)
  }

  /** The slots in the state when all leases of dead processes have passed. */
  takenInTheEnd(): number {
    this.now += rules.leaseMs + 1000
    const process = this.#start()
    const changed = this.#change(process)
    return Object.values(changed.state.processes).reduce((sum, { slots }) => sum + slots, 0)
  }

  #random(below: number): number {
    this.#seed = (Math.imul(this.#seed, 1103515245) + 12345) >>> 0
    return Math.floor((this.#seed / 2 ** 32) * below)
  }

  #start(): SimulatedProcess {
    // Those that know the time tell it to one that starts: if all slept, it would trust a clock that was set meanwhile.
    for (const process of this.processes) process.pausedUntil = 0
    for (const process of this.#awake()) if (process.copy !== undefined) this.#updateNow(process)
    const delay = this.#random(3) === 0 ? this.#random(700) : 0
    const process = new SimulatedProcess(`p${this.#ids++}`, delay)
    process.nextAt = this.now + this.#random(50)
    this.processes.push(process)
    return process
  }

  #call(process: SimulatedProcess): void {
    process.calls.push({ surface: [':a', ':b', ''][this.#random(3)]!, since: this.now })
    process.nextAt = Math.min(process.nextAt, this.now)
  }

  #awake(): SimulatedProcess[] {
    return this.processes.filter(({ isAlive, pausedUntil }) => isAlive && pausedUntil <= this.now)
  }

  #runUntil(end: number): void {
    while (this.now < end) {
      const awake = this.processes.filter(({ isAlive }) => isAlive)
      const dues = awake.map(({ nextAt, pausedUntil }) => Math.max(nextAt, pausedUntil))
      const ends = Array.from(this.#open.keys(), ({ endsAt }) => endsAt)
      const next = Math.min(end, ...dues, ...ends)
      this.now = Math.max(this.now, next)
      for (const [sent, process] of this.#open) if (sent.endsAt <= this.now) this.#answer(sent, process)
      for (const process of awake)
        if (Math.max(process.nextAt, process.pausedUntil) <= this.now) this.#update(process)
    }
  }

  #answer(sent: Sent, process: SimulatedProcess): void {
    this.#open.delete(sent)
    sent.answeredAt = this.now
    process.open--
    // A request that is refused closes its surface.
    if (this.#random(40) === 0 && process.isAlive && sent.surface !== '') {
      const openAt = this.now + 500 + this.#random(9000)
      process.closures.push({ surface: sent.surface, openAt })
    }
    process.nextAt = Math.min(process.nextAt, this.now)
  }

  #change(process: SimulatedProcess): Changed {
    const first = new Map(process.calls.map(({ surface }) => [surface, surface]))
    for (const surface of first.keys()) if (!process.since.has(surface)) process.since.set(surface, this.now)
    for (const surface of process.since.keys()) if (!first.has(surface)) process.since.delete(surface)
    const report = (time: number): Report => {
      const by = (at: number): number => Math.round(at - this.now + time)
      const arrivals = Map.groupBy(process.sent, ({ surface }) => surface)
      return {
        ...{ process: process.id, slots: process.open },
        turnMs: Math.max(200, Math.ceil(process.delay / 50) * 150 + 50),
        arrivals: Array.from(arrivals, ([surface, sends]) => [
          surface,
          sends.map(({ latest, answeredAt }) => by(Math.min(latest, answeredAt))),
        ]),
        closures: process.closures.map(({ surface, openAt }) => [surface, by(openAt)]),
        places: Array.from(process.since, ([surface, since]) => [surface, by(since)]),
        asks: Array.from(first.keys(), (surface) => ({
          ...{ surface, limit: surface === '' ? Infinity : rules.perMinute },
          arrivalMs: arrivalMs + 3 * process.delay,
          hasNext: process.calls.filter((call) => call.surface === surface).length > 1,
        })),
      }
    }
    const { now } = this
    const moment = { clock: now + this.#clockAhead, readAt: now, receivedAt: now, seen: process.seen }
    return changeState(this.text, moment, process.copy, report, rules, `epoch ${this.#ids++}`)
  }

  #update(process: SimulatedProcess): void {
    const claim = this.#claim
    if (claim !== undefined && claim.process !== process && claim.process.isAlive && claim.until > this.now) {
      process.nextAt = this.now + 1 + this.#random(25)
      return
    }
    const { pending } = process
    process.pending = undefined
    if (pending !== undefined && (pending.text === this.text || !pending.changed.isChanged)) {
      if (claim?.process === process) this.#claim = undefined
      this.#commit(process, pending.changed, 'heard', pending.closures)
    } else if (process.delay === 0) this.#updateNow(process)
    else {
      // It has lost to another one, so it claims the next write.
      if (pending !== undefined) this.#claim = { process, until: this.now + 2 * process.delay }
      const changed = this.#change(process)
      process.pending = { changed, text: this.text, closures: process.closures.length }
      process.nextAt = this.now + process.delay
    }
  }

  /** @param reply Whether the text is stored, and whether the process hears of it. */
  #updateNow(process: SimulatedProcess, reply: 'heard' | 'lost' | 'failed' = 'heard'): void {
    process.pending = undefined
    this.#commit(process, this.#change(process), reply, process.closures.length)
  }

  #commit(
    process: SimulatedProcess,
    changed: Changed,
    reply: 'heard' | 'lost' | 'failed',
    told: number,
  ): void {
    if (reply !== 'failed' && changed.isChanged) {
      this.text = JSON.stringify(changed.state)
      this.#texts.push(this.text)
    }
    // From now on, all can know.
    if (reply !== 'failed')
      for (const { surface, openAt } of process.closures.slice(0, told))
        this.#closed.set(surface, Math.max(openAt, this.#closed.get(surface) ?? 0))
    process.nextAt = this.now + rules.leaseMs / 3
    if (reply !== 'heard') {
      process.nextAt = this.now + 500
      return
    }
    const { state } = changed
    process.copy = structuredClone(changed.state)
    const { epoch, time, shift } = state
    const readAt = this.now - process.delay
    process.seen = { epoch, time, clock: time - shift, readAt, receivedAt: this.now }
    process.closures.splice(0, told)
    for (const [surface, outcome] of changed.outcomes) {
      if (outcome.reason === 'granted') this.#send(process, surface)
      else {
        const ms = outcome.reason === 'turn' ? outcome.ms + this.#random(50) : outcome.ms
        process.nextAt = Math.min(process.nextAt, this.now + Math.max(1, ms))
      }
    }
    const wake = (id: string | undefined, ms: number): void => {
      for (const other of this.#awake())
        if (other.id === id && other.pending === undefined)
          other.nextAt = Math.min(other.nextAt, this.now + ms + other.delay / 2)
    }
    for (const id of changed.called) wake(id, this.#random(20))
    if (changed.called.length > 0) wake(changed.next, changed.turnMs + this.#random(50))
    if (changed.hasBegun) for (const other of this.#awake()) wake(other.id, this.#random(20))
  }

  #send(process: SimulatedProcess, surface: string): void {
    const index = process.calls.findIndex((call) => call.surface === surface)
    process.nextAt = Math.min(process.nextAt, this.now + 1)
    // It was canceled meanwhile.
    if (index === -1) return
    this.granted++
    process.calls.splice(index, 1)
    if (process.calls.some((call) => call.surface === surface)) process.since.set(surface, this.now)
    else process.since.delete(surface)
    process.nextAt = Math.min(process.nextAt, this.now + 1)
    const sent = {
      ...{ surface, latest: this.now + arrivalMs, answeredAt: Infinity },
      endsAt: this.now + 20 + this.#random(this.#random(4) === 0 ? 8000 : 400),
    }
    process.open++
    process.sent.push(sent)
    process.sent = process.sent.filter(({ latest }) => latest > this.now - rules.spanMs - 5000)
    this.#open.set(sent, process)
    if (this.#open.size > rules.inFlight) this.violations.push(`${this.#open.size} open at ${this.now}`)
    if (surface === '') return
    // It arrives at some time until the latest, or its answer.
    const arrival = this.now + this.#random(Math.min(arrivalMs, sent.endsAt - this.now))
    const arrivals = this.#arrivals.get(surface) ?? []
    arrivals.push(arrival)
    this.#arrivals.set(surface, arrivals)
    const count = arrivals.filter((at) => Math.abs(at - arrival) < 60_000 && at <= arrival).length
    if (count > rules.perMinute) this.violations.push(`${count} at ${surface} at ${this.now}`)
    if (this.now < (this.#closed.get(surface) ?? 0))
      this.violations.push(`sent to the closed ${surface} at ${this.now}`)
  }

  #attack(attack: Attack): void {
    const awake = this.#awake()
    const process = awake[this.#random(awake.length)]
    switch (attack) {
      case 'start':
        this.#call(this.#start())
        break
      case 'kill':
        if (process === undefined || awake.length < 2) break
        process.isAlive = false
        for (const [sent, owner] of this.#open) if (owner === process) this.#open.delete(sent)
        break
      case 'pause':
        if (process !== undefined) process.pausedUntil = this.now + this.#random(40_000)
        break
      case 'lose':
      case 'roll back':
        // What only dead and sleeping processes know is lost with the store.
        for (const each of this.processes) each.pausedUntil = 0
        for (const each of this.#awake()) this.#updateNow(each)
        this.text = attack === 'lose' ? undefined : this.#texts.at(-1 - this.#random(20))
        for (const each of this.#awake()) each.nextAt = Math.min(each.nextAt, this.now + this.#random(2500))
        break
      case 'set the clock':
        this.#clockAhead += [5000, 3_600_000, -3_600_000, -40_000][this.#random(4)]!
        // A process that has just started asks the others for the time.
        if (this.processes.some(({ copy }) => copy === undefined))
          for (const each of this.#awake()) if (each.copy !== undefined) this.#updateNow(each)
        break
      case 'lose a reply':
        if (process?.copy !== undefined) this.#updateNow(process, 'lost')
        break
      case 'refuse':
        if (process?.copy !== undefined) this.#updateNow(process, 'failed')
        break
      case 'cancel':
        process?.calls.pop()
    }
  }
}
